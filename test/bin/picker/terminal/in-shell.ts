/** The picker as a shell starts it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openTerminal, type TestTerminal } from "../../../terminal.ts";
import { type Home, index } from "./open-picker.ts";

/** A shell around the picker, which tells how the terminal is left and with which exit code. It stays until the test is over. */
export async function openInShell(
  home: Home,
  command: string,
  {
    env = {},
    ready = /Enter (?:resume|choose)/,
    indexed = false,
  }: { env?: NodeJS.ProcessEnv; ready?: string | RegExp; indexed?: boolean } = {},
) {
  if (!indexed) await index(home);
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

/** That the terminal is as it was: the screen, the cursor, the keyboard, and what the kernel does with keys. */
export async function expectAsItWas(terminal: TestTerminal, home: Home, code: number): Promise<void> {
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
