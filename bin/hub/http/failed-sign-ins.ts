const WINDOW_MS = 60_000;
const MAX_FAILURES = 20;
const MAX_ADDRESSES = 10_000;

/** Counts failed sign-ins by address. */
export class FailedSignIns {
  readonly #counts = new Map<string, { since: number; failures: number }>();

  /** Seconds until an address may try again; 0 if it may now. */
  secondsToWait(address: string, now = Date.now()): number {
    const count = this.#counts.get(address);
    if (!count || count.failures < MAX_FAILURES) return 0;
    return Math.max(0, Math.ceil((count.since + WINDOW_MS - now) / 1000));
  }

  add(address: string, now = Date.now()): void {
    const count = this.#counts.get(address);
    if (count && now - count.since < WINDOW_MS) {
      count.failures++;
      return;
    }
    this.#counts.delete(address);
    this.#counts.set(address, { since: now, failures: 1 });
    if (this.#counts.size <= MAX_ADDRESSES) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }
}
