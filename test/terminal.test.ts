import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./temporary.ts";
import { foreignSequences, openTerminal } from "./terminal.ts";

/** A few lines of JavaScript that receive keys unbuffered. */
const program = (code: string) =>
  openTerminal({
    argv: [
      process.execPath,
      "-e",
      `process.stdin.setRawMode(true); process.stdin.setEncoding("utf8");${code}`,
    ],
  });

/** Prints its input in hexadecimal. */
const ECHO = `
process.stdin.on("data", (data) => console.log("got " + Buffer.from(data).toString("hex")));
console.log("ready");`;

test("a program has a terminal of the requested size, and is notified of changes", async () => {
  const terminal = await openTerminal({
    argv: ["sh", "-c", "stty size; read x; stty size"],
    cols: 40,
    rows: 10,
  });
  await terminal.until("10 40");
  terminal.resize(100, 30);
  terminal.press("enter");
  await terminal.until("30 100");
  expect(terminal.screen()).toHaveLength(30);
  expect(await terminal.exit).toEqual({ code: 0 });
});

test("the environment and working directory are passed on", async () => {
  const folder = temporaryFolder();
  const argv = ["sh", "-c", 'echo "$TERM,$PIDEX_GIVEN,$HOME,"; pwd -P; exit 3'] as const;
  const terminal = await openTerminal({ argv, env: { PIDEX_GIVEN: "x" }, cwd: folder, cols: 200 });
  expect(await terminal.exit).toEqual({ code: 3 });
  expect(terminal.screen().slice(0, 2)).toEqual(["xterm-256color,x,,", folder]);
});

test("keys arrive as a terminal sends them", async () => {
  const terminal = await program(ECHO);
  await terminal.until("ready");
  const keys: [string, string][] = [
    ["enter", "0d"],
    ["tab", "09"],
    ["shift+tab", "1b5b5a"],
    ["up", "1b5b41"],
    ["shift+down", "1b5b313b3242"],
    ["pageDown", "1b5b367e"],
    ["ctrl+home", "1b5b313b3548"],
    ["ctrl+s", "13"],
    ["alt+n", "1b6e"],
    ["alt+shift+n", "1b4e"],
    ["shift+n", "4e"],
    ["backspace", "7f"],
    ["?", "3f"],
    ["é", "c3a9"],
    ["escape", "1b"],
  ];
  for (const [key, hex] of keys) {
    terminal.press(key);
    await terminal.until(new RegExp(`^got ${hex}$`, "m"));
  }
  terminal.write("two words");
  await terminal.until(Buffer.from("two words").toString("hex"));
});

test("a key without terminal bytes is an error in the test", async () => {
  const terminal = await program(ECHO);
  for (const key of ["ctlr+s", "ctrl+shift+s", "hyper+x", "ctrl+,", "nonsense"]) {
    expect(() => terminal.press(key)).toThrow(key);
  }
  expect(() => terminal.press("escape", "n")).toThrow("escape");
});

test("a test can wait for a text, a pattern over rows, or a function's result", async () => {
  const terminal = await openTerminal({ argv: ["printf", "one\\ntwo  \\nthree"] });
  expect(await terminal.until("two")).toBeInstanceOf(Array);
  await terminal.until(/one\ntwo\nthree/);
  await terminal.until((screen) => screen.indexOf("three") === 2);
});

test("a program that exits too early fails the test with its screen", async () => {
  const terminal = await openTerminal({ argv: ["echo", "something else"] });
  await expect(terminal.until("a row", "the first row")).rejects.toThrow(
    /waiting for the first row.*\n {2}\| something else/,
  );
});

test("a screen is not read within a frame", async () => {
  // The program writes the second half once the first is on the screen.
  const terminal = await program(`
    process.stdin.once("data", () => process.stdout.write(" and half\\x1b[?2026l"));
    process.stdout.write("\\x1b[?2026hhalf\\x1b[c");`);
  expect((await terminal.until("half"))[0]).toBe("half and half");
});

test("modes, the cursor and the alternate screen are available", async () => {
  const terminal = await program(`
    process.stdout.write("before\\x1b[?1049h\\x1b[?2004h\\x1b[?25l\\x1b[2;5Hinside");
    process.stdin.once("data", () => { process.stdout.write("\\x1b[?25h\\x1b[?2004l\\x1b[?1049l"); process.exit(); });`);
  await terminal.until("inside");
  expect(terminal.isAlternate()).toBe(true);
  expect(terminal.cursorVisible).toBe(false);
  expect(terminal.modes.bracketedPasteMode).toBe(true);
  expect(terminal.cursor).toEqual({ row: 1, col: 10 });
  terminal.press("q");
  await terminal.exit;
  expect(terminal.isAlternate()).toBe(false);
  expect(terminal.cursorVisible).toBe(true);
  expect(terminal.modes.bracketedPasteMode).toBe(false);
  expect(terminal.screen()[0]).toBe("before");
  expect(terminal.bytes()).toContain("\x1b[?1049h");
});

test("a cell of the screen has its style", async () => {
  const terminal = await openTerminal({ argv: ["printf", "\\033[1;31ma\\033[0m\\344\\270\\255\\033[7mb"] });
  await terminal.exit;
  expect(terminal.cell(0, 0)).toMatchObject({ text: "a", bold: true, inverse: false, foreground: 1 });
  expect(terminal.cell(0, 1)).toMatchObject({ text: "中", columns: 2, bold: false });
  expect(terminal.cell(0, 1)).not.toHaveProperty("foreground");
  expect(terminal.cell(0, 3)).toMatchObject({ text: "b", inverse: true });
  expect(() => terminal.cell(99, 0)).toThrow(RangeError);
});

test("a terminal replies to a program's queries", async () => {
  const terminal = await program(`${ECHO} process.stdout.write("\\x1b[c");`);
  await terminal.until(/got 1b5b3f/); // CSI ?
});

test("a signal ends a program and is reported", async () => {
  const terminal = await program(ECHO);
  await terminal.until("ready");
  terminal.kill("SIGTERM");
  expect(await terminal.exit).toEqual({ code: 0, signal: 15 });
});

test("a program that still runs is killed on dispose", async () => {
  const terminal = await program(ECHO);
  await terminal.until("ready");
  await terminal[Symbol.asyncDispose]();
  expect(spawnSync("kill", ["-0", String(terminal.pid)]).status).not.toBe(0);
});

describe("sequences that pi-tui does not write", () => {
  test.each([
    "plain, with é, 中 and 👩‍💻\r\n",
    "\x1b[1;31mred\x1b[0m\x1b[38;2;1;2;3m\x1b[4:3m",
    "\x1b[2J\x1b[H\x1b[12;40H\x1b[K\x1b[2K\x1b[3A\x1b[G",
    "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h\x1b[?2026h\x1b[?2026l\x1b[?2031h",
    "\x1b[>7u\x1b[?u\x1b[c\x1b[<u\x1b[>4;2m\x1b[>4;0m\x1b[16t",
    "\x1b]8;;\x07\x1b]8;;\x1b\\",
  ])("%j has none", (bytes) => {
    expect(foreignSequences(bytes)).toEqual([]);
  });

  test.each([
    ["\x1b]52;c;aGk=\x07"],
    ["\x1b]8;;https://example.org\x1b\\"],
    ["\x1b]8;id=1;\x07"],
    ["\x1b]0;title\x07"],
    ["\x1b]0;never ended"],
    ["\x1bP1$r0m\x1b\\"],
    ["\x1b_pi:c\x07"],
    ["\x1b[?1003h"],
    ["\x1b[?25;1000h"],
    ["\x1b[21t"],
    ["\x1b[6n"],
    ["\x1bc"],
    ["\x1b(0"],
    ["\x1b"],
    ["\0"],
    ["\x07"],
    ["\t"],
    ["\x7f"],
    ["\x9b"],
    ["\x85"],
    ["\u202e"],
    ["\u2066"],
    ["\u200f"],
  ])("%j is one", (bytes) => {
    expect(foreignSequences(`before ${bytes}`)).toEqual([bytes]);
  });

  test("they are found among pi-tui's sequences", () => {
    expect(foreignSequences("\x1b[1mA\x1b[0m\x1b]52;c;aGk=\x07B\x1b]8;;\x07\u202eC")).toEqual([
      "\x1b]52;c;aGk=\x07",
      "\u202e",
    ]);
  });
});
