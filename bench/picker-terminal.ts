/** The picker in a pseudo-terminal, with simulated typing. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import { Painted } from "./painted.ts";

export interface PickerStart {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  columns: number;
  rows: number;
}

/** Times from pressing a key until the screen showed it, and until it showed the results. */
export interface KeyTimes {
  echoMs: number;
  resultsMs: number;
}

export const CTRL_C = "\x03"; // Ctrl+C
export const CTRL_U = "\x15"; // Ctrl+U
/** A timeout longer than anything measured. */
const LONGEST_MS = 60_000;

export class PickerTerminal {
  readonly painted: Painted;
  /** When it was started, as `performance.now()`. */
  readonly startedAt: number;
  /** Resolves to the time when the program ended. */
  readonly ended: Promise<number>;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #looking = new Set<() => void>();

  constructor({ argv, env, cwd, columns, rows }: PickerStart) {
    this.painted = new Painted(rows);
    const name = "xterm-256color";
    this.startedAt = performance.now();
    this.#pty = spawn(process.execPath, [...argv], {
      name,
      cols: columns,
      rows,
      cwd,
      env: { ...process.env, ...env, TERM: name },
    });
    const look = () => {
      for (const each of this.#looking) each();
    };
    this.#pty.onData((bytes) => this.painted.take(bytes, look));
    this.ended = new Promise((resolve) => this.#pty.onExit(() => resolve(performance.now())));
  }

  write(bytes: string): void {
    this.#pty.write(bytes);
  }

  /**
   * The time when a frame that matches was painted, or now if the last one matches.
   *
   * @throws Error on a timeout
   */
  async when(about: string, shows: (painted: Painted) => boolean): Promise<number> {
    if (shows(this.painted)) return performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const look = () => {
      if (shows(this.painted)) resolve(performance.now());
    };
    this.#looking.add(look);
    const never = () => reject(new Error(`The picker never showed ${about}`));
    const tooLong = setTimeout(never, LONGEST_MS);
    void this.ended.then(never);
    return promise.finally(() => {
      clearTimeout(tooLong);
      this.#looking.delete(look);
    });
  }

  /**
   * Appends a text letter by letter, at a fixed pace regardless of results. If the next key comes before the results of a key,
   * its time ends with the results of a later one.
   *
   * @param paceMs interval between keys
   * @param goesOn whether to press the next key
   */
  async type(
    text: string,
    paceMs: number,
    goesOn: (painted: Painted) => boolean = () => true,
  ): Promise<KeyTimes[]> {
    const keys: Promise<KeyTimes>[] = [];
    let typed = this.painted.typed ?? "";
    for (const letter of text) {
      if (!goesOn(this.painted)) break;
      typed += letter;
      const key = this.#key(letter, typed);
      key.catch(() => {}); // thrown below
      keys.push(key);
      await pause(paceMs);
    }
    return Promise.all(keys);
  }

  async #key(letter: string, typed: string): Promise<KeyTimes> {
    const began = performance.now();
    this.write(letter);
    const isThere = (painted: Painted) => painted.typed?.startsWith(typed) === true;
    const [echo, results] = await Promise.all([
      this.when(JSON.stringify(typed), isThere),
      this.when(`what it finds for ${typed}`, (painted) => isThere(painted) && !painted.isBehind),
    ]);
    return { echoMs: echo - began, resultsMs: results - began };
  }

  /** Clears the line, and waits for the list. */
  async clear(): Promise<void> {
    this.write(CTRL_U);
    await this.when("the list again", (painted) => painted.typed === "" && !painted.isBehind);
  }

  /** Peak memory of the process so far, in bytes; its current memory if the system does not report a peak. */
  peakBytes(): number {
    const { pid } = this.#pty;
    if (process.platform === "linux") {
      const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return Number(kilobytes) * 1024;
    }
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) * 1024;
  }

  /** Quits, and waits for the end of the process. */
  async leave(): Promise<void> {
    this.write(CTRL_C);
    const late = setTimeout(() => this.kill(), LONGEST_MS);
    await this.ended;
    clearTimeout(late);
  }

  kill(): void {
    this.#pty.kill("SIGKILL");
  }
}
