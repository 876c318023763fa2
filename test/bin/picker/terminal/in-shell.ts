/** The picker, started from a shell. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openTerminal, type TestTerminal } from "../../../terminal.ts";
import { buildIndex, type TestHome } from "./open-picker.ts";

/** A shell that runs the picker and prints the terminal's state and the exit code afterwards. Runs until the test ends. */
export async function openInShell(
  home: TestHome,
  command: string,
  {
    env = {},
    ready = /Enter (?:resume|select)/,
    indexed = false,
  }: { env?: NodeJS.ProcessEnv; ready?: string | RegExp; indexed?: boolean } = {},
) {
  if (!indexed) await buildIndex(home);
  const terminal = await openTerminal({
    argv: [
      "bash",
      "--norc",
      "-c",
      `stty -a > before; ${command}; code=$?; stty -a > after; echo "left with $code"; read -r line; echo "read $line"; read -r line`,
    ],
    env: { ...home.env, ...env },
    cwd: home.folder,
    cols: 90,
  });
  await terminal.until(ready);
  return terminal;
}

/** Asserts that the terminal is restored: screen, cursor, keyboard, and the kernel's tty settings. */
export async function expectRestored(terminal: TestTerminal, home: TestHome, code: number): Promise<void> {
  await terminal.until(`left with ${code}`);
  expect(terminal.isAlternate()).toBe(false);
  expect(terminal.cursorVisible).toBe(true);
  expect(terminal.modes.bracketedPasteMode).toBe(false);
  expect(terminal.modes.wraparoundMode).toBe(true);
  expect(terminal.modes.mouseTrackingMode).toBe("none");
  const bytes = terminal.bytes();
  expect(bytes.lastIndexOf("\x1b[<u")).toBeGreaterThanOrEqual(bytes.lastIndexOf("\x1b[>7u")); // kitty's keyboard protocol
  terminal.write("echoed\r");
  await terminal.until("read echoed");
  expect(terminal.screen().join("\n")).toMatch(/^echoed\nread echoed/m);
  expect(readFileSync(join(home.folder, "after"), "utf8")).toBe(
    readFileSync(join(home.folder, "before"), "utf8"),
  );
}
