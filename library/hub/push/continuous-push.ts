import { PidexError } from "../../../src/errors.ts";
import type { PushReport } from "./push.ts";

export interface ContinuousPushOptions {
  /** Pushes what is new. Undefined if nothing is shared. */
  push(signal: AbortSignal): Promise<PushReport | undefined>;
  onPushed?: (report: PushReport) => void;
  /** Called when a push failed, and then only if it fails for another reason. */
  onProblem?: (error: unknown, retryMs: number) => void;
  /** Called with the first push that succeeds after a problem. */
  onRecovered?: () => void;
  /** Least time between pushes, in milliseconds: a hub indexes many lines at once faster than one by one. Default: 10,000. */
  intervalMs?: number;
  /** First and longest delay before a retry, in milliseconds. */
  retryMs?: readonly [number, number];
}

/** Pushes while sessions grow: some time after each change, one push at a time. Failed pushes are retried with growing pauses. */
export class ContinuousPush {
  readonly #options: ContinuousPushOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isRequested = false;
  #lastPushAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #problem = "";

  constructor(options: ContinuousPushOptions) {
    this.#options = options;
  }

  /** Call this when sessions changed. */
  request(): void {
    this.#isRequested = true;
    if (this.#timer || this.#running || this.#closing.signal.aborted) return;
    const { intervalMs = 10_000 } = this.#options;
    this.#schedule(Math.max(0, this.#lastPushAt + intervalMs - performance.now()));
  }

  /** Pushes at once, after a push that is running. */
  async pushNow(): Promise<void> {
    await this.#running;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#run();
  }

  /** Stops the push that is running. What was not sent is sent by a later process. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, delayMs);
    this.#timer.unref();
  }

  #run(): Promise<void> {
    this.#running ??= this.#push().finally(() => {
      this.#running = undefined;
      if (this.#isRequested) this.request();
    });
    return this.#running;
  }

  async #push(): Promise<void> {
    this.#isRequested = false;
    const { signal } = this.#closing;
    try {
      const report = await this.#options.push(signal);
      if (this.#problem !== "") this.#options.onRecovered?.();
      this.#failures = 0;
      this.#problem = "";
      if (report) this.#options.onPushed?.(report);
    } catch (error) {
      if (!signal.aborted) this.#onProblem(error);
    } finally {
      this.#lastPushAt = performance.now();
    }
  }

  #onProblem(error: unknown): void {
    if (!(error instanceof PidexError)) throw error;
    const [first, longest] = this.#options.retryMs ?? [2_000, 300_000];
    const delay = Math.min(longest, first * 2 ** this.#failures++);
    const isNew = error.message !== this.#problem;
    this.#problem = error.message;
    if (isNew) this.#options.onProblem?.(error, delay);
    this.#schedule(delay);
  }
}
