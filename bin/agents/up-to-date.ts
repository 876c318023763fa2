/** Brings the index up to the files before each answer, and says so where that is not done yet. */

import { Worker } from "node:worker_threads";
import { type Index, PidexError } from "../../library/index.ts";
import { assertNotUpgraded } from "../../library/internal.ts";
import { syncUnlessLong } from "../actions/sync-unless-long.ts";
import type { FromSync, IndexPlace } from "../actions/synced.ts";
import { counted } from "../format/safe.ts";
import type { Control, Progress } from "./answer.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "../actions/sync-thread.ts" : "./sync-thread.js",
  import.meta.url,
);

/** How long a question waits for a first index, in milliseconds; then it is answered from what is there. */
const PATIENCE_MS = 10_000;

/** A sync that a thread is at. */
interface Running {
  thread: Worker;
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
  #isClosed = false;

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
      if (this.#isClosed) return undefined; // and the index with it: no thread is to outlive them
    }
    const running = this.#running ?? this.#begin();
    if (!(await this.#waitFor(running, { ...(signal && { signal }), ...(onProgress && { onProgress }) }))) {
      const { done, total } = running.progress;
      return `The index is being built: ${done} of ${counted(total, "file")} are in it, and this answer lacks the rest. Ask again later.`;
    }
    return running.ended;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.thread.terminate(); // a sync that is broken off harms nothing
  }

  #begin(): Running {
    assertNotUpgraded();
    const thread = new Worker(PROGRAM, { workerData: this.#place });
    const listeners = new Set<() => void>();
    let remark: string | undefined;
    const running: Running = {
      thread,
      progress: { done: 0, total: 0 },
      listeners,
      ended: new Promise((resolve) => {
        thread.on("error", (error) => {
          remark = old(notBroughtUp(error));
        });
        thread.on("exit", () => {
          this.#running = undefined;
          resolve(remark);
        });
      }),
    };
    thread.on("message", (told: FromSync) => {
      // Who has come to the end has nothing to say of an answer, unless another one had the turn.
      if ("synced" in told) remark = told.synced.busy ? lacking(told.synced.behind) : undefined;
      else if ("notice" in told) remark = old(told.notice);
      else {
        const { filesDone, filesTotal, index } = told.progress;
        running.progress = { done: index?.indexed ?? filesDone, total: index?.files ?? filesTotal };
        for (const listener of listeners) listener();
      }
    });
    this.#running = running;
    return running;
  }

  /** Whether it ended while somebody had patience. @throws the signal's reason when aborted */
  async #waitFor(running: Running, { signal, onProgress }: Control): Promise<boolean> {
    const tell = () => onProgress?.(running.progress);
    running.listeners.add(tell);
    let timer: NodeJS.Timeout | undefined;
    let leave = () => {};
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#isClosed ? 0 : this.#patienceMs);
    });
    const aborted = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave, { once: true });
    });
    try {
      tell();
      return await Promise.race([running.ended.then(() => true), late, aborted]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      running.listeners.delete(tell);
    }
  }
}

function lacking(behind: number): string {
  return `Another pidex is building the index: ${counted(behind, "file")} ${behind === 1 ? "is" : "are"} not in this answer.`;
}

/** As the thread tells it. */
function notBroughtUp({ message }: Error): string {
  return `the index could not be brought up to date: ${message}`;
}

function old(why: string): string {
  return `This answer may be old: ${why}.`;
}
