/** Keeps the index up to date while the picker is open. */
import { Worker } from "node:worker_threads";
import type { Asker } from "./asker.ts";
import type { FromSync, IndexPlace } from "./model/questions.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./answering/sync-thread.ts" : "./sync-thread.js",
  import.meta.url,
);

/** A thread is for what may take long; it needs little room for what is thrown away at once. */
const YOUNG_MB = 4;
/** How long the thread may take to end what it is at, in milliseconds; a sync that is broken off harms nothing. */
const PATIENCE_MS = 300;
/** How often the files are looked at, in milliseconds, and how many times as long as that took it is left alone. */
const LOOK_EVERY_MS = 2000;
const REST_FACTOR = 30;
/** Who pressed a key less long ago may press another. */
const IDLE_MS = 500;

/**
 * First a thread of its own brings the index up to date, which may take long; from then on the one that answers looks for
 * what is new whenever nobody types. To watch all files would take a fifth of all memory for what a look tells as well.
 */
export class KeepingUp {
  readonly #asker: Asker;
  readonly #told: (told: FromSync) => void;
  readonly #thread: Worker;
  readonly #ended: Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #pressedAt = 0;
  #isClosed = false;

  constructor(place: IndexPlace, asker: Asker, told: (told: FromSync) => void) {
    this.#asker = asker;
    this.#told = told;
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#thread = new Worker(PROGRAM, { workerData: place, resourceLimits });
    this.#thread.on("message", told);
    this.#thread.on("error", ({ message }) =>
      told({ notice: `the index is not brought up to date: ${message}` }),
    );
    this.#ended = new Promise((resolve) => this.#thread.once("exit", resolve));
    void this.#ended.then(() => this.#lookLater(LOOK_EVERY_MS));
  }

  /** A key was pressed. */
  pressed(): void {
    this.#pressedAt = performance.now();
  }

  #lookLater(ms: number): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    const began = performance.now();
    if (began - this.#pressedAt < IDLE_MS) return this.#lookLater(IDLE_MS);
    try {
      this.#told({ synced: await this.#asker.ask("sync", undefined) });
    } catch (error) {
      if (!this.#isClosed) this.#told({ notice: error instanceof Error ? error.message : String(error) });
    }
    this.#lookLater(Math.max(LOOK_EVERY_MS, REST_FACTOR * (performance.now() - began)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#thread.postMessage("stop");
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      late = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([this.#ended, patience]);
    clearTimeout(late);
    await this.#thread.terminate();
  }
}
