import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { waitUntil } from "../../../until.ts";
import { getCount, getTitles, openPicker, PIDEX, TestHome } from "./open-picker.ts";

test("pidex demo says what it prepares, and the picker opens with all sample sessions indexed", async (context) => {
  const home = new TestHome(context);
  const picker = await openPicker(home, { argv: ["demo", "--sessions", "20"], unindexed: true, cols: 120 });
  const screen = await picker.until((rows) => getCount(rows) !== "0", "the list");
  expect(getCount(screen)).toMatch(/^1\/\d+$/);
  expect(getTitles(screen).length).toBeGreaterThan(10);
  const bytes = picker.bytes();
  expect(bytes).toMatch(/^Preparing 20 sample sessions; your own are not read or changed\./);
  expect(bytes).not.toMatch(/indexing|not in the index yet/);
  await picker.until(/│ ~\/\w+$|┃ ~\/\w+$/m); // the folder of the selected session
});

/** A demo with a folder for temporary files of its own. */
async function openDemo(home: TestHome, ...flags: string[]) {
  const temporary = join(home.folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const argv = ["demo", "--sessions", "20", ...flags];
  const picker = await openPicker(home, { argv, unindexed: true, env: { TMPDIR: temporary } });
  return {
    picker,
    temporary,
    demos: () => readdirSync(temporary).filter((name) => /^pidex-demo-/.test(name)),
  };
}

test.each(["Escape", "SIGHUP", "SIGTERM", "closing the terminal"])(
  "%s removes the sample sessions",
  async (end) => {
    const { picker, demos } = await openDemo(new TestHome());
    expect(demos()).toHaveLength(1);
    if (end === "Escape") picker.press("escape");
    else if (end === "closing the terminal") picker.close();
    else picker.kill(end as NodeJS.Signals);
    await waitUntil("the folder is removed", () => demos().length === 0);
  },
);

test("the demo has the user's settings; changes of them end with it", async () => {
  const home = new TestHome();
  const [config, temporary] = [join(home.folder, "settings"), join(home.folder, "tmp")];
  for (const folder of [config, temporary]) mkdirSync(folder);
  const settings = '[picker]\ntheme = "dark"\n';
  writeFileSync(join(config, "config.toml"), settings);
  const env = { TMPDIR: temporary, PIDEX_CONFIG: config };
  const picker = await openPicker(home, { argv: ["demo", "--sessions", "20"], unindexed: true, env });
  picker.press("f2");
  await picker.until("theme: contrast, saved"); // the one after dark
  picker.press("ctrl+c");
  await picker.exit;
  expect(readFileSync(join(config, "config.toml"), "utf8")).toBe(settings);
});

test("queries and deleted sessions of the demo are not kept in the user's folders", async () => {
  const home = new TestHome();
  const data = join(home.folder, "data");
  const temporary = join(home.folder, "tmp");
  mkdirSync(temporary);
  const env = { TMPDIR: temporary, XDG_DATA_HOME: data };
  const picker = await openPicker(home, { argv: ["demo", "--sessions", "20"], unindexed: true, env });
  picker.write("tax");
  picker.press("ctrl+d");
  await picker.until(/\nMove to trash: /);
  picker.press("y");
  await picker.until(/\nmoved to trash: /);
  picker.press("ctrl+c");
  await picker.exit;
  expect(existsSync(data)).toBe(false);
});

test("the next demo removes what a killed one left, but not kept samples and those of running demos", async () => {
  const home = new TestHome();
  const killed = await openDemo(home);
  const left = killed.demos();
  killed.picker.kill("SIGKILL");
  await killed.picker.exit;
  expect(killed.demos()).toEqual(left);
  const kept = await openDemo(home, "--keep");
  expect(kept.demos()).toHaveLength(2); // which removes nothing
  const running = await openDemo(home);
  const last = await openDemo(home);
  expect(last.demos()).toHaveLength(3);
  expect(existsSync(join(last.temporary, left[0] as string))).toBe(false);
  last.picker.press("escape");
  running.picker.press("escape");
  kept.picker.press("escape");
  await Promise.all([last.picker.exit, running.picker.exit, kept.picker.exit]);
  expect(last.demos()).toEqual([expect.stringMatching(/^pidex-demo-\w{6}$/)]);
});

test("without a terminal, samples are prepared only for the page", () => {
  const home = new TestHome();
  const { status, stdout, stderr } = spawnSync("setsid", ["-w", process.execPath, PIDEX, "demo", "--keep"], {
    env: { ...home.env, TMPDIR: home.folder },
    input: "",
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^pidex: the picker needs a terminal\n/);
  expect(readdirSync(home.folder).filter((name) => name.startsWith("pidex-demo"))).toEqual([]);
});
