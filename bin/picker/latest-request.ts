/**
 * Runs only the latest request. While one runs, the newest later request waits and those in between are dropped, so that fast typing
 * creates no backlog.
 */
export class LatestRequest<T> {
  readonly #run: (request: T, signal: AbortSignal) => Promise<void>;
  #running: AbortController | undefined;
  #next: { request: T } | undefined;
  #idle: Promise<void> = Promise.resolve();

  /** @param run must not throw. Its signal is aborted when a newer request arrives */
  constructor(run: (request: T, signal: AbortSignal) => Promise<void>) {
    this.#run = run;
  }

  request(request: T): void {
    this.#next = { request };
    if (this.#running) this.#running.abort();
    else this.#idle = this.#begin();
  }

  /** Settles when no request runs or waits. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Aborts the request that runs. */
  cancel(): void {
    this.#running?.abort();
  }

  async #begin(): Promise<void> {
    for (let next = this.#next; next; next = this.#next) {
      this.#next = undefined;
      this.#running = new AbortController();
      await this.#run(next.request, this.#running.signal);
    }
    this.#running = undefined;
  }
}
