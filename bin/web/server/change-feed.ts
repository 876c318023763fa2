/** Keeps the index up to date in a thread of its own, and notifies subscribers of changes. */
import type { Index } from "../../../library/index.ts";
import { assertNotUpgraded, toMessage } from "../../../library/internal.ts";
import { openIsolated } from "../../actions/index-host.ts";
import type { IndexLocation } from "../../actions/index-location.ts";
import { toSyncResult } from "../../actions/sync-messages.ts";
import type { Change } from "../api/answers.ts";

/** Delay before the thread is restarted after a failure. Doubles each time until a sync completes. */
const RESTART_MS = 2000;
const MAX_RESTART_MS = 120_000;

export class ChangeFeed {
  readonly #location: IndexLocation;
  readonly #listeners = new Set<(change: Change) => void>();
  #index: Index | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Change | undefined;
  /** When sessions last changed, on the clock of `performance.now()`. */
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #restartMs = RESTART_MS;

  constructor(location: IndexLocation) {
    this.#location = location;
    void this.#watch();
  }

  /**
   * Reports the current state and every later change.
   *
   * @param loadedMsAgo the age of the subscriber's oldest data in milliseconds: if sessions have changed since, one general
   * change is reported first
   * @returns a function that unsubscribes
   */
  subscribe(listener: (change: Change) => void, { loadedMsAgo = 0 } = {}): () => void {
    this.#listeners.add(listener);
    if (this.#changedAtMs >= performance.now() - loadedMsAgo) listener({ kind: "synced", changed: true });
    if (this.#last) listener(this.#last);
    return () => this.#listeners.delete(listener);
  }

  /** Reports a change at once, for writes by the server itself, which the watch finds later. */
  publish(change: Change): void {
    if (change.kind === "synced" && change.changed) this.#changedAtMs = performance.now();
    // Later subscribers load fresh data, so for them nothing has changed.
    this.#last = change.kind === "synced" ? { kind: "synced", changed: false } : change;
    for (const listener of this.#listeners) listener(change);
  }

  /** Resolves when the thread has ended. Aborting a sync is safe. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#index?.close();
  }

  /** Watches until the thread ends. Refuses after an upgrade, because the new version may rebuild the index in a format this server can't read. */
  async #watch(): Promise<void> {
    try {
      assertNotUpgraded();
    } catch (error) {
      return this.#problem(error);
    }
    try {
      this.#index = await openIsolated(this.#location);
      if (this.#isClosed) return await this.#index.close();
      const watch = await this.#index.watch({
        onProgress: (progress) => this.publish({ kind: "progress", progress }),
        onSynced: (report, { paths }) => {
          this.#restartMs = RESTART_MS;
          const { changed } = toSyncResult(report);
          this.publish({ kind: "synced", changed, ...(paths && { paths: [...paths] }) });
        },
        onProblem: (error) => this.#problem(error),
      });
      await watch.closed;
    } catch (error) {
      if (this.#isClosed) return;
      this.#problem(error);
      await this.#index?.close();
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#watch(), this.#restartMs);
    this.#restartMs = Math.min(2 * this.#restartMs, MAX_RESTART_MS);
  }

  #problem(error: unknown): void {
    this.publish({ kind: "problem", message: toMessage(error) });
  }
}
