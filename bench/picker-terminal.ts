/** The picker in a pseudo-terminal, with simulated typing. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import { PickerScreen } from "./picker-screen.ts";

export interface PickerOptions {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  columns: number;
  rows: number;
}

/** Milliseconds from pressing a key until it is shown, and until its results are. */
export interface KeyTimes {
  echoMs: number;
  resultsMs: number;
}

const CTRL_C = "\x03";
export const CTRL_U = "\x15";
/** Longer than anything measured. */
const TIMEOUT_MS = 60_000;

export class PickerTerminal {
  readonly screen: PickerScreen;
  /** When it was started, as `performance.now()`. */
  readonly startedAt: number;
  /** Resolves to the time when the program ended. */
  readonly ended: Promise<number>;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #frameListeners = new Set<() => void>();

  constructor({ argv, env, cwd, columns, rows }: PickerOptions) {
    this.screen = new PickerScreen(rows);
    const name = "xterm-256color";
    this.startedAt = performance.now();
    this.#pty = spawn(process.execPath, [...argv], {
      name,
      cols: columns,
      rows,
      cwd,
      env: { ...process.env, ...env, TERM: name },
    });
    const onFrame = () => {
      for (const listener of this.#frameListeners) listener();
    };
    this.#pty.onData((bytes) => this.screen.write(bytes, onFrame));
    this.ended = new Promise((resolve) => this.#pty.onExit(() => resolve(performance.now())));
  }

  write(bytes: string): void {
    this.#pty.write(bytes);
  }

  /**
   * Waits for a frame that matches, and returns its time. Returns immediately if the current one matches.
   *
   * @param what for the error message
   * @throws Error on a timeout
   */
  async waitFor(what: string, matches: (screen: PickerScreen) => boolean): Promise<number> {
    if (matches(this.screen)) return performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const onFrame = () => {
      if (matches(this.screen)) resolve(performance.now());
    };
    this.#frameListeners.add(onFrame);
    const fail = () => reject(new Error(`The picker never showed ${what}`));
    const timeout = setTimeout(fail, TIMEOUT_MS);
    void this.ended.then(fail);
    return promise.finally(() => {
      clearTimeout(timeout);
      this.#frameListeners.delete(onFrame);
    });
  }

  /**
   * Appends a text letter by letter, at fixed intervals regardless of results. If the next key is pressed before the results of a
   * key are shown, the key's time ends with the results of a later one.
   *
   * @param intervalMs interval between keys
   * @param shouldContinue whether to press the next key
   */
  async type(
    text: string,
    intervalMs: number,
    shouldContinue: (screen: PickerScreen) => boolean = () => true,
  ): Promise<KeyTimes[]> {
    const keys: Promise<KeyTimes>[] = [];
    let typed = this.screen.typed ?? "";
    for (const letter of text) {
      if (!shouldContinue(this.screen)) break;
      typed += letter;
      const key = this.#press(letter, typed);
      key.catch(() => {}); // Promise.all below reports it
      keys.push(key);
      await pause(intervalMs);
    }
    return Promise.all(keys);
  }

  async #press(letter: string, typed: string): Promise<KeyTimes> {
    const startedAt = performance.now();
    this.write(letter);
    const isTyped = (screen: PickerScreen) => screen.typed?.startsWith(typed) === true;
    const [echo, results] = await Promise.all([
      this.waitFor(JSON.stringify(typed), isTyped),
      this.waitFor(`the results of ${typed}`, (screen) => isTyped(screen) && !screen.isPending),
    ]);
    return { echoMs: echo - startedAt, resultsMs: results - startedAt };
  }

  /** Clears the line, and waits for the list. */
  async clear(): Promise<void> {
    this.write(CTRL_U);
    await this.waitFor("the list", (screen) => screen.typed === "" && !screen.isPending);
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
  async quit(): Promise<void> {
    this.write(CTRL_C);
    const timeout = setTimeout(() => this.kill(), TIMEOUT_MS);
    await this.ended;
    clearTimeout(timeout);
  }

  kill(): void {
    this.#pty.kill("SIGKILL");
  }
}
