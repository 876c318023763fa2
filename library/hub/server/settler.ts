import type { Pool } from "pg";
import { settleAll } from "../../../indexer/hub-ledger.ts";
import { findUnsettledShelves } from "../../../src/store/postgres/ledger-rows.ts";
import type { Ingest } from "./ingest-service.ts";

/** Brings the ledger of some shelves up to date, which costs one small query if they are. Call it before usage is read. */
export async function settleShelves(pool: Pool, shelves: readonly number[]): Promise<void> {
  for (const shelf of await findUnsettledShelves(pool, shelves)) await settleAll(pool, shelf);
}

/** How long lines are collected before they are settled, in milliseconds: a machine that pushes often is settled once for many lines. */
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
/** The delay is this many times as long as the last run: while thousands of sessions are pushed, settling takes a tenth of the time. */
const DELAY_RATIO = 9;

/** Keeps the ledger of all shelves up to date in the background, so that queries rarely wait for it. */
export class Settler {
  readonly #pool: Pool;
  readonly #ingest: Pick<Ingest, "settle">;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isDue = false;
  #isClosed = false;
  #delayMs = MIN_DELAY_MS;

  constructor(pool: Pool, ingest: Pick<Ingest, "settle">, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#ingest = ingest;
    this.#onError = onError;
  }

  /** Settles what is unsettled, soon or after the current run. */
  wake(): void {
    this.#isDue = true;
    if (this.#running || this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.#start(), this.#delayMs).unref();
  }

  /** Ends after the shelf that is being settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #start(): void {
    this.#timer = undefined;
    this.#isDue = false;
    const startedAt = performance.now();
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      const delay = DELAY_RATIO * (performance.now() - startedAt);
      this.#delayMs = Math.min(Math.max(delay, MIN_DELAY_MS), MAX_DELAY_MS);
      if (this.#isDue) this.wake();
    });
  }

  async #run(): Promise<void> {
    try {
      for (const shelf of await findUnsettledShelves(this.#pool)) {
        if (this.#isClosed) return;
        await this.#ingest.settle(shelf);
      }
    } catch (error) {
      this.#onError(error); // the next append, or the next query of usage, tries again
    }
  }
}
