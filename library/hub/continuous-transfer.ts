import { PidexError } from "../../src/errors.ts";

export interface ContinuousTransferOptions<Report> {
  /** Pushes or pulls what is new. Returns undefined if there is nothing to do. */
  transfer(signal: AbortSignal): Promise<Report | undefined>;
  onTransferred?: (report: Report) => void;
  /** Called when a transfer fails, and again only when it fails for another reason. */
  onProblem?: (error: unknown, retryMs: number) => void;
  /** Called after the first transfer that succeeds after a problem. */
  onRecovered?: () => void;
  /** Minimum time between transfers, in milliseconds: a hub indexes many lines at once faster than one by one. Default: 10,000. */
  intervalMs?: number;
  /** Whether a transfer follows each interval without a request; the process then stays alive until `close`. Default: false. */
  repeats?: boolean;
  /** First and longest delay before a retry, in milliseconds. */
  retryMs?: readonly [number, number];
}

/** Transfers sessions on request or at an interval, one transfer at a time. Retries failed ones with growing pauses. */
export class ContinuousTransfer<Report> {
  readonly #options: ContinuousTransferOptions<Report>;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isRequested = false;
  #lastTransferAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #problem = "";

  constructor(options: ContinuousTransferOptions<Report>) {
    this.#options = options;
  }

  /** Transfers soon: at once, or when the interval since the last transfer is over. */
  request(): void {
    this.#isRequested = true;
    if (this.#timer || this.#running || this.#closing.signal.aborted) return;
    const { intervalMs = 10_000 } = this.#options;
    this.#schedule(Math.max(0, this.#lastTransferAt + intervalMs - performance.now()));
  }

  /** Transfers at once, after a transfer that is running. */
  async transferNow(): Promise<void> {
    await this.#running;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#run();
  }

  /** Stops the transfer that is running. A later process continues it. */
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
    if (!this.#options.repeats) this.#timer.unref();
  }

  #run(): Promise<void> {
    this.#running ??= this.#transfer().finally(() => {
      this.#running = undefined;
      if (this.#isRequested || this.#options.repeats) this.request();
    });
    return this.#running;
  }

  async #transfer(): Promise<void> {
    this.#isRequested = false;
    const { signal } = this.#closing;
    try {
      const report = await this.#options.transfer(signal);
      if (this.#problem !== "") this.#options.onRecovered?.();
      this.#failures = 0;
      this.#problem = "";
      if (report) this.#options.onTransferred?.(report);
    } catch (error) {
      if (!signal.aborted) this.#onProblem(error);
    } finally {
      this.#lastTransferAt = performance.now();
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
