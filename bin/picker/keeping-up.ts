/** Keeps the index up to date while the picker is open. */

import { Worker } from "node:worker_threads";
import { assertNotUpgraded } from "../../library/internal.ts";
import type { FromSync, IndexPlace } from "../actions/synced.ts";
import type { Asker } from "./asker.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "../actions/sync-thread.ts" : "./sync-thread.js",
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
 * The thread that answers looks for what is new, first at once, and then whenever nobody types; where much is, another reads
 * it meanwhile. To watch all files would take a fifth of all memory for what a look tells as well.
 */
export class KeepingUp {
  readonly #place: IndexPlace;
  readonly #asker: Asker;
  readonly #told: (told: FromSync) => void;
  /** Reads what is new, where that takes long. */
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(place: IndexPlace, asker: Asker, told: (told: FromSync) => void) {
    this.#place = place;
    this.#asker = asker;
    this.#told = told;
    void this.#look();
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
    let took = 0;
    try {
      const synced = await this.#asker.ask("sync", undefined);
      took = performance.now() - began;
      if (synced !== "takes long") this.#told({ synced });
      else await this.#readAll();
    } catch (error) {
      if (!this.#isClosed) this.#told({ notice: error instanceof Error ? error.message : String(error) });
    }
    this.#lookLater(Math.max(LOOK_EVERY_MS, REST_FACTOR * took));
  }

  /** Has another thread read what is new, until it ends. @throws what broke it off */
  async #readAll(): Promise<void> {
    if (this.#isClosed) return;
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    assertNotUpgraded();
    const thread = new Worker(PROGRAM, { workerData: this.#place, resourceLimits });
    this.#thread = thread;
    thread.on("message", this.#told);
    await new Promise((resolve, reject) => thread.once("exit", resolve).once("error", reject));
    this.#thread = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const thread = this.#thread;
    if (!thread) return;
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    thread.postMessage("stop");
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      late = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([ended, patience]);
    clearTimeout(late);
    await thread.terminate();
  }
}
