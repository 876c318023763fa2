import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../../../library/index.ts";
import type { TestTerminal } from "../../../terminal.ts";
import {
  buildIndex,
  getCount,
  getSelected,
  getTitles,
  openPicker,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

/** The lines appended to a file; asserts that the rest is unchanged. */
function added(path: string, before: Buffer): Record<string, unknown>[] {
  const now = readFileSync(path);
  expect(now.subarray(0, before.length).equals(before)).toBe(true);
  const lines = now.subarray(before.length).toString("utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const lastLine = (picker: TestTerminal) => picker.screen().at(-1);

test("rename appends a name, pin pins, and Escape changes nothing", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  const before = readFileSync(prices.path);

  picker.press("ctrl+r");
  await picker.until(/\nName:$/);
  picker.write("Not this");
  await picker.until(/\nName: Not this[^\n]*$/);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  expect(readFileSync(prices.path).equals(before)).toBe(true);

  picker.press("ctrl+r");
  await picker.until(/\nName:$/);
  picker.write("Prices \u{1f4b6} ");
  picker.press("enter");
  await picker.until(/\nrenamed to Prices 💶[^\n]*$/);
  expect(added(prices.path, before)).toEqual([
    expect.objectContaining({ type: "session_info", name: "Prices 💶", parentId: prices.session.lastId }),
  ]);
  await picker.until((screen) => getSelected(screen) === "Prices 💶", "the new name");

  // The prompt contains the current name.
  picker.press("ctrl+r");
  await picker.until(/\nName: Prices 💶[^\n]*$/);
  picker.press("ctrl+u");
  picker.press("enter");
  await picker.until(/\nname removed[^\n]*$/);
  expect(added(prices.path, before).map(({ name }) => name)).toEqual(["Prices 💶", ""]);

  await picker.until((screen) => getSelected(screen) === "Which prices end in 99?", "the title it had");
  picker.press("down");
  await picker.until(/^› Write about kettles/m);
  const unpinned = readFileSync(kettles.path);
  picker.press("alt+p");
  await picker.until(/\npinned: Write about kettles · Alt\+Z undo$/);
  expect(added(kettles.path, unpinned)).toEqual([
    expect.objectContaining({ type: "custom", customType: "pidex", data: { pinned: true } }),
  ]);
  // It is first now, and still selected.
  await picker.until(
    (screen) => getTitles(screen)[0] === "★ Write about kettles" && getCount(screen) === "1/4",
  );
  picker.press("alt+p");
  await picker.until(/\nunpinned: Write about kettles · Alt\+Z undo$/);
});

test("delete asks for confirmation, any key but y cancels, y moves the session to the trash, and undo restores it", async () => {
  const home = new TestHome();
  const { kettles } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 80, argv: ["pick", "kettles"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  const file = readFileSync(kettles.path);

  for (const key of ["z", "enter", "space", "escape", "ctrl+d", "n"]) {
    picker.press("ctrl+d");
    await picker.until(/\nMove to trash: “Write about kettles” +\[y\/N\]$/);
    picker.press(key);
    await picker.until(/\nnot deleted$/);
  }
  // More typed keys: the first one answers, and the rest go to the query.
  picker.press("ctrl+d");
  await picker.until(/\nMove to trash/);
  picker.write("zz");
  await picker.until((screen) => screen[1] === "› kettlesz");
  picker.press("backspace");
  await picker.until((screen) => screen[1] === "› kettles" && getCount(screen) === "1/1");
  expect(existsSync(kettles.path)).toBe(true);

  picker.press("ctrl+d");
  await picker.until(/\nMove to trash/);
  picker.press("y");
  await picker.until(
    (screen) =>
      getCount(screen) === "0" &&
      /^moved to trash: Write about kettles · Alt\+Z undo$/.test(screen.at(-1) ?? ""),
  );
  expect(existsSync(kettles.path)).toBe(false);
  const trash = join(home.folder, "data", "Trash");
  expect(readdirSync(join(trash, "files"))).toEqual([basename(kettles.path)]);
  expect(readFileSync(join(trash, "files", basename(kettles.path))).equals(file)).toBe(true);
  expect(picker.screen()[1]).toBe("› kettles"); // the answer did not go to the query

  picker.press("alt+z");
  await picker.until(
    (screen) =>
      getSelected(screen) === "Write about kettles" &&
      /^restored: Write about kettles$/.test(screen.at(-1) ?? ""),
  );
  expect(readFileSync(kettles.path).equals(file)).toBe(true);
  expect(readdirSync(join(trash, "files"))).toEqual([]);
  picker.press("alt+z");
  await picker.until(/\nnothing to undo; Alt\+Shift\+Z lists deleted sessions$/);
});

test("an undo right after the confirmation waits for the deletion", async () => {
  const home = new TestHome();
  const { kettles } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 120 });
  await picker.until((screen) => getSelected(screen) === "Which prices end in 99?");
  picker.write("kettles");
  await picker.until((screen) => getSelected(screen) === "Write about kettles");
  picker.press("ctrl+d");
  await picker.until(/\nMove to trash/);
  picker.press("y", "alt+z");
  await picker.until(/\nrestored: Write about kettles$/);
  expect(existsSync(kettles.path)).toBe(true);
});

test("keys typed right after a query act on its results, one after the other", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.write("tax\t\t"); // Tab twice
  await picker.until(/2 marked/);
  picker.write("\x15which\x18\x1bz"); // Ctrl+U, Ctrl+X, Alt+Z
  await picker.until(/\n2 sessions unarchived/); // those that are marked
});

test("undo restores deleted sessions, last first, and overwrites nothing", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 120 });
  for (const title of ["Which prices end in 99?", "Write about kettles"]) {
    await picker.until((screen) => getSelected(screen) === title, title);
    picker.press("ctrl+d");
    await picker.until(/\nMove to trash/);
    picker.press("y");
    await picker.until(
      (screen) => /^moved to trash/.test(screen.at(-1) ?? "") && getSelected(screen) !== title,
    );
  }
  writeFileSync(kettles.path, "in the way");
  picker.press("alt+z");
  await picker.until(/\nfile already exists:/);
  expect(readFileSync(kettles.path, "utf8")).toBe("in the way");
  rmSync(kettles.path);
  picker.press("alt+z");
  await picker.until((screen) => getSelected(screen) === "Write about kettles");
  picker.press("alt+z");
  await picker.until((screen) => getSelected(screen) === "Which prices end in 99?");
  expect([existsSync(kettles.path), existsSync(prices.path)]).toEqual([true, true]);
});

test("undo gives a session its earlier name, and a message has the name of now", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.press("alt+z");
  await picker.until(/\nnothing to undo[^\n]*$/);
  picker.press("alt+p");
  await picker.until(/\npinned: Which prices end in 99\? · Alt\+Z undo$/);
  picker.press("ctrl+r");
  await picker.until(/\nName:$/);
  picker.write("Prices");
  picker.press("enter");
  await picker.until(/\nrenamed to Prices · Alt\+Z undo$/);
  picker.press("alt+z");
  await picker.until(/\nrenamed back: Which prices end in 99\?$/);
  await picker.until((screen) => getSelected(screen) === "★ Which prices end in 99?");

  SessionManager.open(prices.path).setName("Renamed elsewhere");
  await picker.until((screen) => getSelected(screen) === "★ Renamed elsewhere");
  picker.press("alt+z");
  await picker.until(/\nunpinned: Renamed elsewhere$/);

  // A name that is not changed is nothing to undo.
  picker.press("ctrl+r");
  await picker.until(/\nName: Renamed elsewhere$/);
  picker.press("enter");
  await picker.until(/\nname unchanged$/);
  picker.press("alt+z");
  await picker.until(/\nnothing to undo[^\n]*$/);
});

test("sessions in the trash are listed, and one is restored", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const before = readFileSync(kettles.path);
  const deleting = await openPicker(home, { cols: 90, argv: ["pick", "--all"] });
  deleting.press("ctrl+d", "y");
  await deleting.until(/\nmoved to trash: Which prices/);
  await deleting.until(
    (screen) => getSelected(screen) === "Write about kettles" && getCount(screen) === "1/3",
  );
  deleting.press("ctrl+d", "y");
  await deleting.until(/\nmoved to trash: Write about kettles/);

  const picker = await openPicker(home, { cols: 90, argv: ["pick", "--all"] });
  picker.press("alt+shift+z");
  const trashed = await picker.until(/^ {2}Which prices end in 99\?/m);
  expect(trashed.slice(2, 5)).toEqual([
    expect.stringMatching(/^── restore from the trash, last deleted first ─/),
    expect.stringMatching(/^› Write about kettles +blog · (now|1m ago)$/),
    expect.stringMatching(/^ {2}Which prices end in 99\? +shop · (now|1m ago)$/),
  ]);
  picker.press("escape");
  await picker.until((screen) => screen[1] === "›", "the list");
  picker.write("\x1bZblog"); // typed before the trash is read
  await picker.until(
    (screen) => screen[1] === ": blog" && !screen.join().includes("Which prices"),
    "kettles",
  );
  await picker.until(/^› Write about kettles/m);
  picker.press("enter");
  await picker.until(/\nrestored: Write about kettles$/);
  await picker.until((screen) => getSelected(screen) === "Write about kettles");
  expect(readFileSync(kettles.path).equals(before)).toBe(true);
  expect(existsSync(prices.path)).toBe(false);

  picker.press("ctrl+k");
  picker.write("trash");
  await picker.until(/^ {2}restore a session from the trash +Alt\+Shift\+Z$/m);
  picker.press("down", "enter");
  await picker.until(/^› Which prices end in 99\?/m);
  picker.press("enter");
  await picker.until(/\nrestored: Which prices end in 99\?$/);
  picker.press("alt+shift+z");
  await picker.until(/\nno sessions in the trash$/);

  // A deletion of which one session was restored from the trash is undone for the others.
  picker.press("ctrl+home", "tab", "tab", "ctrl+d", "y");
  await picker.until(/\n2 sessions moved to trash/);
  picker.write("\x1bZblog"); // deleted within the same millisecond, either may be first
  await picker.until(
    (screen) => screen[1] === ": blog" && !screen.join().includes("Which prices"),
    "kettles",
  );
  await picker.until(/^› Write about kettles/m);
  picker.press("enter");
  await picker.until(/\nrestored: Write about kettles$/);
  await picker.until((screen) => getCount(screen).endsWith("/3"));
  picker.press("alt+z");
  await picker.until(/\nrestored: Which prices end in 99\?$/);
  await picker.until((screen) => getCount(screen).endsWith("/4"));
  picker.press("alt+z");
  await picker.until(/\nnothing to undo/);
});

test("keys typed right after a change act on the list that shows it, and on the row that was selected", async () => {
  const home = new TestHome();
  const { prices, kettles, checkout } = writeSampleSessions(home);
  const before = readFileSync(kettles.path);
  const picker = await openPicker(home, { cols: 90 });
  picker.press("ctrl+x");
  await picker.until(/\narchived: Which prices/);
  picker.write("\x1bz\x12Found\r"); // Alt+Z, Ctrl+R: the list shows the first session again, above the selected one
  await picker.until(/\nrenamed to Found/);
  expect(added(kettles.path, before).map(({ name }) => name)).toContain("Found");
  await picker.until((screen) => getSelected(screen) === "Found");
  expect(getTitles(picker.screen())[0]).toBe("Which prices end in 99?");
  picker.write("\x18\x18"); // Ctrl+X twice
  await picker.until(/\narchived: Checkout tax/);
  await picker.until((screen) => getCount(screen).endsWith("/2"));
  expect([prices, kettles, checkout].every(({ path }) => existsSync(path))).toBe(true);
});

test("keys typed right after the key that opens a prompt go to the prompt", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  const before = readFileSync(prices.path);
  picker.write("\x12Prices\r"); // Ctrl+R, and on
  await picker.until(/\nrenamed to Prices[^\n]*$/);
  expect(added(prices.path, before).map(({ name }) => name)).toEqual(["Prices"]);
  expect(picker.screen()[1]).toBe("›");
});

test("labels go to the entry of a hit, of the tree, or the last message, and the tree shows them", async () => {
  const home = new TestHome();
  const { checkout } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "rounded"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  const before = readFileSync(checkout.path);

  picker.press("ctrl+l");
  // The prompt is cut to half of the line, but keeps its closing quotation mark.
  await picker.until(/\nLabel for “It is \*\*rounded\*\* twice at che…”:$/);
  expect(picker.cell(23, 44)).toMatchObject({ text: " ", bold: true });
  picker.write("the cause");
  picker.press("enter");
  await picker.until(/\nlabeled the cause[^\n]*$/);
  const hit = checkout.session.entries.findLast(({ type }) => type === "message")?.id;
  expect(added(checkout.path, before)).toEqual([
    expect.objectContaining({ type: "label", targetId: hit, label: "the cause" }),
  ]);
  await picker.until(/^› Checkout tax {2}⚑1/m);

  picker.press("ctrl+t");
  const tree = await picker.until(/assistant +● \[the cause\] It is \*\*rounded\*\* twice at checkout\./);
  expect(tree[2]).toMatch(/^── Checkout tax/);
  picker.press("g");
  await picker.until(/^› user +•/m);
  picker.press("shift+l");
  await picker.until(/\nLabel for “Why is the tax added twice\?”:$/);
  picker.write("start");
  picker.press("enter");
  await picker.until(/^› user +• \[start\] Why is the tax added twice\?/m);
  expect(added(checkout.path, before).at(-1)).toMatchObject({
    type: "label",
    targetId: checkout.session.entries[0]?.id,
    label: "start",
  });

  // The prompt contains the current label; an empty one removes it.
  picker.press("ctrl+l");
  await picker.until(/: start[^\n]*$/);
  picker.press("ctrl+u");
  picker.press("enter");
  await picker.until(/\nlabel removed[^\n]*$/);
  await picker.until(/^› user +• Why/m);
  expect(added(checkout.path, before)).toHaveLength(3);
  expect(added(checkout.path, before).at(-1)).not.toHaveProperty("label");
});

test("on a narrow terminal a prompt keeps its end", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 40, argv: ["pick", "rounded"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  picker.press("ctrl+l");
  await picker.until(/\nLabel for “[^\n]*…”:$/);
  picker.write("x".repeat(60));
  await picker.until(/\nLabel for “[^\n]*…”: x{12,}$/);
  expect(picker.screen().at(-1)?.length).toBeLessThanOrEqual(40);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  picker.press("ctrl+d");
  // The keys are shown, however long the title is.
  await picker.until(/\nMove to trash: [^\n]*\[y\/N\]$/);
});

test("the resume command is copied with a program, or through the terminal", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const command = `cd ${home.project("shop")} && pi --session ${prices.path}`;
  home.program("xclip", `cat > "$HOME/clipboard"`);
  const there = await openPicker(home, { env: { DISPLAY: ":0" }, cols: 90 });
  there.press("ctrl+y");
  await there.until(/\ncopied: cd [^\n]*$/);
  expect(readFileSync(join(home.folder, "clipboard"), "utf8")).toBe(command);

  const far = await openPicker(home, { env: { DISPLAY: ":0", SSH_CONNECTION: "x" }, cols: 90 });
  far.press("ctrl+v");
  await far.until(/\nEsc back[^\n]*$/);
  far.press("ctrl+y");
  await far.until(/\ncopied: cd [^\n]*$/);
  expect(far.bytes()).toContain(`\x1b]52;c;${Buffer.from(command).toString("base64")}\x07`);
  expect(lastLine(far)).toMatch(/^copied/);
});

test("a change that another process makes and indexes is shown", async () => {
  const home = new TestHome();
  const { checkout } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  expect(picker.screen().join("\n")).not.toContain("★");
  SessionManager.open(checkout.path).setPinned(true);
  await buildIndex(home); // its own sync then finds the file indexed
  await picker.until(/★ Checkout tax/);
});
