/**
 * Keeps an index up to date while files change. Loaded on first use: programs that only query don't need it.
 */

import { ChangeSource } from "../indexer/change-source.ts";
import type { SyncProgress, SyncReport } from "../indexer/report.ts";
import { type QueuedSync, SyncQueue } from "../indexer/sync-queue.ts";
import { badOption } from "../src/errors.ts";
import type { Root } from "../src/session/locations.ts";

/** The index that a watch keeps up to date. */
export interface WatchTarget {
  /** The current roots: a full sync may find more. */
  roots(): readonly Root[];
  sync(options: {
    signal: AbortSignal;
    onProgress?: (progress: SyncProgress) => unknown;
  }): Promise<SyncReport>;
  /** Syncs only these files. */
  syncFiles(paths: readonly string[], options: { signal: AbortSignal }): Promise<SyncReport>;
}

export interface WatchOptions {
  /** Ends the watch, as `close` does. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds between full syncs, which find changes that the system did not report: event queues overflow, and network drives
   * report nothing. Default: 60,000.
   */
  intervalMs?: number;
  /** Runs a full sync every few seconds instead of using file system events. Default: false. */
  poll?: boolean;
  /** Called after every sync, also if nothing changed, but not if another process was writing and nothing could be synced. */
  onSynced?: (report: SyncReport, synced: SyncEvent) => void;
  /** Called with the progress of full syncs. */
  onProgress?: (progress: SyncProgress) => void;
  /** Called with a sentence when the system stops reporting changes, and when it reports them again. */
  onNotice?: (message: string) => void;
  /** Called with the error when a sync failed. The sync is retried, with growing pauses. */
  onProblem?: (error: unknown) => void;
}

/** The files of one sync, and its duration. */
export interface SyncEvent {
  /** Paths of the synced files. Undefined for a full sync. */
  paths?: readonly string[];
  /** Duration in milliseconds. */
  ms: number;
}

/** A running watch, which keeps an index up to date until it is closed. */
export interface IndexWatch extends AsyncDisposable {
  /** Ends the watch. Resolves when the running sync has stopped, which it does between two transactions. */
  close(): Promise<void>;
  /** Resolves when the watch has ended. Rejects with what a callback threw, which ends the watch too and is reported only here. */
  readonly closed: Promise<void>;
}

/**
 * Runs a full sync, then syncs files as soon as they change, one sync at a time. A sync that fails is reported and retried: only `close`
 * and the signal end the watch.
 *
 * @returns after the first full sync, successful or not, when changes are being watched
 * @throws PidexError `BAD_OPTION`; the signal's reason if it is aborted before that; what a callback threw
 */
export async function watchIndex(target: WatchTarget, options: WatchOptions = {}): Promise<IndexWatch> {
  const { intervalMs = 60_000 } = options;
  if (!(intervalMs > 0))
    throw badOption("intervalMs must be a positive number", "Omit it for the default of 60,000.");
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const watching = new Watching(target, { ...options, intervalMs }, signal);
  await watching.begin();
  const closed = watching.run();
  closed.catch(() => {}); // awaiting it is optional: it must not become an unhandled rejection
  const close = () => {
    stop.abort();
    return closed;
  };
  return { closed, close, [Symbol.asyncDispose]: close };
}

/** Longest delay a timer supports, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Interval of full syncs while the system reports no changes: at least this long, and this many times a sync's duration. */
const MIN_POLL_MS = 2_000;
const POLL_FACTOR = 50;

/** First and longest delay before a retry, in milliseconds: after a busy database, and after an error. */
const BUSY_RETRY_MS = [250, 5_000] as const;
const ERROR_RETRY_MS = [1_000, 60_000] as const;

/** How late the system may report a change after a sync found it, in milliseconds. */
const EVENT_DELAY_MS = 250;

class Watching {
  readonly #target: WatchTarget;
  readonly #options: WatchOptions & { intervalMs: number };
  readonly #signal: AbortSignal;
  readonly #queue: SyncQueue;
  readonly #changes: ChangeSource;
  /** Consecutive syncs that failed or found the database busy. */
  #failures = 0;
  #wake = () => {};

  constructor(target: WatchTarget, options: WatchOptions & { intervalMs: number }, signal: AbortSignal) {
    this.#target = target;
    this.#options = options;
    this.#signal = signal;
    this.#queue = new SyncQueue(options.intervalMs);
    this.#changes = new ChangeSource(
      () => target.roots(),
      this.#queue,
      () => this.#wake(),
      (message) => options.onNotice?.(message),
    );
    if (options.poll) this.#changes.dueAt = Number.POSITIVE_INFINITY;
  }

  /** Runs a full sync and starts watching. @throws as `watchIndex` */
  async begin(): Promise<void> {
    try {
      this.#signal.throwIfAborted();
      await this.#runTask();
      this.#signal.throwIfAborted();
      if (!this.#options.poll) await this.#startListening();
      this.#signal.throwIfAborted();
    } catch (error) {
      await this.#changes.close();
      throw error;
    }
  }

  /** Runs due tasks until the signal is aborted. */
  async run(): Promise<void> {
    try {
      while (!this.#signal.aborted) {
        if (this.#changes.dueAt <= performance.now()) await this.#startListening();
        else if (this.#queue.dueAt <= performance.now()) await this.#runTask();
        else await this.#waitUntil(Math.min(this.#queue.dueAt, this.#changes.dueAt));
      }
    } finally {
      await this.#changes.close();
    }
  }

  async #startListening(): Promise<void> {
    await this.#changes.restart(performance.now(), this.#signal);
    this.#queue.intervalMs = this.#options.intervalMs;
    this.#queue.addFullSync(performance.now()); // finds changes from before the watch started
  }

  async #runTask(): Promise<void> {
    const task = this.#queue.take(performance.now());
    if (!task) return;
    const startedAt = performance.now();
    const report = await this.#sync(task);
    if (!report) return;
    if (report.busy && !foundChanges(report)) return;
    const ms = performance.now() - startedAt;
    if (!task.paths && !report.busy) {
      this.#queue.onFullSyncDone(performance.now());
      if (!this.#options.poll) this.#changes.restartIfRootsChanged();
      if (!this.#changes.isWatching) {
        this.#queue.intervalMs = Math.min(this.#options.intervalMs, Math.max(MIN_POLL_MS, ms * POLL_FACTOR));
      }
    }
    this.#options.onSynced?.(report, { ...(task.paths && { paths: task.paths }), ms });
    if (!task.hasChanges && foundChanges(report) && this.#changes.isWatching) {
      await this.#waitUntil(performance.now() + EVENT_DELAY_MS);
      if (!this.#queue.hasChanges && !this.#signal.aborted) this.#changes.onMissedChange();
    }
  }

  async #sync(task: QueuedSync): Promise<SyncReport | undefined> {
    const signal = this.#signal;
    const { onProgress } = this.#options;
    try {
      const report = task.paths
        ? await this.#target.syncFiles(task.paths, { signal })
        : await this.#target.sync({ signal, ...(onProgress && { onProgress }) });
      if (report.busy) this.#queue.addRetry(task, this.#retryDelay(BUSY_RETRY_MS), performance.now());
      else this.#failures = 0;
      return report;
    } catch (error) {
      if (signal.aborted) return undefined; // a real error recurs in the next sync
      // A full sync, because it is unknown how far this one got.
      this.#queue.addRetry({ hasChanges: true }, this.#retryDelay(ERROR_RETRY_MS), performance.now());
      this.#options.onProblem?.(error);
      return undefined;
    }
  }

  #retryDelay([first, longest]: readonly [number, number]): number {
    return Math.min(first * 2 ** this.#failures++, longest);
  }

  /** Waits until a time, or until something may be due earlier, or the signal is aborted. */
  #waitUntil(until: number): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(0, until - performance.now()), MAX_TIMER_MS));
      this.#signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}

function foundChanges({ added, appended, reindexed, moved, forgotten }: SyncReport): boolean {
  return added + appended + reindexed + moved + forgotten > 0;
}
