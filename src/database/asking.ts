import { PidexError } from "../errors.ts";
import { isCorruption } from "./aside.ts";
import type { Held, LiveDatabase } from "./live.ts";
import type { Database } from "./open.ts";
import { inWords } from "./unavailable.ts";

/** Asks a database that may be replaced at any time: each answer is one of whatever lies there, synced at least once. */
export class Asking {
  readonly #live: LiveDatabase;
  readonly #sync: () => Promise<unknown>;

  /** @param sync brings a database that is new up to the files before it is asked */
  constructor(live: LiveDatabase, sync: () => Promise<unknown>) {
    this.#live = live;
    this.#sync = sync;
  }

  /** Asks the database; one that turns out to be broken is built anew and asked again. */
  ask<T>(query: (database: Database) => Promise<T>): Promise<T> {
    return this.#live.use(query, this.#sync);
  }

  /**
   * Tells an answer that comes in pieces. Until the first, a broken database is built anew and asked again; afterwards
   * pieces would be told twice.
   *
   * @param pieces what is missing then: `hits`
   */
  async *stream<T, R>(
    query: (db: Database["reader"]) => AsyncGenerator<T, R>,
    pieces: string,
  ): AsyncGenerator<T, R> {
    let held: Held | undefined;
    try {
      const { first, rest } = await this.ask(async (database) => {
        await held?.release();
        held = this.#live.keep(database);
        const rest = query(database.reader);
        return { first: await rest.next(), rest };
      });
      try {
        for (let next = first; ; next = await rest.next()) {
          if (next.done) return next.value;
          yield next.value;
        }
      } catch (error) {
        throw held ? await this.brokenMeanwhile(held.database, error, pieces) : error;
      } finally {
        await rest.return(undefined as R);
      }
    } finally {
      await held?.release();
    }
  }

  /** What to throw for an error that came when part of the answer was told: a broken database is built anew. */
  async brokenMeanwhile(asked: Database, error: unknown, missing: string): Promise<unknown> {
    if (!isCorruption(error)) return inWords(asked.path, error);
    await this.#live.replace(asked);
    const hint = "Ask again: a new index is built.";
    return new PidexError("DATABASE_UNAVAILABLE", `${asked.path} is broken: ${missing} are missing`, hint, {
      cause: error,
    });
  }
}
