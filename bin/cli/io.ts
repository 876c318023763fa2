import { fstatSync, statSync, writeSync } from "node:fs";
import { styleText } from "node:util";

/** What is made when it is first asked for, and kept. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

type Format = Parameters<typeof styleText>[0];

/** Where a command writes, and how: the terminal, a pipe, or a test. */
export interface Io {
  /** What was asked for. Long answers wait for the promise, so that a slow reader does not fill the memory. */
  out(text: string): Promise<void> | undefined;
  /** All else: progress, notices, errors. */
  err(text: string): void;
  /** Whether answers go to a person's eyes: then they are aligned, coloured and cut to `columns`. */
  isTerminal: boolean;
  /** Whether a progress bar can be drawn on stderr. */
  showsProgress: boolean;
  columns: number;
  /** Asks a person something, and waits for a line; missing where nobody sits there. Ctrl+C and Ctrl+D say nothing. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Text in a colour or weight, where colours are wanted. */
  style(format: Format, text: string): string;
}

/**
 * The process's own streams. Colours follow NO_COLOR and FORCE_COLOR. Node makes a stream when it is first asked for, and
 * loads all that streams, sockets and terminals can do for it: longer than a short answer takes. So answers go to files and
 * pipes without one, stderr is made for who is told something there, and stdin for who is asked.
 */
export function processIo(): Io {
  const { env } = process;
  const failed = (error: Error) => {
    // `pidex list | head`: whoever read our answer has had enough.
    if ("code" in error && error.code === "EPIPE") process.exit(0);
    err(`pidex: the answer could not be written: ${error.message}\n  Make room, or write it elsewhere.\n`);
    process.exit(1);
  };
  const stdout = once(() => process.stdout.on("error", failed));
  const stderr = once(() => process.stderr.on("error", () => {})); // nobody is left to tell
  const err = (text: string) => void stderr().write(text);
  let writesAtOnce = !mayBeTerminal(STDOUT);
  const isTerminal = !writesAtOnce && stdout().isTTY === true;
  const colour = env.NO_COLOR
    ? false
    : env.FORCE_COLOR
      ? env.FORCE_COLOR !== "0"
      : isTerminal && env.TERM !== "dumb";
  let drained: Promise<void> | undefined;
  return {
    out(text) {
      let rest: string | Uint8Array = text;
      // Who waits for a reader in the middle of a call hears no Ctrl+C: not where something is to be done at one.
      writesAtOnce &&= process.listenerCount("SIGINT") === 0;
      if (writesAtOnce) {
        try {
          rest = writeAtOnce(STDOUT, text);
        } catch (error) {
          failed(error as Error);
        }
        if (rest.length === 0) return undefined;
        writesAtOnce = false;
      }
      if (stdout().write(rest)) return undefined;
      drained ??= new Promise((resolve) => {
        stdout().once("drain", () => {
          drained = undefined;
          resolve();
        });
      });
      return drained;
    },
    err,
    isTerminal,
    get showsProgress() {
      return isatty(STDERR) && env.TERM !== "dumb";
    },
    get columns() {
      return stdout().columns || stderr().columns || Number(env.COLUMNS) || 80;
    },
    get ask() {
      return isatty(STDIN) && isatty(STDERR) ? ask : undefined;
    },
    style: (format, text) => (colour ? styleText(format, text, { validateStream: false }) : text),
  };
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

function isatty(fd: number): boolean {
  return process.getBuiltinModule("node:tty").isatty(fd);
}

/** Where output is thrown away. */
const NOWHERE = "/dev/null";

/** Whether a descriptor may be of a terminal; false where it surely is of a file, a pipe, or of nothing. */
function mayBeTerminal(fd: number): boolean {
  if (process.platform === "win32") return true;
  try {
    const stat = fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== statSync(NOWHERE).rdev;
  } catch {
    return true; // nothing is known of it: it is left to Node
  }
}

/**
 * Writes as much as is taken, and waits for a reader that is slow.
 *
 * @returns what is left, where the other end must not be waited for
 * @throws the system's error
 */
function writeAtOnce(fd: number, text: string): Uint8Array {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
  }
  return rest;
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once("close", () => resolve(""));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
