import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { SessionManager } from "../../../../library/index.ts";
import { acquireLock } from "../../../../src/store/sqlite/lock.ts";
import type { TestTerminal } from "../../../terminal.ts";
import { expectRestored, openInShell } from "./in-shell.ts";
import {
  getCount,
  isSettled,
  openPicker,
  SHELL_PIDEX,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

const reopen = (path: string) => SessionManager.open(path, { readOnly: true });

/** Marks the first two sessions. */
async function markTwo(picker: TestTerminal): Promise<void> {
  picker.press("tab", "tab");
  await picker.until(/^pidex .* 2 marked /);
}

test("Tab marks sessions and goes on; actions on several apply to the marked ones", async () => {
  const home = new TestHome();
  const { kettles, prices, checkout } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 100 });
  await markTwo(picker);
  expect(picker.screen().slice(3, 6)).toEqual([
    expect.stringMatching(/^ ✓ Which prices/),
    expect.stringMatching(/^ ✓ Write about/),
    expect.stringMatching(/^› {2}Checkout/),
  ]);
  expect(picker.screen().at(-1)).toMatch(/^Ctrl\+X archive {3}/);
  // Marks stay while the query changes, and the selected session is not among them.
  picker.write("zebra");
  await picker.until((screen) => getCount(screen) === "1/1" && /2 marked/.test(screen[0] ?? ""));
  picker.press("alt+t");
  await picker.until(/\nAdd tags to 2 sessions:$/);
  picker.write("both");
  picker.press("enter");
  await picker.until(/\n2 sessions tagged both, still marked · Alt\+Z undo$/);
  expect([kettles, prices, checkout].map(({ path }) => reopen(path).getTags())).toEqual([
    ["both"],
    ["both"],
    [],
  ]);
  // They stay marked, and the change can be undone.
  await picker.until((screen) => /2 marked/.test(screen[0] ?? "") && isSettled(screen));
  picker.press("alt+z");
  await picker.until(/\n2 sessions tagged as before$/);
  expect([kettles, prices].map(({ path }) => reopen(path).getTags())).toEqual([[], []]);
});

test("marked sessions are archived, pinned, copied, deleted and restored together", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 100, env: { SSH_CONNECTION: "x" } });
  await markTwo(picker);
  picker.press("alt+i");
  await picker.until(/\ncopied: 2 ids$/);
  const ids = `${prices.session.id}\n${kettles.session.id}`;
  expect(picker.bytes()).toContain(`\x1b]52;c;${Buffer.from(ids).toString("base64")}\x07`);
  picker.press("alt+p");
  await picker.until(/\n2 sessions pinned, still marked · Alt\+Z undo$/);
  expect([kettles, prices].map(({ path }) => reopen(path).getPinned())).toEqual([true, true]);
  picker.press("ctrl+d");
  await picker.until(
    /\nMove 2 sessions to trash: “Which prices end in 99\?”, “Write about kettles” +\[y\/N\]$/,
  );
  picker.press("enter");
  await picker.until(/\nnot deleted$/);
  picker.press("ctrl+d");
  await picker.until(/\nMove 2 sessions to trash/);
  picker.press("y");
  await picker.until(
    (screen) =>
      getCount(screen) === "1/2" && /^2 sessions moved to trash · Alt\+Z undo/.test(screen.at(-1) ?? ""),
  );
  expect([existsSync(kettles.path), existsSync(prices.path)]).toEqual([false, false]);
  picker.press("alt+z");
  await picker.until((screen) => getCount(screen).endsWith("/4") && screen.at(-1) === "2 sessions restored");
  expect([existsSync(kettles.path), existsSync(prices.path)]).toEqual([true, true]);

  picker.press("alt+z");
  await picker.until(/\n2 sessions unpinned$/);
  expect([kettles, prices].map(({ path }) => reopen(path).getPinned())).toEqual([false, false]);

  await picker.until(isSettled);
  picker.press("ctrl+home");
  await picker.until((screen) => getCount(screen) === "1/4");
  await markTwo(picker);
  picker.press("ctrl+x");
  await picker.until(
    (screen) => getCount(screen) === "1/2" && screen.at(-1) === "2 sessions archived · Alt+Z undo",
  );
  expect(picker.screen()[0]).not.toContain("marked"); // they left the list
  expect([kettles, prices].map(({ path }) => reopen(path).getArchived())).toEqual([true, true]);
  picker.press("alt+z");
  await picker.until(
    (screen) => getCount(screen).endsWith("/4") && screen.at(-1) === "2 sessions unarchived",
  );
  expect([kettles, prices].map(({ path }) => reopen(path).getArchived())).toEqual([false, false]);
});

test("marked sessions are compressed together, and decompressed by undo", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 100 });
  await markTwo(picker);
  const files = () => [kettles, prices].map(({ path }) => [existsSync(path), existsSync(`${path}.zst`)]);
  picker.press("alt+x");
  await picker.until(/\n2 sessions compressed, [\d.]+ KB freed, still marked · Alt\+Z undo$/);
  expect(files()).toEqual([
    [false, true],
    [false, true],
  ]);
  await picker.until((screen) => screen.join("\n").match(/ compressed/g)?.length === 3);
  picker.press("alt+z");
  await picker.until(/\n2 sessions decompressed$/);
  expect(files()).toEqual([
    [true, false],
    [true, false],
  ]);
});

test("changes of one session are refused while others are marked", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 70 });
  picker.press("tab");
  await picker.until(/^pidex .* 1 marked /);
  for (const [key, name] of [
    ["ctrl+r", "rename"],
    ["ctrl+l", "label"],
    ["alt+k", "fork"],
    ["alt+m", "move"],
    ["alt+v", "edit"],
    ["alt+l", "copying an answer"],
    ["alt+c", "copying a brief"],
  ] as const) {
    picker.press(key);
    await picker.until(new RegExp(`\\n${name} applies to one session · Esc clears the marks$`));
    if (["rename", "label", "move"].includes(name)) {
      picker.write("typed"); // meant for a prompt, so it doesn't search
      picker.press("enter");
      await picker.until(/Ctrl\+X archive/);
      expect(picker.screen()[1]).not.toContain("typed");
    }
  }
  picker.press("tab", "tab", "ctrl+d");
  await picker.until(/\nMove 3 sessions to trash: “Which prices end in 99\?” and 2 more +\[y\/N\]$/);
  picker.press("n", "escape");
  await picker.until((screen) => !/marked/.test(screen[0] ?? ""));
  picker.press("ctrl+home", "tab", "up");
  await picker.until(/^›✓ Which prices/m);
  // The only marked session is the selected one.
  picker.press("ctrl+r");
  await picker.until(/\nName:$/);
  expect([kettles, prices].map(({ path }) => reopen(path).getSessionName())).toEqual([undefined, undefined]);
});

test("Escape goes back one step: marks, query, then the picker closes", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const terminal = await openInShell(home, SHELL_PIDEX);
  await terminal.until((screen) => getCount(screen) === "1/4");
  terminal.write("kettle");
  await terminal.until((screen) => getCount(screen) === "1/1");
  terminal.press("tab");
  await terminal.until(/^pidex .* 1 marked /);
  terminal.press("escape");
  await terminal.until((screen) => !/marked/.test(screen[0] ?? "") && screen[1] === "› kettle");
  terminal.press("ctrl+k");
  await terminal.until(/^── commands/m);
  terminal.press("escape");
  await terminal.until((screen) => screen[1] === "› kettle");
  // A tree that was opened from the reader leads back to it.
  terminal.press("ctrl+v");
  await terminal.until("Esc back   /");
  terminal.press("ctrl+t");
  await terminal.until("Esc back   Enter read");
  terminal.press("escape");
  await terminal.until("Esc back   /");
  terminal.press("escape");
  await terminal.until(/\nEnter resume[^\n]*$/);
  terminal.press("escape");
  await terminal.until((screen) => screen[1] === "›" && getCount(screen) === "1/4");
  terminal.press("escape");
  await expectRestored(terminal, home, 130);
});

test("--print prints every marked session", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { argv: ["pick", "--print", "path"], cols: 250 });
  await markTwo(picker);
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(picker.screen().join("\n")).toContain(prices.path);
  expect(picker.bytes()).toContain(`${prices.path}\r\n${kettles.path}\r\n`);
});

test("a change that takes long says so", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 100 });
  await markTwo(picker);
  const turn = await acquireLock(home.env.PIDEX_DB as string, "sync", { timeoutMs: 10_000 }); // the change waits for its turn to be indexed
  onTestFinished(() => turn?.release());
  picker.press("ctrl+x");
  await picker.until(/\nsaving 2 sessions…$/);
  turn?.release();
  await picker.until(/\n2 sessions archived · Alt\+Z undo$/);
});
