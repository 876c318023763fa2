/**
 * Work of which only the latest matters. While one piece is at work, the newest of those after it waits, and all between
 * are dropped: typing fast piles nothing up.
 */
export class Latest<T> {
  readonly #work: (asked: T, signal: AbortSignal) => Promise<void>;
  #atWork: AbortController | undefined;
  #next: { asked: T } | undefined;

  /** @param work must not throw; its signal comes when its answer is no longer wanted */
  constructor(work: (asked: T, signal: AbortSignal) => Promise<void>) {
    this.#work = work;
  }

  /** Whether something is asked that is not answered yet. */
  get isBusy(): boolean {
    return this.#atWork !== undefined;
  }

  ask(asked: T): void {
    this.#next = { asked };
    if (this.#atWork) this.#atWork.abort();
    else void this.#begin();
  }

  async #begin(): Promise<void> {
    for (let next = this.#next; next; next = this.#next) {
      this.#next = undefined;
      this.#atWork = new AbortController();
      await this.#work(next.asked, this.#atWork.signal);
    }
    this.#atWork = undefined;
  }
}
