/** Opens the terminal to draw on, even if stdin or stdout are redirected. */
import { closeSync, openSync } from "node:fs";
import tty from "node:tty";
import { PidexError } from "../../library/index.ts";

const TERMINAL = "/dev/tty";
const HINT = "Run it in a terminal. In scripts, use pidex list or pidex search.";

/**
 * Replaces redirected stdin and stdout with the terminal, because pi-tui always uses these: in `cd "$(pidex pick --print cwd)"`, stdout is
 * captured by the shell.
 *
 * @returns a function that restores them
 * @throws PidexError `BAD_OPTION` if there is no terminal, or if it cannot position the cursor
 */
export function openTerminal({ TERM }: NodeJS.ProcessEnv): () => void {
  if (TERM === "dumb") {
    throw new PidexError("BAD_OPTION", "the picker does not work with TERM=dumb", HINT);
  }
  if (process.stdin.isTTY && process.stdout.isTTY) return () => {};
  const fds: number[] = [];
  const open = (flags: string) => {
    const fd = openSync(TERMINAL, flags);
    fds.push(fd);
    return fd;
  };
  const before = ["stdin", "stdout"].map((name) => Object.getOwnPropertyDescriptor(process, name));
  try {
    const ownIn = process.stdin.isTTY ? undefined : new tty.ReadStream(open("r"));
    const ownOut = process.stdout.isTTY ? undefined : new tty.WriteStream(open("w"));
    if (ownIn) Object.defineProperty(process, "stdin", { value: ownIn, configurable: true });
    if (ownOut) Object.defineProperty(process, "stdout", { value: ownOut, configurable: true });
    return () => {
      ["stdin", "stdout"].forEach((name, n) => {
        const own = before[n];
        if (own) Object.defineProperty(process, name, own);
      });
      ownIn?.destroy();
      ownOut?.destroy();
    };
  } catch (cause) {
    for (const fd of fds) closeSync(fd);
    throw new PidexError("BAD_OPTION", "the picker needs a terminal", HINT, { cause });
  }
}
