/** The terminal that the picker is drawn on, wherever the answer goes. */
import { closeSync, openSync } from "node:fs";
import tty from "node:tty";
import { PidexError } from "../../library/index.ts";

const TERMINAL = "/dev/tty";
const HINT = "Run it in a terminal; scripts have pidex list and pidex search.";

/**
 * Makes the process's streams those of its terminal, where they are not: in `cd "$(pidex pick --print cwd)"` what is written
 * to stdout is the shell's. pi-tui knows no others.
 *
 * @returns puts them back
 * @throws PidexError `BAD_OPTION` where there is no terminal, or one that can only write line after line
 */
export function takeTerminal({ TERM }: NodeJS.ProcessEnv): () => void {
  if (TERM === "dumb") {
    const message =
      "the picker needs a terminal that can be drawn on, and TERM=dumb says that this one cannot";
    throw new PidexError("BAD_OPTION", message, HINT);
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
    throw new PidexError("BAD_OPTION", "the picker needs a terminal, and there is none", HINT, { cause });
  }
}
