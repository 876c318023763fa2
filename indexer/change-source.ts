import type { Root } from "../src/session/locations.ts";
import { raiseLimitCommand, readWatchLimits, toWatchError } from "../src/watch-limits.ts";
import type { SyncQueue } from "./sync-queue.ts";
import { type WatchCallbacks, watchFolders } from "./watch-folders.ts";

/** Pause before retrying after a failure, in milliseconds, doubled each time up to the maximum. */
const MIN_RETRY_PAUSE_MS = 60_000;
const MAX_RETRY_PAUSE_MS = 3_600_000;

/** Delay before watching again after a root was created or deleted, in milliseconds: nested folders are created one by one. */
const ROOT_SETTLE_MS = 100;

const POLL = "Run pidex watch --poll to poll from the start, more often and without this message.";

/** Restarts in a row because of missed changes. */
const MAX_MISSED_RESTARTS = 2;

/**
 * Watches the roots, queues changed files and folders, restarts the watch when needed, and knows whether it works. Times are
 * monotonic, in milliseconds.
 */
export class ChangeSource {
  /** When to call `restart`. */
  dueAt = Number.NEGATIVE_INFINITY;
  readonly #roots: () => readonly Root[];
  /** The roots that are watched. */
  #watchedRoots: readonly Root[] = [];
  readonly #callbacks: WatchCallbacks;
  readonly #onNotice: (message: string) => void;
  /** Ends the watch; undefined if there is none. */
  #endWatch: (() => Promise<void>) | undefined;
  #failure: { error: unknown } | undefined;
  #failures = 0;
  #lastNotice = "";
  #missed = 0;

  /**
   * @param onDue called when a sync was queued, or when `restart` may be due earlier
   * @param onNotice called with a sentence when changes are no longer reported, or are reported again
   */
  constructor(
    roots: () => readonly Root[],
    queue: SyncQueue,
    onDue: () => void,
    onNotice: (message: string) => void,
  ) {
    this.#roots = roots;
    this.#onNotice = onNotice;
    this.#callbacks = {
      onChange: (kind, path) => {
        const now = performance.now();
        if (kind === "file") queue.addFile(path, now);
        else if (kind === "folder") queue.addFullSync(now);
        else this.dueAt = Math.min(this.dueAt, now + ROOT_SETTLE_MS);
        this.#missed = 0;
        onDue();
      },
      onError: (error) => {
        this.#failure ??= { error };
        this.dueAt = Number.NEGATIVE_INFINITY;
        onDue();
      },
    };
  }

  get isWatching(): boolean {
    return this.#endWatch !== undefined;
  }

  /**
   * Starts watching, watches again, or pauses after a failure. Stays closed if aborted. Earlier changes are not reported.
   */
  async restart(now: number, signal?: AbortSignal): Promise<void> {
    await this.close();
    const failed = this.#failure; // which may have occurred while closing
    this.#failure = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
    if (failed) return this.#pause(failed.error, now);
    try {
      this.#watchedRoots = this.#roots();
      this.#endWatch = await watchFolders(this.#watchedRoots, this.#callbacks, signal);
    } catch (error) {
      this.#failure = undefined;
      if (signal?.aborted) return;
      return this.#pause(error, now);
    }
    if (this.#failure) return; // `restart` is due again
    if (this.#lastNotice) this.#onNotice("the system reports changes again, and pidex no longer polls");
    this.#lastNotice = "";
    this.#failures = 0;
  }

  /** Schedules a restart if the roots changed. */
  restartIfRootsChanged(): void {
    if (!this.isWatching) return;
    const prefixes = (roots: readonly Root[]) => roots.map(({ prefix }) => prefix).join("\0");
    if (prefixes(this.#watchedRoots) !== prefixes(this.#roots())) this.dueAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Call it for a change that should have been reported but was not: a queue overflowed, or a link has a new target. A restart
   * helps if the system reports changes at all.
   */
  onMissedChange(): void {
    this.#missed++;
    if (this.#missed <= MAX_MISSED_RESTARTS) this.dueAt = Number.NEGATIVE_INFINITY;
    else if (this.#missed === MAX_MISSED_RESTARTS + 1) {
      this.#onNotice(
        `the system does not report all changes, as on network drives, so some are found only by the full sync. ${POLL}`,
      );
    }
  }

  async close(): Promise<void> {
    const end = this.#endWatch;
    this.#endWatch = undefined;
    await end?.();
  }

  #pause(error: unknown, now: number): void {
    this.dueAt = now + Math.min(MIN_RETRY_PAUSE_MS * 2 ** this.#failures++, MAX_RETRY_PAUSE_MS);
    const { reason, limit } = toWatchError(error);
    if (reason === this.#lastNotice) return;
    this.#lastNotice = reason;
    const todo = limit ? `Raise the limit: ${raiseLimitCommand(limit, readWatchLimits())}` : POLL;
    this.#onNotice(`cannot watch folders, so pidex polls every few seconds: ${reason}. ${todo}`);
  }
}
