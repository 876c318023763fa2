import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { sql } from "../sql.ts";
import type { WordReads } from "../word-reads.ts";
import type { Runner } from "./runner.ts";

/** Minimum number of postings, over all its words, for a prefix to be replaced by its most frequent words. */
const BROAD = 200_000;

export class PostgresWordReads implements WordReads {
  readonly #db: Runner;
  readonly #shelves: readonly number[];

  constructor(db: Runner, shelves: readonly number[]) {
    this.#db = db;
    this.#shelves = shelves;
  }

  async filterKnown(words: Iterable<string>): Promise<string[]> {
    const { rows } = await sql<{ word: string }>`
      SELECT DISTINCT word FROM vocabulary
      WHERE shelf = ANY (${this.#shelves}) AND word = ANY (${[...words]}) AND ${isPlain}`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  async findByPrefix(
    prefix: string,
    limit: number,
    letters: { min: number; max: number },
  ): Promise<string[]> {
    const { rows } = await sql<{ word: string }>`
      SELECT DISTINCT word FROM vocabulary
      WHERE shelf = ANY (${this.#shelves}) AND word >= ${prefix} AND word < ${prefixUpperBound(prefix)}
        AND length(word) BETWEEN ${letters.min} AND ${letters.max} AND ${isPlain}
      ORDER BY word LIMIT ${limit}`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  async findFrequent(prefixes: ReadonlySet<string>, limit: number): Promise<Map<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    for (const prefix of prefixes) {
      const { rows } = await sql<{ word: string; total: number }>`
        SELECT word, sum(sum(lines)) OVER ()::bigint AS total FROM posting
        WHERE shelf = ANY (${this.#shelves}) AND word >= ${prefix} AND word < ${prefixUpperBound(prefix)}
        GROUP BY word ORDER BY sum(lines) DESC, word LIMIT ${limit}`.execute(this.#db);
      if ((rows[0]?.total ?? 0) >= BROAD)
        found.set(
          prefix,
          rows.map(({ word }) => word),
        );
    }
    return found;
  }

  /** A prefix is as fast as its words. */
  async findForTyping(): Promise<readonly string[]> {
    return [];
  }
}

/** Only Latin, or only Greek and Cyrillic letters, as `forEachPlainWord` chooses them. */
const isPlain = sql<boolean>`word ~ '^([a-z]{3,32}|[\u0370-\u052f]{3,32})$'`;
