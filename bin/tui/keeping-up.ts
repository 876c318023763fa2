/** The picker's side of the thread that keeps the index up to date. */
import { Worker } from "node:worker_threads";
import type { FromSync, IndexPlace } from "./questions.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./sync-thread.ts" : "./sync-thread.js",
  import.meta.url,
);

/** How long the thread may take to end what it is at, in milliseconds; a sync that is broken off harms nothing. */
const PATIENCE_MS = 300;

/** Keeps the index up to date until it is closed. */
export class KeepingUp {
  readonly #thread: Worker;
  readonly #ended: Promise<unknown>;

  constructor(place: IndexPlace, onTold: (told: FromSync) => void) {
    this.#thread = new Worker(PROGRAM, { workerData: place });
    this.#thread.on("message", onTold);
    this.#thread.on("error", (error) => onTold({ notice: `nothing new is seen any more: ${error.message}` }));
    this.#ended = new Promise((resolve) => this.#thread.once("exit", resolve));
  }

  async close(): Promise<void> {
    this.#thread.postMessage("stop");
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([this.#ended, late]);
    clearTimeout(timer);
    await this.#thread.terminate();
  }
}
