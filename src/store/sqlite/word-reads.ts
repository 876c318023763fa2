import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { sql } from "../sql.ts";
import type { WordReads } from "../word-reads.ts";
import { CREATE_INDEXED_WORDS } from "./indexed-words.ts";
import type { Reader } from "./reader.ts";

/**
 * Minimum total number of entries, over all its words, for a prefix to be replaced by its most frequent words. FTS5 merges the
 * lists of all words with a prefix before it returns the first entry, which takes about two milliseconds at this size.
 */
const BROAD = 200_000;

export class SqliteWordReads implements WordReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async filterKnown(words: Iterable<string>): Promise<string[]> {
    const { rows } = await sql<{ word: string }>`
      SELECT vocabulary.word FROM json_each(${JSON.stringify([...words])}) AS candidate
        CROSS JOIN vocabulary ON vocabulary.word = candidate.value`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  async findByPrefix(
    prefix: string,
    limit: number,
    letters: { min: number; max: number },
  ): Promise<string[]> {
    const { rows } = await sql<{ word: string }>`
      SELECT word FROM vocabulary
      WHERE word >= ${prefix} AND word < ${prefixUpperBound(prefix)}
        AND length(word) BETWEEN ${letters.min} AND ${letters.max} LIMIT ${sql.lit(limit)}`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  /** Word frequencies are stable until the index has about doubled. */
  async findFrequent(prefixes: ReadonlySet<string>, limit: number): Promise<Map<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    const { rows } = await sql<{ last: number | null }>`SELECT max(id) AS last FROM entry`.execute(this.#db);
    const magnitude = Math.ceil(Math.log2(1 + (rows[0]?.last ?? 0)));
    for (const prefix of prefixes) {
      const name = `${magnitude} ${limit} ${prefix}`;
      const words = await this.#db.cached(name, () => this.#frequentWords(prefix, limit));
      if (words.length > 0) found.set(prefix, words);
    }
    return found;
  }

  /** FTS5 merges the lists of all words with a prefix before it returns the first entry, but reads those of an OR from their ends. */
  async findForTyping(prefix: string, limit: number): Promise<readonly string[]> {
    // Short words are usually the frequent ones; the shortest is the prefix itself, if it is a word.
    const { rows } = await sql<{ word: string }>`
      SELECT word FROM vocabulary WHERE word >= ${prefix} AND word < ${prefixUpperBound(prefix)}
      ORDER BY length(word), word LIMIT ${sql.lit(limit)}`.execute(this.#db);
    return rows.map(({ word }) => word);
  }

  /** The most frequent words that begin with a prefix; empty if the prefix is not broad. */
  async #frequentWords(prefix: string, limit: number): Promise<readonly string[]> {
    this.#db.createTemporary(CREATE_INDEXED_WORDS);
    const { rows } = await sql<{ term: string; places: number }>`
      SELECT term, sum(doc) OVER () AS places FROM indexed_word
      WHERE term >= ${prefix} AND term < ${prefixUpperBound(prefix)}
      ORDER BY doc DESC, term LIMIT ${sql.lit(limit)}`.execute(this.#db);
    return (rows[0]?.places ?? 0) < BROAD ? [] : rows.map(({ term }) => term);
  }
}
