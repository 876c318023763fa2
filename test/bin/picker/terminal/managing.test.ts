/** Actions of the command line, in the picker. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../../../library/index.ts";
import { getCount, getSelected, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

const reopen = (path: string) => SessionManager.open(path, { readOnly: true });

test("a leading # of a tag is ignored in the prompt", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.press("alt+t");
  await picker.until(/\nTags, separated by commas:$/);
  picker.write("#urgent, # two words, #");
  picker.press("enter");
  await picker.until(/\ntagged urgent, two words: /);
  expect(reopen(prices.path).getTags()).toEqual(["urgent", "two words"]);
});

test("archive, tags, fork and move change files as the commands do", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });

  picker.press("alt+t");
  await picker.until(/\nTags, separated by commas:$/);
  picker.write("urgent, two words");
  picker.press("enter");
  await picker.until(/\ntagged urgent, two words: Which prices end in 99\? · Alt\+Z undo$/);
  expect(reopen(prices.path).getTags()).toEqual(["urgent", "two words"]);
  picker.press("alt+t");
  await picker.until(/\nTags, separated by commas: urgent, two words, ?$/);
  picker.press("ctrl+u");
  picker.write("late");
  picker.press("enter");
  await picker.until(/\ntagged late: Which prices end in 99\? · Alt\+Z undo$/);
  expect(reopen(prices.path).getTags()).toEqual(["late"]);

  picker.press("alt+k");
  await picker.until((screen) => getCount(screen) === "2/5" && /^forked/.test(screen.at(-1) ?? ""));
  const folder = join(prices.path, "..");
  const [forked = ""] = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => reopen(path).getHeader()?.parentSession === prices.path);
  expect(reopen(forked).getEntries().length).toBeGreaterThanOrEqual(prices.session.entries.length);

  const target = home.project("renamed");
  picker.press("alt+m");
  await picker.until(/\nFolder: \S+\/shop$/);
  picker.press("ctrl+u");
  picker.write(join(home.folder, "nowhere"));
  picker.press("enter");
  await picker.until(/\nthere is no folder \S+\/nowhere\b/);
  picker.press("alt+m");
  await picker.until(/\nFolder: /);
  picker.press("ctrl+u");
  picker.write("~/renamed");
  picker.press("enter");
  await picker.until(/\nmoved to \S+\/renamed · Alt\+Z undo$/);
  expect(existsSync(forked)).toBe(false); // its file is in the folder of its project
  await picker.until(/^› .* renamed /m);
  expect(target).toContain("renamed");

  picker.press("ctrl+x");
  await picker.until(
    (screen) => getCount(screen).endsWith("/4") && /^archived: .* undo$/.test(screen.at(-1) ?? ""),
  );
  picker.press("alt+a");
  await picker.until(/archived .*renamed /);
});

test("the picker offers to move a session if its folder is gone", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  home.program("pi", "exit 0");
  const picker = await openPicker(home, { cols: 80 });
  rmSync(prices.session.cwd, { recursive: true });
  picker.press("enter");
  await picker.until(/\nthe session's folder no longer exists: [^\n]*shop · Alt\+M move · Ctrl\+V read$/);
  picker.press("alt+m");
  await picker.until(/\nFolder: /);
});

test("exports are new private files in the folder of the picker, and the picker says where", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const cwd = home.project("exports");
  const picker = await openPicker(home, { cols: 120, cwd });
  picker.press("alt+w");
  await picker.until(/\nexported, with secrets masked: \S+\/exports\/which-prices-end-in-99-\S+\.md$/);
  picker.press("alt+e");
  await picker.until(/\nexported, with secrets masked: \S+\.html$/);
  picker.press("alt+e");
  await picker.until(/\nexported, with secrets masked: \S+-2\.html$/);
  const files = readdirSync(cwd).sort();
  expect(files.map((name) => name.replace(/^.*?(?=-2\.|\.)/, ""))).toEqual(["-2.html", ".html", ".md"]);
  for (const name of files) expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o600);
  const markdown = readFileSync(join(cwd, files.find((name) => name.endsWith(".md")) as string), "utf8");
  expect(markdown).toContain("Which prices end in 99?");

  rmSync(cwd, { recursive: true });
  picker.press("alt+w");
  await picker.until(/\n(cannot write|the working)/);
});

test("the editor gets the terminal and the file; what it changed is indexed", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  home.program("ed itor", "exit 1");
  home.program("myeditor", `echo "$@" > "$HOME/args"; echo editing; read -r line; sed -i s/99/42/ "$2"`);
  const picker = await openPicker(home, { cols: 90, env: { EDITOR: "myeditor --wait" } });
  picker.press("alt+v");
  await picker.until("editing");
  expect(picker.isAlternate()).toBe(false);
  picker.write("\r");
  await picker.until(
    (screen) =>
      getSelected(screen) === "Which prices end in 42?" &&
      /^closed myeditor --wait/.test(screen.at(-1) ?? ""),
  );
  expect(readFileSync(join(home.folder, "args"), "utf8")).toBe(`--wait ${prices.path}\n`);
  // The file is new now: an agent may have it open.
  picker.press("alt+v");
  await picker.until(/\nWritten \d+ seconds? ago, an agent may have it open\. Edit it\? +\[y\/N\]$/);
  picker.press("enter");
  await picker.until(/\nnot edited$/);

  const other = await openPicker(home, { cols: 90, env: { EDITOR: "no-such-editor" } });
  other.press("down", "alt+v");
  await other.until(/\ncannot run no-such-editor\b/);
});

test("the id, the path, the last answer and a brief are copied", async () => {
  const home = new TestHome();
  const { checkout } = writeSampleSessions(home);
  home.program("xclip", `cat > "$HOME/clipboard"`);
  const picker = await openPicker(home, { cols: 90, env: { DISPLAY: ":0" }, argv: ["pick", "rounded"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  const copied = () => readFileSync(join(home.folder, "clipboard"), "utf8");
  picker.press("alt+i");
  await picker.until(`copied: ${checkout.session.id}`);
  expect(copied()).toBe(checkout.session.id);
  picker.press("alt+y");
  await picker.until(/\ncopied: \//);
  expect(copied()).toBe(checkout.path);
  picker.press("alt+l");
  await picker.until(/\ncopied: It is \*\*rounded/);
  expect(copied()).toBe("It is **rounded** twice at checkout.");
  picker.press("alt+c");
  await picker.until(/\ncopied: the handoff brief \(\d+ tokens\)$/);
  expect(copied()).toContain(`Session ${checkout.path}\n`);
  expect(copied()).toMatch(/^- Why .+ :\d+~[a-z]{5}$/m);
});

test("undo moves a new fork to the trash, unless entries were added to it", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const folder = join(prices.path, "..");
  const picker = await openPicker(home, { cols: 90 });
  const fork = async () => {
    const before = new Set(readdirSync(folder));
    picker.press("alt+k");
    await picker.until(/\nforked: the new session is selected · Alt\+Z undo$/);
    await picker.until((screen) => getCount(screen) === "2/5");
    return join(folder, readdirSync(folder).find((name) => !before.has(name)) as string);
  };

  const first = await fork();
  picker.press("alt+z");
  await picker.until(/\nfork moved to trash: Which prices end in 99\?$/);
  await picker.until((screen) => getCount(screen) === "1/4");
  expect(existsSync(first)).toBe(false);

  const second = await fork();
  SessionManager.open(second).appendMessage({ role: "user", content: "More", timestamp: 0 });
  picker.press("alt+z");
  await picker.until(/\nnot undone, the fork has new entries: Which prices end in 99\?$/);
  expect(existsSync(second)).toBe(true);
});
