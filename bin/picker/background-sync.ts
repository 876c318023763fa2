/** Keeps the index up to date while the picker is open. */

import type { SyncProgress } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { syncInThread } from "../actions/index-host.ts";
import type { IndexLocation } from "../actions/index-location.ts";
import type { SyncMessage } from "../actions/sync-messages.ts";
import type { PickerClient } from "./client.ts";

/** Minimum pause between two syncs, in milliseconds; and the minimum pause as a multiple of the last sync's duration. */
const SYNC_INTERVAL_MS = 2000;
const REST_FACTOR = 30;
/** Syncs wait until no key was pressed for this long, in milliseconds. */
const IDLE_MS = 500;

/**
 * The index host syncs, first at once and then while the user is not typing; if much is new, another thread does. Watching the files
 * instead would take a fifth of the picker's memory.
 */
export class BackgroundSync {
  readonly #location: IndexLocation;
  readonly #client: PickerClient;
  readonly #report: (message: SyncMessage) => void;
  #timer: NodeJS.Timeout | undefined;
  #pressedAt = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();
  #syncing: Promise<void> = Promise.resolve();

  constructor(location: IndexLocation, client: PickerClient, report: (message: SyncMessage) => void) {
    this.#location = location;
    this.#client = client;
    this.#report = report;
    this.#begin();
  }

  /** Call this for every key. */
  onKey(): void {
    this.#pressedAt = performance.now();
  }

  #begin(): void {
    this.#syncing = this.#sync();
  }

  #syncLater(ms: number): void {
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.#begin(), ms);
  }

  async #sync(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt - this.#pressedAt < IDLE_MS) return this.#syncLater(IDLE_MS);
    let durationMs = 0;
    try {
      const synced = await this.#client.call("sync");
      durationMs = performance.now() - startedAt;
      if (synced !== "takes long") this.#report({ synced });
      else {
        const { signal } = this.#closing;
        const onProgress = (progress: SyncProgress) => this.#report({ progress });
        const onNotice = (notice: string) => this.#report({ notice });
        this.#report({ synced: await syncInThread(this.#location, { signal, onProgress, onNotice }) });
      }
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const reason = toMessage(error);
      this.#report({ notice: `the index could not be updated: ${reason}` });
    }
    this.#syncLater(Math.max(SYNC_INTERVAL_MS, REST_FACTOR * durationMs));
  }

  /** Interrupts a running sync, which is harmless. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#syncing;
  }
}
