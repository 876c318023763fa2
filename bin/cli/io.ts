import { fstatSync, statSync, writeSync } from "node:fs";
import { styleText } from "node:util";
import { memoize } from "../../src/memoize.ts";

type Format = Parameters<typeof styleText>[0];

/** A command's output and prompts: a terminal, a pipe, or a test. */
export interface Io {
  /** Writes results. Long output awaits the promise, so that a slow reader does not fill the memory. */
  out(text: string): Promise<void> | undefined;
  /** Writes progress, notices and errors. */
  err(text: string): void;
  /** Whether stdout is a terminal: then output is aligned, colored and cut to `columns`. */
  isTerminal: boolean;
  /** Whether a progress bar can be drawn on stderr. */
  showsProgress: boolean;
  columns: number;
  /** Rows of the terminal; undefined if output cannot be paged. */
  rows?: number | undefined;
  /** Prompts the user for a line; undefined if stdin or stderr is not a terminal. "" after Ctrl+C or Ctrl+D. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Styles the text if colors are enabled. */
  style(format: Format, text: string): string;
}

/**
 * The process's streams. Colors follow NO_COLOR and FORCE_COLOR. Node creates a stream on first use, which loads its
 * stream, socket and terminal code: that takes longer than a short command. So output to files and pipes bypasses
 * streams, and stderr and stdin are created on first use only.
 */
export function createProcessIo(): Io {
  const { env } = process;
  const failed = (error: Error) => {
    // `pidex list | head`: the reader closed the pipe.
    if ("code" in error && error.code === "EPIPE") process.exit(0);
    err(
      `pidex: cannot write to stdout: ${error.message}\n  Free disk space, or redirect the output elsewhere.\n`,
    );
    process.exit(1);
  };
  const stdout = memoize(() => process.stdout.on("error", failed));
  const stderr = memoize(() => process.stderr.on("error", () => {})); // nowhere left to report it
  const err = (text: string) => void stderr().write(text);
  let writesAtOnce = !mayBeTerminal(STDOUT);
  const isTerminal = !writesAtOnce && stdout().isTTY === true;
  const color = env.NO_COLOR
    ? false
    : env.FORCE_COLOR
      ? env.FORCE_COLOR !== "0"
      : isTerminal && env.TERM !== "dumb";
  let drained: Promise<void> | undefined;
  return {
    out(text) {
      let rest: string | Uint8Array = text;
      // A blocking write delays SIGINT handlers, so it is used only if there are none.
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
    get rows() {
      return isTerminal && env.TERM !== "dumb" && isatty(STDIN) ? stdout().rows : undefined;
    },
    get ask() {
      return isatty(STDIN) && isatty(STDERR) ? ask : undefined;
    },
    style: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
  };
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

function isatty(fd: number): boolean {
  return process.getBuiltinModule("node:tty").isatty(fd);
}

const NULL_DEVICE = "/dev/null";

/** False if a descriptor certainly refers to a file, a pipe or the null device. */
function mayBeTerminal(fd: number): boolean {
  if (process.platform === "win32") return true;
  try {
    const stat = fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== statSync(NULL_DEVICE).rdev;
  } catch {
    return true; // unknown: Node decides
  }
}

/**
 * Writes synchronously, blocking while a pipe's reader is slow.
 *
 * @returns the unwritten rest, if the descriptor is non-blocking
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
