import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createTheme } from "../../../../bin/format/theme.ts";
import { drawFrame } from "../../../../bin/picker/frames/frame.ts";
import { createState } from "../../../../bin/picker/model/state.ts";
import {
  getCount,
  getSelected,
  getTitles,
  isSettled,
  openPicker,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

test("it lists the current folder or all folders; sorted, only named, with paths, with archived sessions", async () => {
  const home = new TestHome();
  const { kettles } = writeSampleSessions(home);
  const cwd = home.project("shop");
  const picker = await openPicker(home, { cwd });
  const until = (head: RegExp) =>
    picker.until((screen) => head.test(screen[0] ?? "") && isSettled(screen), String(head));

  const here = await until(/^pidex {2}~\/shop {2}by thread/);
  expect(getTitles(here)).toEqual(["Which prices end in 99?", "Checkout tax", "└─ Tax, another way"]);
  picker.press("ctrl+f");
  const all = await until(/^pidex {2}all folders/);
  expect(getCount(all)).toBe("1/4");
  expect(all[4]).toMatch(/Write about kettles .* blog /);
  picker.press("ctrl+f");
  expect(getCount(await until(/~\/shop/))).toBe("1/3");

  picker.press("ctrl+s");
  expect(getTitles(await until(/newest/))).toEqual([
    "Which prices end in 99?",
    "Tax, another way",
    "Checkout tax",
  ]);
  // Without words there is no relevance.
  picker.press("ctrl+s", "ctrl+s", "ctrl+s");
  await until(/by thread/);

  picker.press("alt+g");
  expect(getTitles(await until(/by thread {2}named/))).toEqual(["Checkout tax", "└─ Tax, another way"]);
  picker.press("alt+g");
  await until(/by thread +1 of 3$/);
  picker.press("alt+a");
  expect(getTitles(await picker.until(/The old till {2}archived/)).at(-1)).toBe("The old till");
  picker.press("alt+a", "ctrl+f");
  await until(/all folders {2}by thread +1 of 4$/);
  picker.press("alt+u");
  const paths = await picker.until(/kettles +…\S+\.jsonl/);
  const end = /…(\S+) +\d+\w+ │/.exec(paths[4] ?? "")?.[1] ?? "";
  expect(end.length).toBeGreaterThan(8);
  expect(kettles.path.endsWith(end)).toBe(true);
  picker.press("alt+u");
  await picker.until((screen) => !screen.join().includes(".jsonl"));

  // Without results, it says how to widen the search.
  picker.press("ctrl+f");
  await until(/~\/shop/);
  picker.write("kettles");
  expect((await until(/ 0$/)).join("\n")).toContain("Only sessions of ~/shop are included");
  picker.press("ctrl+f");
  expect(getTitles(await until(/all folders/))).toEqual(["Write about kettles"]);
});

test("if the folder has no sessions, those of all folders are listed", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cwd: home.project("empty") });
  expect(picker.screen()[0]).toMatch(/^pidex {2}all folders {2}by thread .* 1 of 4$/);
  expect(picker.screen()[2]).toContain("no sessions in this folder, so all are listed");
});

/** Enough sessions that indexing takes a moment. */
const COUNT = 60;

test("while the first index is built, sessions appear as they are indexed; new ones appear by themselves", async () => {
  const home = new TestHome();
  const folder = home.project("many");
  const start = Date.parse("2026-01-05T09:00:00.000Z");
  let last = home.begin("many", "2026-01-04T09:00:00.000Z");
  for (let n = 0; n < COUNT; n++) {
    last = home.begin("many", new Date(start + n * 60_000).toISOString()).user(`Question ${n}`);
    for (let turn = 0; turn < 5; turn++) last.assistant(`Answer ${turn} to it, in a few words. `.repeat(120));
    home.put(last);
  }
  const picker = await openPicker(home, { cwd: folder, unindexed: true });
  const done = await picker.until((screen) => getCount(screen) === `1/${COUNT}` && isSettled(screen));
  expect(getTitles(done)[0]).toBe(`Question ${COUNT - 1}`);
  expect(picker.bytes()).not.toContain("no sessions");

  picker.press("down");
  await picker.until(new RegExp(`^› Question ${COUNT - 2}`, "m"));
  const added = home.begin("many", "2026-02-01T09:00:00.000Z").user("Brand new");
  home.put(added);
  const name = { type: "session_info", id: "11111111", parentId: last.lastId, name: "Named elsewhere" };
  appendFileSync(
    home.pathOf(last),
    `${JSON.stringify({ ...name, timestamp: "2026-01-31T09:00:00.000Z" })}\n`,
  );
  // Nothing moves: the new session is above the first row.
  const later = await picker.until(/^── ↑ 1 new ─.*\n {2}Named elsewhere/m);
  expect(getTitles(later).slice(0, 2)).toEqual(["Named elsewhere", `Question ${COUNT - 2}`]);
  expect(getSelected(later)).toBe(`Question ${COUNT - 2}`); // still
  picker.press("ctrl+home");
  await picker.until(/^› Brand new/m);
});

test("the first line shows the progress of the first index", () => {
  const state = createState({ ...VIEW, cwd: undefined });
  const index = { files: 4, indexed: 2 };
  const indexing = { filesDone: 1, filesTotal: 4, bytesDone: 1_000_000, bytesTotal: 4_000_000, index };
  const theme = createTheme({ NO_COLOR: "1" });
  const draw = (columns: number) =>
    drawFrame({ ...state, indexing }, { theme, columns, rows: 8 }, "off", {
      input: () => "",
      hints: [],
    });
  expect(stripVTControlCharacters(draw(80).join("\n"))).toMatch(
    /^pidex .* {2}indexing 25% · 2 of 4 sessions listed\n/,
  );
  expect(stripVTControlCharacters(draw(40).join("\n"))).toMatch(/^all .* {2}indexing 25%\n/);
  expect(draw(80)[3]).toContain("Reading your sessions …");
});

const VIEW = { query: "", sort: "threaded", named: false, archived: false, subagents: false } as const;

test("settings change keys and initial filters, and invalid ones are reported", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  home.settings('[picker]\nsort = "newest"\nscope = "all"\npreveiw = "off"\n\n[keys]\nsort = "alt+o"\n');
  const picker = await openPicker(home, { cwd: home.project("shop"), cols: 130, ready: "preveiw" });
  const opened = picker.screen();
  expect(opened[0]).toMatch(/^pidex {2}all folders {2}newest/);
  expect(opened.at(-1)).toMatch(
    /config\.toml, line 4: unknown setting preveiw in \[picker\]; did you mean preview\?/,
  );
  picker.press("ctrl+s"); // no longer bound
  await picker.until(/Enter resume/);
  expect(picker.screen()[0]).toMatch(/newest/);
  picker.press("alt+o", "alt+o", "alt+o");
  await picker.until((screen) => /by thread/.test(screen[0] ?? ""));
  picker.press("?");
  await picker.until(/Alt\+O +change the order: by thread, newest, cost/);
});

test("a settings file that is not TOML is reported, and the picker opens", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  home.settings("[picker\n");
  const picker = await openPicker(home, { ready: "config.toml" });
  expect(getCount(picker.screen())).toBe("1/4");
  expect(readFileSync(join(home.folder, "config", "pidex", "config.toml"), "utf8")).toBe("[picker\n");
});

test("a list of sessions without hits fills the terminal, also when it grows", async () => {
  const home = new TestHome();
  for (let n = 1; n <= 60; n++) {
    const time = `2026-01-${String(1 + (n % 28)).padStart(2, "0")}T09:00:${String(n % 60).padStart(2, "0")}.000Z`;
    home.put(home.begin("shop", time).user(`Question ${n}`));
  }
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "messages:1"] });
  const isFull = (screen: string[]) => getTitles(screen).length === screen.length - 4 && isSettled(screen);
  await picker.until(isFull);
  picker.resize(90, 12);
  await picker.until((screen) => screen.length === 12 && isFull(screen));
  picker.resize(90, 29);
  await picker.until((screen) => screen.length === 29 && isFull(screen));
});

test("Ctrl+End goes to the last session, also beyond the rows that are loaded", async () => {
  const home = new TestHome();
  const count = 230; // more than a page of the list
  for (let n = 0; n < count; n++) {
    const day = String((n % 28) + 1).padStart(2, "0");
    home.put(home.begin("shop", `2026-01-${day}T09:00:00.000Z`, { id: `s${n}` }).user(`Question ${n}`));
  }
  // Another count than that of the query, so that the end of the results is not taken for that of the list.
  home.put(home.begin("shop", "2026-01-30T09:00:00.000Z").user("Two").assistant("messages"));
  const picker = await openPicker(home, { argv: ["pick", "--all"] });
  await picker.until((screen) => getCount(screen) === `1/${count + 1}`);
  picker.press("ctrl+end");
  await picker.until((screen) => getCount(screen) === `${count + 1}/${count + 1}`);
  picker.press("home");
  await picker.until((screen) => getCount(screen) === `1/${count + 1}`);
  picker.press("end");
  await picker.until((screen) => getCount(screen) === `${count + 1}/${count + 1}`);
  // In a query, Home and End move its cursor.
  picker.write("ssages:1");
  picker.press("home");
  picker.write("me");
  picker.press("end");
  await picker.until((screen) => getCount(screen) === `1/${count}`);
  picker.press("ctrl+end");
  await picker.until((screen) => getCount(screen) === `${count}/${count}`);
});

test("is:archived finds archived sessions, which the list excludes", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.write("is:archived");
  await picker.until(
    (screen) => getCount(screen) === "1/1" && /^› The old till {2}archived/m.test(screen.join("\n")),
  );
  picker.write(" till");
  await picker.until(
    (screen) => getCount(screen) === "1/1" && /^› The old till {2}archived/m.test(screen.join("\n")),
  );
  picker.press("ctrl+u");
  picker.write("till");
  await picker.until((screen) => getCount(screen) === "0");
});

test("Ctrl+S sorts by cost and messages too, Alt+H hides and shows the preview", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 120 });
  picker.press("ctrl+s");
  await picker.until(/^pidex .* {2}newest/);
  picker.press("ctrl+s");
  await picker.until(/^pidex .* {2}by cost/);
  picker.press("ctrl+s");
  await picker.until((screen) => / {2}by messages/.test(screen[0] ?? "") && isSettled(screen));
  expect(getTitles(picker.screen(), 60)[0]).toMatch(/^Which prices/);
  expect(picker.screen()[4]).toContain("│");
  picker.press("alt+h");
  await picker.until((screen) => !screen[4]?.includes("│"));
  picker.press("alt+h");
  await picker.until((screen) => screen[4]?.includes("│") === true);
  picker.write("cost:>");
  await picker.until((screen) => getCount(screen) === "1/4" && isSettled(screen));
  picker.press("ctrl+u");
  picker.write("project:shop ");
  await picker.until((screen) => / {2}by messages/.test(screen[0] ?? "") && getCount(screen) === "1/3");
  expect(getTitles(picker.screen(), 60)[0]).toMatch(/^Which prices/);
  expect(picker.screen()[3]).toMatch(/ 7 +10mo/); // the column that it is sorted by
  picker.press("ctrl+s");
  await picker.until((screen) => / {2}newest/.test(screen[0] ?? "") && isSettled(screen));
  // Hits have orders of their own, which the list does not take over.
  picker.write("tax");
  await picker.until((screen) => / {2}relevance/.test(screen[0] ?? ""));
  picker.press("ctrl+s");
  await picker.until((screen) => / {2}newest/.test(screen[0] ?? ""));
  picker.press("ctrl+s");
  await picker.until((screen) => / {2}relevance/.test(screen[0] ?? ""));
});
