/** Brings the index up to the files before each answer, and says so where that is not done yet. */
import { type Index, PidexError, type SyncProgress } from "../../library/index.ts";
import { aborted } from "../actions/aborted.ts";
import { syncInThread } from "../actions/index-host.ts";
import { syncUnlessLong } from "../actions/sync-unless-long.ts";
import type { IndexPlace } from "../actions/synced.ts";
import { counted } from "../format/safe.ts";
import type { Control, Progress } from "./answer.ts";

/** How long a question waits for a first index, in milliseconds; then it is answered from what is there. */
const PATIENCE_MS = 10_000;

/** A sync that a thread is at. */
interface Running {
  progress: Progress;
  listeners: Set<() => void>;
  /** What to say of an index that is not up to date all the same. */
  ended: Promise<string | undefined>;
}

export class UpToDate {
  readonly #index: Index;
  readonly #place: IndexPlace;
  readonly #patienceMs: number;
  #running: Running | undefined;
  readonly #closing = new AbortController();

  constructor(index: Index, roots: string[] | undefined, patienceMs = PATIENCE_MS) {
    this.#index = index;
    this.#place = { db: index.path, roots };
    this.#patienceMs = patienceMs;
  }

  /**
   * Waits until the index is as the files are, or for as long as somebody has patience.
   *
   * @returns what to say of an index that is not; undefined where it is
   * @throws the signal's reason when aborted
   */
  async reach({ signal, onProgress }: Control): Promise<string | undefined> {
    signal?.throwIfAborted();
    if (!this.#running) {
      try {
        const report = await syncUnlessLong(this.#index);
        if (report !== "takes long") {
          if (!report.busy) return undefined;
          return lacking(report.behind);
        }
      } catch (error) {
        if (!(error instanceof PidexError)) throw error;
        return old(notBroughtUp(error));
      }
      signal?.throwIfAborted();
      if (this.#closing.signal.aborted) return undefined; // and the index with it: no thread is to outlive them
    }
    const running = this.#running ?? this.#begin();
    if (!(await this.#waitFor(running, { ...(signal && { signal }), ...(onProgress && { onProgress }) }))) {
      const { done, total } = running.progress;
      return `The index is being built: ${done} of ${counted(total, "file")} are in it, and this answer lacks the rest. Ask again later.`;
    }
    return running.ended;
  }

  async close(): Promise<void> {
    this.#closing.abort(); // a sync that is broken off harms nothing
    await this.#running?.ended.catch(() => {});
  }

  #begin(): Running {
    const listeners = new Set<() => void>();
    const running: Running = {
      progress: { done: 0, total: 0 },
      listeners,
      ended: this.#sync(({ filesDone, filesTotal, index }) => {
        running.progress = { done: index?.indexed ?? filesDone, total: index?.files ?? filesTotal };
        for (const listener of listeners) listener();
      }).finally(() => {
        this.#running = undefined;
      }),
    };
    running.ended.catch(() => {}); // every question may have lost patience
    this.#running = running;
    return running;
  }

  /** @returns what to say of an index that is not up to date all the same */
  async #sync(onProgress: (progress: SyncProgress) => void): Promise<string | undefined> {
    try {
      const { signal } = this.#closing;
      const { busy, behind } = await syncInThread(this.#place, { signal, onProgress });
      return busy ? lacking(behind) : undefined;
    } catch (error) {
      if (error instanceof PidexError && error.code === "UPGRADED") throw error;
      return old(notBroughtUp(error as Error));
    }
  }

  /** Whether it ended while somebody had patience. @throws the signal's reason when aborted */
  async #waitFor(running: Running, { signal, onProgress }: Control): Promise<boolean> {
    const tell = () => onProgress?.(running.progress);
    running.listeners.add(tell);
    const late = AbortSignal.timeout(this.#closing.signal.aborted ? 0 : this.#patienceMs);
    const stop = AbortSignal.any([late, ...(signal ? [signal] : [])]);
    try {
      tell();
      const hasEnded = await Promise.race([running.ended.then(() => true), aborted(stop).then(() => false)]);
      signal?.throwIfAborted();
      return hasEnded;
    } finally {
      running.listeners.delete(tell);
    }
  }
}

function lacking(behind: number): string {
  return `Another pidex is building the index: ${counted(behind, "file")} ${behind === 1 ? "is" : "are"} not in this answer.`;
}

function notBroughtUp({ message }: Error): string {
  return `the index could not be brought up to date: ${message}`;
}

function old(why: string): string {
  return `This answer may be old: ${why}.`;
}
