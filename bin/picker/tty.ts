/** Opens the terminal to draw on, even if stdin or stdout are redirected. */
import { openSync } from "node:fs";
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
  const restore: (() => void)[] = [];
  const giveBack = () => {
    for (const each of restore) each();
  };
  try {
    if (!process.stdin.isTTY) restore.push(replace("stdin", new tty.ReadStream(openSync(TERMINAL, "r"))));
    if (!process.stdout.isTTY) restore.push(replace("stdout", new tty.WriteStream(openSync(TERMINAL, "w"))));
    return giveBack;
  } catch (cause) {
    giveBack();
    throw new PidexError("BAD_OPTION", "the picker needs a terminal", HINT, { cause });
  }
}

/** Replaces a stream of the process. @returns a function that restores it */
function replace(name: "stdin" | "stdout", stream: tty.ReadStream | tty.WriteStream): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => {
    if (before) Object.defineProperty(process, name, before);
    stream.destroy();
  };
}
