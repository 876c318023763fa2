/** How long to collect changes after the first one, in milliseconds. Changes rarely come alone. */
const COLLECT_MS = 30;
/** Above this number of changed files, comparing all files is cheaper than checking each one. */
const STORM_FILES = 200;
/** A storm ends after this time without changes, or after `MAX_STORM_MS`. */
const QUIET_MS = 100;
const MAX_STORM_MS = 1_000;

/** A sync that is due. */
export interface QueuedSync {
  /** The files to sync. Undefined means all. */
  paths?: readonly string[];
  /** Whether a change was reported; false for a periodic sync. */
  hasChanges: boolean;
}

/**
 * What to sync, and when. It has no clock: `now` is a monotonic time in milliseconds, so that sleep and changes of the date
 * don't matter.
 */
export class SyncQueue {
  /** Interval between full syncs, in milliseconds. */
  intervalMs: number;
  #paths = new Set<string>();
  #needsFullSync = false;
  #firstChangeAt = Number.POSITIVE_INFINITY;
  #lastChangeAt = Number.NEGATIVE_INFINITY;
  #lastFullSyncAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** A new queue: a full sync is due immediately. */
  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  /** Queues a changed file. */
  addFile(path: string, now: number): void {
    this.#paths.add(path);
    this.#changeReported(now);
  }

  /** Queues a full sync, for example because a folder was renamed. */
  addFullSync(now: number): void {
    this.#needsFullSync = true;
    this.#changeReported(now);
  }

  /** Queues a failed sync again. Nothing is due during the pause. */
  addRetry({ paths }: QueuedSync, pauseMs: number, now: number): void {
    if (!paths) this.#needsFullSync = true;
    for (const path of paths ?? []) this.#paths.add(path);
    this.#firstChangeAt = Math.min(this.#firstChangeAt, now);
    this.#notBefore = now + pauseMs;
  }

  /** When the next sync is due. */
  get dueAt(): number {
    return Math.max(this.#notBefore, Math.min(this.#collectedAt, this.#lastFullSyncAt + this.intervalMs));
  }

  /** Whether a reported change is waiting. */
  get hasChanges(): boolean {
    return this.#firstChangeAt !== Number.POSITIVE_INFINITY;
  }

  /** Removes and returns the sync that is due: a full one if that is due as well. */
  take(now: number): QueuedSync | undefined {
    if (now < this.dueAt) return undefined;
    const isFull = this.#isStorm || now >= this.#lastFullSyncAt + this.intervalMs;
    const task = { ...(!isFull && { paths: [...this.#paths] }), hasChanges: this.hasChanges };
    this.#paths.clear();
    this.#needsFullSync = false;
    this.#firstChangeAt = Number.POSITIVE_INFINITY;
    if (isFull) this.#lastFullSyncAt = now;
    return task;
  }

  /** Call it after a full sync, which may have taken long. */
  onFullSyncDone(now: number): void {
    this.#lastFullSyncAt = now;
  }

  #changeReported(now: number): void {
    this.#firstChangeAt = Math.min(this.#firstChangeAt, now);
    this.#lastChangeAt = now;
  }

  get #isStorm(): boolean {
    return this.#needsFullSync || this.#paths.size > STORM_FILES;
  }

  /** When to stop collecting changes. Bounded, because they may never end. */
  get #collectedAt(): number {
    if (!this.#isStorm) return this.#firstChangeAt + COLLECT_MS;
    const quiet = Math.max(this.#lastChangeAt + QUIET_MS, this.#firstChangeAt + COLLECT_MS);
    return Math.min(quiet, this.#firstChangeAt + MAX_STORM_MS);
  }
}
