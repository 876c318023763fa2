import type { ChildProcessByStdio } from "node:child_process";
import type { Writable } from "node:stream";
import type { Io } from "./io.ts";
import { EXIT, printNotice } from "./run.ts";

/** Flags of commands with long output. */
export interface PagerFlags {
  pager?: boolean | undefined;
  json?: unknown;
  ndjson?: unknown;
  csv?: unknown;
}

/**
 * Runs work that writes to the pager, if its output is for people and longer than the terminal. Work that writes after the user quit the
 * pager ends there.
 *
 * @param work called with `io` if there is no pager
 * @returns the result of the work; the exit code for success if the pager was quit
 */
export async function withPager<T>(
  io: Io,
  flags: PagerFlags,
  work: (io: Io) => Promise<T>,
): Promise<T | typeof EXIT.done> {
  const isForPeople = io.isTerminal && !flags.json && !flags.ndjson && !flags.csv;
  const command = isForPeople && flags.pager !== false ? findPager(process.env) : undefined;
  if (command === undefined || io.rows === undefined) return work(io);
  const output = new PagedOutput(io, command, io.rows);
  try {
    return await work(output.io);
  } catch (error) {
    if (error instanceof PagerQuit) return EXIT.done;
    throw error;
  } finally {
    await output.end();
  }
}

/** The words of the pager's command line; undefined if there is none, or if it is `cat`. */
function findPager({ PIDEX_PAGER, PAGER }: NodeJS.ProcessEnv): string[] | undefined {
  const command = PIDEX_PAGER ?? PAGER ?? "less";
  const words = Array.from(command.matchAll(/"([^"]*)"|'([^']*)'|\S+/g), ([word, a, b]) => a ?? b ?? word);
  return words.length === 0 || words[0] === "cat" ? undefined : words;
}

/** Thrown by writes after the user quit the pager. */
class PagerQuit extends Error {}

type Pager = ChildProcessByStdio<Writable, null, null>;

/** Holds output back until it is longer than the terminal, and then writes it to the pager: starting one takes longer than a short command. */
class PagedOutput {
  readonly io: Io;
  readonly #target: Io;
  readonly #command: readonly string[];
  readonly #rows: number;
  /** Output that is not written yet. */
  #held = "";
  #heldLines = 0;
  /** Notices, which would disturb the screen of the pager. */
  #notices = "";
  #starting: Promise<void> | undefined;
  #pager: Pager | undefined;
  #exit: Promise<void> | undefined;
  #isClosed = false;
  /** Whether output goes to the terminal because the pager cannot be started. */
  #isDirect = false;

  constructor(io: Io, command: readonly string[], rows: number) {
    this.#target = io;
    this.#command = command;
    this.#rows = rows;
    // Inherits the getters.
    this.io = Object.assign(Object.create(io) as Io, {
      out: (text: string) => this.#write(text),
      err: (text: string) => this.#writeNotice(text),
    });
  }

  /** Writes what is held back, and waits until the user quits the pager. */
  async end(): Promise<void> {
    await this.#starting;
    if (this.#pager) {
      this.#pager.stdin.end();
      await this.#exit;
      process.removeListener("SIGINT", ignore);
    } else await this.#target.out(this.#takeHeld());
    if (this.#notices !== "") this.#target.err(this.#notices);
  }

  #write(text: string): Promise<void> | undefined {
    if (this.#isClosed) throw new PagerQuit();
    if (this.#isDirect) return this.#target.out(text);
    if (this.#pager) return this.#send(text);
    this.#held += text;
    if (this.#starting) return this.#starting;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#heldLines++;
    // The last row is the prompt of the shell.
    if (this.#heldLines < this.#rows) return undefined;
    this.#starting = this.#start();
    return this.#starting;
  }

  #writeNotice(text: string): void {
    // Progress before the first output is erased by its writer.
    if (this.#starting === undefined && this.#held === "") this.#target.err(text);
    else this.#notices += text;
  }

  async #start(): Promise<void> {
    const { spawn } = await import("node:child_process");
    const [program = "", ...args] = this.#command;
    // As git does: quit if all fits on the screen, show colors, and leave the text on the screen.
    const env = { LESS: "FRX", LV: "-c", ...process.env };
    const pager: Pager = spawn(program, args, { stdio: ["pipe", "inherit", "inherit"], env });
    const error = await new Promise<Error | undefined>((resolve) => {
      pager.once("spawn", () => resolve(undefined));
      pager.once("error", resolve);
    });
    if (error) {
      printNotice(this.#target, `cannot run the pager ${program}: ${error.message}`);
      this.#isDirect = true;
      await this.#target.out(this.#takeHeld());
      return;
    }
    // Ctrl+C is for the pager.
    process.on("SIGINT", ignore);
    pager.stdin.on("error", ignore); // the pager was quit: `exit` follows
    this.#exit = new Promise((resolve) => {
      pager.once("close", () => {
        this.#isClosed = true;
        resolve();
      });
    });
    this.#pager = pager;
    await this.#send(this.#takeHeld());
  }

  #send(text: string): Promise<void> | undefined {
    const { stdin } = this.#pager as Pager;
    if (stdin.write(text) && !this.#isClosed) return undefined;
    const drained = new Promise<void>((resolve) => stdin.once("drain", resolve));
    return Promise.race([drained, this.#exit as Promise<void>]).then(() => {
      if (this.#isClosed) throw new PagerQuit();
    });
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}

function ignore(): void {}
