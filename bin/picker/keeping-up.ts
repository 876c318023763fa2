/** Keeps the index up to date while the picker is open. */
import type { SyncProgress } from "../../library/index.ts";
import { syncInThread } from "../actions/index-host.ts";
import type { FromSync, IndexPlace } from "../actions/synced.ts";
import type { Asker } from "./asker.ts";

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
  #timer: NodeJS.Timeout | undefined;
  #pressedAt = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();
  #atWork: Promise<void> = Promise.resolve();

  constructor(place: IndexPlace, asker: Asker, told: (told: FromSync) => void) {
    this.#place = place;
    this.#asker = asker;
    this.#told = told;
    this.#begin();
  }

  /** A key was pressed. */
  pressed(): void {
    this.#pressedAt = performance.now();
  }

  #begin(): void {
    this.#atWork = this.#look();
  }

  #lookLater(ms: number): void {
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.#begin(), ms);
  }

  async #look(): Promise<void> {
    const began = performance.now();
    if (began - this.#pressedAt < IDLE_MS) return this.#lookLater(IDLE_MS);
    let took = 0;
    try {
      const synced = await this.#asker.call("sync", undefined);
      took = performance.now() - began;
      if (synced !== "takes long") this.#told({ synced });
      else {
        const { signal } = this.#closing;
        const tell = {
          onProgress: (progress: SyncProgress) => this.#told({ progress }),
          onNotice: (notice: string) => this.#told({ notice }),
        };
        this.#told({ synced: await syncInThread(this.#place, { signal, ...tell }) });
      }
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const reason = error instanceof Error ? error.message : error;
      this.#told({ notice: `the index could not be brought up to date: ${reason}` });
    }
    this.#lookLater(Math.max(LOOK_EVERY_MS, REST_FACTOR * took));
  }

  /** A sync that is broken off harms nothing. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#atWork;
  }
}
