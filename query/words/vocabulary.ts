import type { Reader } from "../../src/store/sqlite/reader.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { endOfPrefix } from "../scope.ts";

/** A word of the full-text index, folded, and how many entries have it, counted up to `MAX_DOCS`. */
export interface IndexedWord {
  word: string;
  docs: number;
}

/** To which number the entries of a word are counted. */
export const MAX_DOCS = 500;

/** The words that the full-text index has or had: those of letters alone. */
export class Vocabulary {
  readonly #db: Reader;
  readonly #lastEntry: number;

  /** @param lastEntry entries that come later are not counted: they are on no page of an answer that is begun */
  constructor(db: Reader, lastEntry: number) {
    this.#db = db;
    this.#lastEntry = lastEntry;
  }

  /** Those of some words that are in it. */
  async known(words: Iterable<string>): Promise<string[]> {
    const { rows } = await sql<{ word: string }>`
      SELECT vocabulary.word FROM json_each(${JSON.stringify([...words])}) AS given
        CROSS JOIN vocabulary ON vocabulary.word = given.value`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  /** Words in it that begin with a prefix, in the order of their letters; at most `limit`, with so many letters. */
  async beginningWith(
    prefix: string,
    limit: number,
    letters: { min: number; max: number },
  ): Promise<string[]> {
    const { rows } = await sql<{ word: string }>`
      SELECT word FROM vocabulary
      WHERE word >= ${prefix} AND word < ${endOfPrefix(prefix)}
        AND length(word) BETWEEN ${letters.min} AND ${letters.max} LIMIT ${sql.lit(limit)}`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  /** Whether any entry matches an expression of FTS5. */
  async isAnywhere(expression: string): Promise<boolean> {
    const { rows } = await sql`
      SELECT 1 FROM entry_text
      WHERE entry_text MATCH ${expression} AND rowid <= CAST(${this.#lastEntry} AS INTEGER) LIMIT 1`.execute(
      this.#db,
    );
    return rows.length > 0;
  }

  /** How many entries have each of some words, those that none has left out. Costs tens of microseconds a word. */
  async counted(words: Iterable<string>): Promise<IndexedWord[]> {
    const { rows } = await sql<IndexedWord>`
      SELECT given.value AS word, (
        SELECT count(*) FROM (SELECT rowid FROM entry_text
          WHERE entry_text MATCH '"' || replace(given.value, '"', '""') || '"'
            AND rowid <= CAST(${this.#lastEntry} AS INTEGER) LIMIT ${sql.lit(MAX_DOCS)})) AS docs
      FROM json_each(${JSON.stringify([...words])}) AS given`.execute(this.#db);
    return rows.filter(({ docs }) => docs > 0);
  }
}
