import { PidexError, SYNC_AND_RETRY } from "../../errors.ts";
import { toDatabaseError } from "./database-error.ts";
import type { Database } from "./open.ts";
import { isCorruption } from "./quarantine.ts";
import type { DatabaseLease, ReopeningDatabase } from "./reopening-database.ts";
import { DatabaseReplacedError } from "./replaced-database.ts";

/**
 * Reads from a database that may be replaced or rebuilt at any time. Each result comes from a single database: row ids
 * mean nothing in another one.
 */
export class SnapshotReader {
  readonly #database: ReopeningDatabase;
  readonly #prepare: () => Promise<unknown>;

  /** @param prepare syncs a database that was opened in place of another, before the first query */
  constructor(live: ReopeningDatabase, prepare: () => Promise<unknown>) {
    this.#database = live;
    this.#prepare = prepare;
  }

  /** Runs a query; repeats it if the database turned out to be broken or was rebuilt. @throws as `ReopeningDatabase.use` */
  read<T>(query: (database: Database, generation: string) => Promise<T>): Promise<T> {
    return this.#database.use(async (database) => {
      const generation = database.generation();
      const result = await query(database, generation);
      if (database.generation() !== generation) throw new DatabaseReplacedError();
      return result;
    }, this.#prepare);
  }

  /**
   * Reads a page. Its cursor `next` contains row ids, so it is valid only in the same database.
   *
   * @throws as `read`, and `BAD_CURSOR`
   */
  readPage<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O,
    query: (db: Database["reader"], options: O) => Promise<A>,
  ): Promise<A> {
    return this.read(async (database, generation) => {
      const cursor: unknown = options?.cursor; // the query rejects options that are not an object
      const params =
        typeof cursor === "string" ? { ...options, cursor: withoutGeneration(generation, cursor) } : options;
      const page = await query(database.reader, params);
      return page.next === undefined ? page : { ...page, next: `${generation}.${page.next}` };
    });
  }

  /**
   * Streams a result. Repeats the query, as `read` does, only before the first item: later, items would be sent twice.
   *
   * @param items names the items in error messages: `hits`
   * @throws as `read`, and `FILE_CHANGED` if the index is rebuilt before the end
   */
  async *stream<T, R>(
    query: (db: Database["reader"]) => AsyncGenerator<T, R>,
    items: string,
  ): AsyncGenerator<T, R> {
    let held: DatabaseLease | undefined;
    let generation = "";
    try {
      const { first, rest } = await this.read(async (database) => {
        await held?.release();
        held = this.#database.retain(database);
        generation = database.generation();
        const rest = query(database.reader);
        return { first: await rest.next(), rest };
      });
      try {
        for (let next = first; ; next = await rest.next()) {
          if (held && held.database.generation() !== generation) throw rebuiltMeanwhile(items);
          if (next.done) return next.value;
          yield next.value;
        }
      } catch (error) {
        throw held ? await this.toInterruptedError(held.database, error, items) : error;
      } finally {
        await rest.return(undefined as R);
      }
    } finally {
      await held?.release();
    }
  }

  /** Returns the error to throw when reading fails after the first items, and replaces the database if it is broken. */
  async toInterruptedError(database: Database, error: unknown, missing: string): Promise<unknown> {
    if (!isCorruption(error)) return toDatabaseError(database.path, error);
    await this.#database.replace(database);
    const message = `${database.path} is damaged: some ${missing} are missing`;
    const hint = "Repeat the request: pidex builds a new index.";
    return new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause: error });
  }
}

/** Returns a cursor without its generation. @throws PidexError `BAD_CURSOR` if that is another database's */
function withoutGeneration(generation: string, cursor: string): string {
  const [cursorGeneration, rest] = cursor.split(".");
  if (cursorGeneration === generation && rest !== undefined) return rest;
  const hint = "Start over without a cursor.";
  const isCursor = rest !== undefined && /^[0-9a-f]{12}$/.test(cursorGeneration ?? "");
  throw isCursor
    ? new PidexError("BAD_CURSOR", "the index was rebuilt after that page was read", hint)
    : new PidexError("BAD_CURSOR", "the cursor is invalid", hint);
}

function rebuiltMeanwhile(items: string): PidexError {
  const message = `the index was rebuilt while ${items} were read: some are missing`;
  return new PidexError("FILE_CHANGED", message, SYNC_AND_RETRY);
}
