/** Undo of labels and moves, and changes that cannot be undone. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { SessionManager } from "../../../../library/index.ts";
import { getCount, getSelected, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

const reopen = (path: string) => SessionManager.open(path, { readOnly: true });

test("undo restores the label before, in the tree too", async () => {
  const home = new TestHome();
  const { checkout } = writeSampleSessions(home);
  const hit = checkout.session.entries.findLast(({ type }) => type === "message")?.id as string;
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "rounded"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  picker.press("alt+p");
  await picker.until(/\npinned: Checkout tax · Alt\+Z undo$/);
  picker.press("ctrl+l");
  await picker.until(/\nLabel for /);
  picker.write("the cause");
  picker.press("enter");
  await picker.until(/\nlabeled the cause · Alt\+Z undo$/);
  picker.press("ctrl+t");
  await picker.until("[the cause]");
  picker.press("shift+l");
  await picker.until(/: the cause$/);
  picker.press("ctrl+u", "enter");
  await picker.until(/\nlabel removed · Alt\+Z undo$/);
  picker.press("alt+z");
  await picker.until(/\nlabeled as before: Checkout tax$/);
  expect(reopen(checkout.path).getLabel(hit)).toBe("the cause");
  await picker.until("[the cause]");
  picker.press("escape");
  await picker.until(
    (screen) => getCount(screen) === "1/1" && /^› ★ Checkout tax {2}⚑1/m.test(screen.join("\n")),
  );
  picker.press("alt+z");
  await picker.until(/\nlabeled as before: Checkout tax$/);
  expect(reopen(checkout.path).getLabel(hit)).toBeUndefined();
  picker.press("alt+z");
  await picker.until(/\nunpinned: Checkout tax$/);
});

test("undo moves a session back, also if its folder is gone, and the reader of the moved file closes", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const before = readFileSync(prices.path, "utf8");
  const picker = await openPicker(home, { cols: 90 });
  rmSync(prices.session.cwd, { recursive: true });
  home.project("renamed");
  picker.press("ctrl+v");
  await picker.until("Esc back   /");
  picker.press("alt+m");
  await picker.until(/\nFolder: /);
  picker.press("ctrl+u");
  picker.write("~/renamed");
  picker.press("enter");
  await picker.until(/\nmoved to \S+\/renamed · Alt\+Z undo$/);
  await picker.until(/^› .* renamed /m);
  expect(existsSync(prices.path)).toBe(false);
  picker.press("ctrl+v");
  await picker.until("Esc back   /");
  picker.press("alt+z");
  await picker.until(/\nmoved back: Which prices end in 99\?$/);
  await picker.until(/^› Which prices.* shop /m);
  expect(readFileSync(prices.path, "utf8")).toBe(before);
});

test("the reader archives and deletes its session, and closes when it is deleted", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.press("ctrl+v");
  await picker.until("Esc back   /");
  picker.press("ctrl+x");
  await picker.until(/\narchived: Which prices end in 99\? · Alt\+Z undo$/);
  picker.press("ctrl+d");
  await picker.until(/\nMove to trash: “Which prices end in 99\?” +\[y\/N\]$/);
  picker.press("y");
  await picker.until(/\nmoved to trash: Which prices end in 99\? · Alt\+Z undo$/);
  await picker.until((screen) => getCount(screen) === "1/3" && screen[1] === "›");
  expect(existsSync(prices.path)).toBe(false);
  picker.press("alt+z");
  await picker.until(/\nrestored: Which prices end in 99\?$/);
  picker.press("alt+z");
  await picker.until((screen) => getCount(screen).endsWith("/4"));
  expect(reopen(prices.path).getArchived()).toBe(false);
});

test("undo refuses to undo an edit, once, instead of the change before it", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  home.program("changing", `sed -i s/99/42/ "$1"`);
  home.program("looking", "exit 0");
  const picker = await openPicker(home, { cols: 90, env: { EDITOR: "changing" } });
  picker.press("alt+p");
  await picker.until(/\npinned: Which prices/);
  picker.press("alt+v");
  await picker.until(/\nclosed changing/);
  await picker.until((screen) => getSelected(screen) === "★ Which prices end in 42?");
  picker.press("alt+z");
  await picker.until(/\npidex can't undo edits made in changing · Alt\+Z undo the change before$/);
  expect(reopen(prices.path).getPinned()).toBe(true);
  picker.press("alt+z");
  await picker.until(/\nunpinned: Which prices/);

  const other = await openPicker(home, { cols: 90, env: { EDITOR: "looking" } });
  other.press("alt+v");
  await other.until(/\nclosed looking/);
  other.press("alt+z");
  await other.until(/\nnothing to undo/);
});
