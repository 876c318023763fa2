/** Syncs the index before each request, with a notice if it is not finished in time. */
import { type Index, PidexError, type SyncProgress, type SyncReport } from "../../library/index.ts";
import { syncInThread } from "../actions/index-host.ts";
import type { IndexLocation } from "../actions/index-location.ts";
import { syncUnlessLong } from "../actions/sync-unless-long.ts";
import { waitForAbort } from "../actions/wait-for-abort.ts";
import { formatCount } from "../format/safe.ts";
import type { Progress, RequestOptions } from "./answer.ts";

/** How long a request waits for the first index, in milliseconds. After that it uses what is indexed so far. */
const TIMEOUT_MS = 10_000;

export class IndexSync {
  readonly #index: Index;
  readonly #location: IndexLocation;
  readonly #timeoutMs: number;
  /** The result of the sync that runs in a thread: a notice if the index is still not up to date. */
  #running: Promise<string | undefined> | undefined;
  #progress: Progress = { done: 0, total: 0 };
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();

  constructor(index: Index, roots: string[] | undefined, timeoutMs = TIMEOUT_MS) {
    this.#index = index;
    this.#location = { db: index.path, roots };
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Syncs the index, and waits for that at most the timeout.
   *
   * @returns a notice if the index is not up to date
   * @throws the signal's reason when aborted
   */
  async sync({ signal, onProgress }: RequestOptions): Promise<string | undefined> {
    signal?.throwIfAborted();
    if (!this.#running) {
      try {
        const report = await syncUnlessLong(this.#index);
        if (report !== "takes long") return toNotice(report);
      } catch (error) {
        if (!(error instanceof PidexError)) throw error;
        return staleNotice(error);
      }
      signal?.throwIfAborted();
      if (this.#closing.signal.aborted) return undefined; // the index is closing too, and no thread may outlive it
    }
    const running = this.#running ?? this.#start();
    if (!(await this.#waitFor(running, { signal, onProgress }))) {
      const { done, total } = this.#progress;
      return `The index is still being built: this answer covers ${done} of ${formatCount(total, "file")}. Try again later for complete results.`;
    }
    return running;
  }

  async close(): Promise<void> {
    this.#closing.abort(); // aborting a sync is safe
    await this.#running?.catch(() => {});
  }

  #start(): Promise<string | undefined> {
    this.#progress = { done: 0, total: 0 };
    const running = this.#sync().finally(() => {
      this.#running = undefined;
    });
    running.catch(() => {}); // every request may have timed out
    this.#running = running;
    return running;
  }

  async #sync(): Promise<string | undefined> {
    const { signal } = this.#closing;
    const onProgress = ({ filesDone, filesTotal, index }: SyncProgress) => {
      this.#progress = { done: index?.indexed ?? filesDone, total: index?.files ?? filesTotal };
      for (const listener of this.#listeners) listener();
    };
    try {
      return toNotice(await syncInThread(this.#location, { signal, onProgress }));
    } catch (error) {
      if (error instanceof PidexError && error.code === "UPGRADED") throw error;
      return staleNotice(error as Error);
    }
  }

  /** Whether the sync ended before the timeout. @throws the signal's reason when aborted */
  async #waitFor(running: Promise<unknown>, { signal, onProgress }: RequestOptions): Promise<boolean> {
    const report = () => onProgress?.(this.#progress);
    this.#listeners.add(report);
    const timeout = AbortSignal.timeout(this.#closing.signal.aborted ? 0 : this.#timeoutMs);
    const stop = AbortSignal.any([timeout, ...(signal ? [signal] : [])]);
    try {
      report();
      const isDone = await Promise.race([running.then(() => true), waitForAbort(stop).then(() => false)]);
      signal?.throwIfAborted();
      return isDone;
    } finally {
      this.#listeners.delete(report);
    }
  }
}

function toNotice({ busy, behind }: Pick<SyncReport, "busy" | "behind">): string | undefined {
  if (!busy || behind === 0) return undefined;
  return `Another pidex process is indexing: results may be out of date for ${formatCount(behind, "file")}.`;
}

function staleNotice({ message }: Error): string {
  return `This answer may be out of date: the index could not be synced: ${message}.`;
}
