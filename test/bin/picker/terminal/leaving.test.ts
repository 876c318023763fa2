import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { acquireLock } from "../../../../src/store/sqlite/lock.ts";
import { toKeyBytes } from "../../../key-bytes.ts";
import { openTerminal } from "../../../terminal.ts";
import { expectRestored, openInShell } from "./in-shell.ts";
import { buildIndex, getCount, PIDEX, SHELL_PIDEX, TestHome, writeSampleSessions } from "./open-picker.ts";

/** The id of the picker's process. */
const TELLING_PID = `bash -c 'echo $$ > pid; exec ${SHELL_PIDEX.replaceAll("'", "")}'`;

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
] as const) {
  test(`${signal} restores the terminal and exits with ${code}`, async () => {
    const home = new TestHome();
    writeSampleSessions(home);
    const terminal = await openInShell(home, TELLING_PID);
    expect(terminal.isAlternate()).toBe(true);
    process.kill(Number(readFileSync(join(home.folder, "pid"), "utf8")), signal);
    await expectRestored(terminal, home, code);
  });
}

test("so do Escape and Ctrl+C, in every mode", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const escaped = await openInShell(home, SHELL_PIDEX);
  escaped.press("escape");
  await expectRestored(escaped, home, 130);

  // After a change, Esc hides its message first.
  const changed = await openInShell(home, SHELL_PIDEX);
  changed.press("alt+p");
  await changed.until(/\npinned: [^\n]*$/);
  changed.press("escape");
  await changed.until("Enter resume");
  changed.press("escape");
  await expectRestored(changed, home, 130);

  const cancelled = await openInShell(home, SHELL_PIDEX);
  cancelled.press("ctrl+t");
  await cancelled.until("Esc back");
  cancelled.press("ctrl+c");
  await expectRestored(cancelled, home, 130);
});

test.each([
  { where: "before a question is there, which is looked up yet", keys: ["ctrl+r"] },
  { where: "from a question", keys: ["ctrl+r"], until: "Name:" },
  { where: "from the question whether to delete", keys: ["ctrl+d"], until: "Move to trash" },
  { where: "from the help", keys: ["f1"], until: "Keys in the list" },
])("so does Ctrl+C $where", async ({ keys, until }) => {
  const home = new TestHome();
  writeSampleSessions(home);
  const terminal = await openInShell(home, SHELL_PIDEX);
  const pressed = keys.map((key) => toKeyBytes(key)).join("");
  if (until === undefined)
    terminal.write(`${pressed}\x03`); // immediately, before the response can arrive
  else {
    terminal.write(pressed);
    await terminal.until(until);
    terminal.press("ctrl+c");
  }
  await expectRestored(terminal, home, 130);
});

test("so does Ctrl+C before the first list; other keys are buffered for the list", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  await buildIndex(home);
  const db = home.env.PIDEX_DB as string;
  const held = await acquireLock(db, "replace", { timeoutMs: 10_000 }); // no process can open the database meanwhile
  onTestFinished(() => held?.release());
  const left = await openInShell(home, SHELL_PIDEX, { ready: /^›/m, indexed: true });
  left.write("kett");
  left.press("ctrl+c");
  await left.until("left with 130");
  expect(left.isAlternate()).toBe(false);
  expect(left.cursorVisible).toBe(true);
  left.write("echoed\r");
  await left.until("read echoed");
  expect(readFileSync(join(home.folder, "after"), "utf8")).toBe(
    readFileSync(join(home.folder, "before"), "utf8"),
  );

  const kept = await openInShell(home, SHELL_PIDEX, { ready: /^›/m, indexed: true });
  kept.write("kett");
  held?.release();
  await kept.until((screen) => screen[1] === "› kett" && /Write about kettles/.test(screen.join()));
  kept.press("ctrl+c");
  await expectRestored(kept, home, 130);
});

test("so does Ctrl+C while another program holds an exclusive lock on the index", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  await buildIndex(home);
  const other = new SQLite(home.env.PIDEX_DB as string);
  onTestFinished(() => void other.close());
  other.pragma("journal_mode = DELETE");
  other.exec("BEGIN EXCLUSIVE");
  const terminal = await openInShell(home, SHELL_PIDEX, { ready: /^›/m, indexed: true });
  terminal.press("ctrl+c");
  await expectRestored(terminal, home, 130);
});

test("the terminal is restored if the index cannot be opened, and an error is printed", async () => {
  const home = new TestHome();
  const command = `PIDEX_DB=/dev/null/no ${SHELL_PIDEX}`;
  const terminal = await openInShell(home, command, { ready: /left with [1-9]/ });
  expect(terminal.screen().join("\n")).toMatch(/^pidex: /m);
  await expectRestored(terminal, home, Number(/left with (\d+)/.exec(terminal.screen().join("\n"))?.[1]));
});

test("Ctrl+Z suspends it, and fg redraws it unchanged", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  await buildIndex(home);
  const shell = await openTerminal({
    argv: ["bash", "--norc", "-i"],
    env: { ...home.env, PS1: "prompt> " },
    cwd: home.folder,
    cols: 90,
  });
  await shell.until("prompt>");
  shell.write(`${SHELL_PIDEX}; echo "left with $?"\r`);
  await shell.until("Enter resume");
  shell.write("tax");
  await shell.until((screen) => screen[1] === "› tax" && getCount(screen) === "1/3");
  shell.write("\x1a");
  await shell.until("Stopped");
  expect(shell.isAlternate()).toBe(false);
  expect(shell.cursorVisible).toBe(true);
  shell.write("echo I am $((6 * 7))\r");
  await shell.until("I am 42");
  shell.write("fg\r");
  await shell.until((screen) => screen[1] === "› tax" && /Checkout tax/.test(screen.join()));
  expect(shell.isAlternate()).toBe(true);
  shell.press("backspace");
  await shell.until((screen) => screen[1] === "› ta");
  shell.press("escape"); // clears the query
  await shell.until((screen) => screen[1] === "›");
  shell.press("escape");
  await shell.until("prompt>");
  expect(shell.isAlternate()).toBe(false);
});

test("without a terminal it fails with exit code 2", () => {
  const home = new TestHome();
  const { status, stderr, stdout } = spawnSync(
    "setsid",
    ["-w", process.execPath, PIDEX, "pick", "--print", "path"],
    {
      env: home.env,
      input: "",
      encoding: "utf8",
    },
  );
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^pidex: the picker needs a terminal\n/);
  const alone = spawnSync(process.execPath, [PIDEX], { env: home.env, input: "", encoding: "utf8" });
  expect(alone.stdout + alone.stderr).toContain("Usage: pidex");
  expect(existsSync(home.env.PIDEX_DB as string)).toBe(false);
});
