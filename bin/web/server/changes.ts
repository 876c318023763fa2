/** Keeps the index up to date in a thread of its own, and notifies subscribers of changes. */
import type { Index } from "../../../library/index.ts";
import { assertNotUpgraded } from "../../../library/internal.ts";
import { openIsolated } from "../../actions/index-host.ts";
import type { IndexPlace } from "../../actions/synced.ts";
import type { Change } from "../api/answers.ts";

/** How soon after it ended unasked the thread is begun again, in milliseconds; twice as late each time, until a sync is done. */
const BEGIN_AGAIN_MS = 2000;
const BEGIN_AGAIN_AT_MOST_MS = 120_000;

export class Changes {
  readonly #place: IndexPlace;
  readonly #listeners = new Set<(change: Change) => void>();
  #index: Index | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Change | undefined;
  #isClosed = false;
  #beginAgainMs = BEGIN_AGAIN_MS;

  constructor(place: IndexPlace) {
    this.#place = place;
    void this.#watch();
  }

  /** Tells what is known, and from then on of each change. @returns what ends that */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    if (this.#last) listener(this.#last);
    return () => this.#listeners.delete(listener);
  }

  /** Something was written by ourselves: told at once, though the watch will find it too. */
  tell(change: Change): void {
    // Who comes later asks afresh: nothing has changed since.
    this.#last = change.kind === "synced" ? { kind: "synced", changed: false } : change;
    for (const listener of this.#listeners) listener(change);
  }

  /** Resolved when the thread has ended: a sync that is broken off harms nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#index?.close();
  }

  /** Watches until the thread ends. Not with the files of another version: that might change the index to one that this server cannot read. */
  async #watch(): Promise<void> {
    try {
      assertNotUpgraded();
    } catch (error) {
      return this.#problem(error);
    }
    try {
      this.#index = await openIsolated(this.#place);
      if (this.#isClosed) return await this.#index.close();
      const watch = await this.#index.watch({
        onProgress: (progress) => this.tell({ kind: "progress", progress }),
        onSynced: ({ added, appended, reindexed, moved, forgotten }, { paths }) => {
          this.#beginAgainMs = BEGIN_AGAIN_MS;
          const changed = added + appended + reindexed + moved + forgotten > 0;
          this.tell({ kind: "synced", changed, ...(paths && { paths: [...paths] }) });
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
    this.#timer = setTimeout(() => void this.#watch(), this.#beginAgainMs);
    this.#beginAgainMs = Math.min(2 * this.#beginAgainMs, BEGIN_AGAIN_AT_MOST_MS);
  }

  #problem(error: unknown): void {
    this.tell({ kind: "problem", message: error instanceof Error ? error.message : String(error) });
  }
}
