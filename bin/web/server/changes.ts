/** Keeps the index up to date in a thread of its own, and tells who listens what changed. */
import { Worker } from "node:worker_threads";
import { assertNotUpgraded } from "../../../library/internal.ts";
import type { Change } from "../api/answers.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./watching-thread.ts" : "./watching-thread.js",
  import.meta.url,
);

/** Where the index is, for the thread that opens it too. */
export interface IndexPlace {
  db: string;
  roots: string[] | undefined;
}

/** How soon after it ended unasked the thread is begun again, in milliseconds; twice as late each time, until a sync is done. */
const BEGIN_AGAIN_MS = 2000;
const BEGIN_AGAIN_AT_MOST_MS = 120_000;

export class Changes {
  readonly #place: IndexPlace;
  readonly #listeners = new Set<(change: Change) => void>();
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Change | undefined;
  #isClosed = false;
  #beginAgainMs = BEGIN_AGAIN_MS;

  constructor(place: IndexPlace) {
    this.#place = place;
    this.#begin();
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
    await this.#worker?.terminate();
  }

  /** Not with the files of another version: its thread might change the index to one that this server cannot read. */
  #beginAgain(): void {
    try {
      assertNotUpgraded();
      this.#begin();
    } catch (error) {
      this.tell({ kind: "problem", message: error instanceof Error ? error.message : String(error) });
    }
  }

  #begin(): void {
    const worker = new Worker(PROGRAM, { workerData: this.#place });
    this.#worker = worker;
    worker.on("message", (change: Change) => {
      if (change.kind === "synced") this.#beginAgainMs = BEGIN_AGAIN_MS;
      this.tell(change);
    });
    worker.on("error", (error) => this.tell({ kind: "problem", message: error.message }));
    worker.on("exit", () => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.#beginAgain(), this.#beginAgainMs);
      this.#beginAgainMs = Math.min(2 * this.#beginAgainMs, BEGIN_AGAIN_AT_MOST_MS);
    });
  }
}
