/** Prefixes of one or two letters, which begin so many words that looking for all of them takes seconds. */
import type { Reader } from "../src/store/sqlite/reader.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import { MAKE_INDEXED_WORDS } from "../src/store/sqlite/vocabulary-words.ts";
import { prepareQuery } from "../src/store/sqlite/words.ts";
import { endOfPrefix } from "./scope.ts";

/** The words to look for in place of a prefix, by the prefix: the most frequent that begin with it. */
export type FrequentWords = ReadonlyMap<string, readonly string[]>;

/**
 * For a prefix FTS5 merges the lists of all words that begin with it before it gives the first entry, which takes
 * two milliseconds for so many places in the lists. Prefixes with fewer are looked for as they are.
 */
const BROAD = 200_000;
/** Words in place of a prefix. In a gigabyte of sessions they stand in 95 to 100 of 100 entries that it matches. */
const MAX_WORDS = 64;

/** Letters of an alphabet, or digits: of Chinese and the like two signs are a word, and begin few others. */
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{1,2}$/u;

/** The short prefix that a text ends with, as the index has it; undefined where it ends with none. */
export function shortPrefixOf(text: string, prefix: boolean): string | undefined {
  const phrase = prepareQuery(text);
  const last = phrase?.words.slice(phrase.words.lastIndexOf(" ") + 1) ?? "";
  return phrase && (phrase.prefix || prefix) && SHORT.test(last) ? last : undefined;
}

/** Looks up which short prefixes among words and phrases are broad, and the words to look for instead. */
export async function broadPrefixes(
  db: Reader,
  terms: readonly { text: string; prefix: boolean }[],
): Promise<FrequentWords> {
  const short = new Set(terms.flatMap(({ text, prefix }) => shortPrefixOf(text, prefix) ?? []));
  const found = new Map<string, readonly string[]>();
  if (short.size === 0) return found;
  const { rows } = await sql<{ last: number | null }>`SELECT max(id) AS last FROM entry`.execute(db);
  const magnitude = Math.ceil(Math.log2(1 + (rows[0]?.last ?? 0)));
  for (const prefix of short) {
    // Which words are frequent does not change while the index is about as large as it was.
    const words = await db.remembered(`${magnitude} ${prefix}`, () => frequentWords(db, prefix));
    if (words.length > 0) found.set(prefix, words);
  }
  return found;
}

/** The most frequent words that begin with a prefix; none where it is not broad. */
async function frequentWords(db: Reader, prefix: string): Promise<readonly string[]> {
  db.makeOwn(MAKE_INDEXED_WORDS);
  const { rows } = await sql<{ term: string; places: number }>`
    SELECT term, sum(doc) OVER () AS places FROM indexed_word
    WHERE term >= ${prefix} AND term < ${endOfPrefix(prefix)}
    ORDER BY doc DESC, term LIMIT ${sql.lit(MAX_WORDS)}`.execute(db);
  return (rows[0]?.places ?? 0) < BROAD ? [] : rows.map(({ term }) => term);
}
