import { PidexError } from "../../errors.ts";
import { isCorruption } from "./aside.ts";
import type { Held, LiveDatabase } from "./live.ts";
import type { Database } from "./open.ts";
import { ReplacedDatabase } from "./replaced.ts";
import { inWords } from "./unavailable.ts";

/**
 * Asks a database that may be replaced, or rebuilt, at any time: every answer is of one database from its beginning to its
 * end. Between two statements of an answer the numbers of rows may have become others'.
 */
export class Asking {
  readonly #live: LiveDatabase;
  readonly #prepare: () => Promise<unknown>;

  /** @param prepare brings a database that was opened in another's place up to the files before it is asked */
  constructor(live: LiveDatabase, prepare: () => Promise<unknown>) {
    this.#live = live;
    this.#prepare = prepare;
  }

  /** Asks the database; where it was broken, or was rebuilt meanwhile, again. @throws as `LiveDatabase.use` */
  ask<T>(query: (database: Database, generation: string) => Promise<T>): Promise<T> {
    return this.#live.use(async (database) => {
      const generation = database.generation();
      const answer = await query(database, generation);
      if (database.generation() !== generation) throw new ReplacedDatabase();
      return answer;
    }, this.#prepare);
  }

  /**
   * Asks for a page of an answer. What its `next` says of rows is true in this database alone, so that goes on in no other.
   *
   * @throws as `ask`, and `BAD_CURSOR`
   */
  page<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O,
    query: (db: Database["reader"], options: O) => Promise<A>,
  ): Promise<A> {
    return this.ask(async (database, generation) => {
      const cursor: unknown = options?.cursor; // what is no options at all is refused by the query
      const asked = typeof cursor === "string" ? { ...options, cursor: within(generation, cursor) } : options;
      const answer = await query(database.reader, asked);
      return answer.next === undefined ? answer : { ...answer, next: `${generation}.${answer.next}` };
    });
  }

  /**
   * Tells an answer that comes in pieces. The first is asked for as by `ask`; afterwards pieces would be told twice.
   *
   * @param pieces what is missing when it cannot go on: `hits`
   * @throws as `ask`, and `FILE_CHANGED` when the index was rebuilt under it
   */
  async *stream<T, R>(
    query: (db: Database["reader"]) => AsyncGenerator<T, R>,
    pieces: string,
  ): AsyncGenerator<T, R> {
    let held: Held | undefined;
    let generation = "";
    try {
      const { first, rest } = await this.ask(async (database) => {
        await held?.release();
        held = this.#live.keep(database);
        generation = database.generation();
        const rest = query(database.reader);
        return { first: await rest.next(), rest };
      });
      try {
        for (let next = first; ; next = await rest.next()) {
          if (held && held.database.generation() !== generation) throw rebuiltMeanwhile(pieces);
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

/** A cursor without the generation it belongs to. */
function within(generation: string, cursor: string): string {
  const [madeIn, rest] = cursor.split(".");
  if (madeIn === generation && rest !== undefined) return rest;
  const hint = "Start over without a cursor.";
  const known = rest !== undefined && /^[0-9a-f]{12}$/.test(madeIn ?? "");
  throw known
    ? new PidexError("BAD_CURSOR", "the index was built anew since that page", hint)
    : new PidexError("BAD_CURSOR", "the cursor does not belong to this list", hint);
}

function rebuiltMeanwhile(pieces: string): PidexError {
  const message = `the index was rebuilt while ${pieces} were told: some are missing`;
  return new PidexError("FILE_CHANGED", message, "Ask again.");
}
