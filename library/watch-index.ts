/**
 * Keeps an index up to date while files change. A module of its own that is loaded when somebody watches: what only
 * asks does without.
 */
import type { SyncProgress, SyncReport } from "../indexer/report.ts";
import { Agenda, type Task } from "../indexer/watch-agenda.ts";
import { Listener } from "../indexer/watch-listener.ts";
import { badOption } from "../src/errors.ts";
import type { Root } from "../src/session/locations.ts";

/** What is kept up to date. */
export interface WatchTarget {
  /** The roots as they are now: a sync of everything may have found others. */
  roots(): readonly Root[];
  sync(options: {
    signal: AbortSignal;
    onProgress?: (progress: SyncProgress) => unknown;
  }): Promise<SyncReport>;
  /** Syncs some files alone. */
  syncFiles(paths: readonly string[], options: { signal: AbortSignal }): Promise<SyncReport>;
}

export interface WatchOptions {
  /** Ends the watch, as `close` does. */
  signal?: AbortSignal;
  /**
   * How long after everything was looked at it is looked at again, whatever was told, in milliseconds. Queues of the
   * system overflow, and network drives tell nothing. Default: a minute.
   */
  intervalMs?: number;
  /** Asks the system for nothing, and looks at everything every few seconds instead. */
  poll?: boolean;
  /** Told of every sync, those that found nothing new too, but not of those that came to nothing as another was at work. */
  onSynced?: (report: SyncReport, synced: Synced) => void;
  /** How far a sync of everything is. */
  onProgress?: (progress: SyncProgress) => void;
  /** Told, in a sentence, that changes are no longer told of, or are again. */
  onNotice?: (message: string) => void;
  /** Told why a sync failed. It is tried again, with growing pauses. */
  onProblem?: (error: unknown) => void;
}

/** Which files were synced, and how long it took. */
export interface Synced {
  /** These alone; all there are, where it is missing. */
  paths?: readonly string[];
  ms: number;
}

/** An index that is kept up to date, until it is closed. */
export interface IndexWatch extends AsyncDisposable {
  /** Ends the watch: resolved when the sync at work has stopped, which it does between two transactions. */
  close(): Promise<void>;
  /** Resolved when the watch has ended. Rejected with what a callback threw, which ends it too: only here is that told. */
  readonly closed: Promise<void>;
}

/**
 * Syncs everything, and from then on what changes, as soon as it does. Syncs come one after the other, never two at a
 * time. Whatever fails is told, and tried again: only `close` and the signal end it.
 *
 * @returns when everything was synced once, or could not be, and changes are watched
 * @throws PidexError `BAD_OPTION`; the signal's reason when it is aborted before; what a callback threw
 */
export async function watchIndex(target: WatchTarget, options: WatchOptions = {}): Promise<IndexWatch> {
  const { intervalMs = 60_000 } = options;
  if (!(intervalMs > 0)) throw badOption("intervalMs must be above 0", "Leave it out for a minute.");
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const watching = new Watching(target, { ...options, intervalMs }, signal);
  await watching.begin();
  const closed = watching.run();
  closed.catch(() => {}); // nobody has to ask for it: it must not end the process of who does not
  const close = () => {
    stop.abort();
    return closed;
  };
  return { closed, close, [Symbol.asyncDispose]: close };
}

/** The longest that a timer can be set to, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long after one look at everything the next one comes, where nothing is told: at least, and times what it took. */
const POLL_MS = 2_000;
const POLL_TIMES = 50;

/** How long after a sync that came to nothing it is tried again: at first, and at most. */
const BUSY_MS = [250, 5_000] as const;
const FAILED_MS = [1_000, 60_000] as const;

/** How long after it was found a change may still be told. */
const LATE_MS = 250;

class Watching {
  readonly #target: WatchTarget;
  readonly #options: WatchOptions & { intervalMs: number };
  readonly #signal: AbortSignal;
  readonly #agenda: Agenda;
  readonly #listener: Listener;
  /** How many syncs in a row came to nothing. */
  #vain = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #wake = () => {};

  constructor(target: WatchTarget, options: WatchOptions & { intervalMs: number }, signal: AbortSignal) {
    this.#target = target;
    this.#options = options;
    this.#signal = signal;
    this.#agenda = new Agenda(options.intervalMs);
    const told = {
      onFile: (path: string) => {
        this.#agenda.addFile(path, performance.now());
        this.#wakeForWork();
      },
      onFolder: () => {
        this.#agenda.addAll(performance.now());
        this.#wakeForWork();
      },
      onRoot: () => this.#wake(),
      onError: () => this.#wake(),
    };
    this.#listener = new Listener(
      () => target.roots(),
      told,
      (message) => options.onNotice?.(message),
    );
    if (options.poll) this.#listener.dueAt = Number.POSITIVE_INFINITY;
  }

  /** Syncs everything, and begins to listen. @throws as `watchIndex` */
  async begin(): Promise<void> {
    try {
      this.#signal.throwIfAborted();
      await this.#step();
      this.#signal.throwIfAborted();
      if (!this.#options.poll) await this.#attend();
      this.#signal.throwIfAborted();
    } catch (error) {
      await this.#listener.close();
      throw error;
    }
  }

  /** Does what there is to do until it is aborted. */
  async run(): Promise<void> {
    try {
      while (!this.#signal.aborted) {
        if (this.#listener.dueAt <= performance.now()) await this.#attend();
        else if (this.#agenda.dueAt <= performance.now()) await this.#step();
        else await this.#rest(Math.min(this.#agenda.dueAt, this.#listener.dueAt));
      }
    } finally {
      await this.#listener.close();
    }
  }

  async #attend(): Promise<void> {
    await this.#listener.attend(performance.now(), this.#signal);
    this.#agenda.intervalMs = this.#options.intervalMs;
    this.#agenda.addAll(performance.now()); // what changed before somebody listened
  }

  async #step(): Promise<void> {
    const task = this.#agenda.take(performance.now());
    if (!task) return;
    const began = performance.now();
    const report = await this.#sync(task);
    if (!report) return;
    if (report.busy && !foundChanges(report)) return;
    const ms = performance.now() - began;
    if (!task.paths && !report.busy) {
      this.#agenda.allDone(performance.now());
      if (!this.#options.poll) this.#listener.followRoots();
      if (!this.#listener.listens) {
        this.#agenda.intervalMs = Math.min(this.#options.intervalMs, Math.max(POLL_MS, ms * POLL_TIMES));
      }
    }
    this.#options.onSynced?.(report, { ...(task.paths && { paths: task.paths }), ms });
    if (!task.told && foundChanges(report) && this.#listener.listens) {
      await this.#rest(performance.now() + LATE_MS);
      if (!this.#agenda.isTold && !this.#signal.aborted) this.#listener.doubt();
    }
  }

  async #sync(task: Task): Promise<SyncReport | undefined> {
    const signal = this.#signal;
    const { onProgress } = this.#options;
    try {
      const report = task.paths
        ? await this.#target.syncFiles(task.paths, { signal })
        : await this.#target.sync({ signal, ...(onProgress && { onProgress }) });
      if (report.busy) this.#agenda.addAgain(task, this.#pause(BUSY_MS), performance.now());
      else this.#vain = 0;
      return report;
    } catch (error) {
      // Whoever ends it needs not hear how: the next sync meets again what is wrong.
      if (signal.aborted) return undefined;
      // Everything: who knows how far it came.
      this.#agenda.addAgain({ told: true }, this.#pause(FAILED_MS), performance.now());
      this.#options.onProblem?.(error);
      return undefined;
    }
  }

  #pause([first, longest]: readonly [number, number]): number {
    return Math.min(first * 2 ** this.#vain++, longest);
  }

  /** Waits until a time, or until there is something to do before, or it is aborted. */
  #rest(until: number): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", done);
        this.#restsUntil = Number.NEGATIVE_INFINITY;
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(0, until - performance.now()), LONGEST_MS));
      this.#signal.addEventListener("abort", done);
      this.#restsUntil = until;
      this.#wake = done;
    });
  }

  #wakeForWork(): void {
    if (this.#agenda.dueAt < this.#restsUntil) this.#wake();
  }
}

function foundChanges({ added, appended, reindexed, moved, forgotten }: SyncReport): boolean {
  return added + appended + reindexed + moved + forgotten > 0;
}
