/** Expansion of one- and two-letter prefixes that match too many words to search them all. */

import type { Reader } from "../src/store/sqlite/reader.ts";
import { prefixUpperBound } from "../src/store/sqlite/scope.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import { CREATE_INDEXED_WORDS } from "../src/store/sqlite/vocabulary-words.ts";
import { prepareQuery } from "../src/store/words/prepare-text.ts";

/** The most frequent words that begin with a prefix, by prefix. Searched in place of the prefix. */
export type PrefixExpansions = ReadonlyMap<string, readonly string[]>;

/**
 * Minimum total number of entries, over all its words, for a prefix to be expanded. FTS5 merges the lists of all words with a
 * prefix before it returns the first entry, which takes about two milliseconds at this size.
 */
const BROAD = 200_000;
/** Words searched in place of a prefix. In a gigabyte of sessions they cover 95 to 100 % of its entries. */
const MAX_WORDS = 64;

/** Letters of an alphabet, or digits. In Chinese and similar scripts two characters are a word, and few others begin with it. */
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{1,2}$/u;

/** Returns the short prefix that a text ends with, in its indexed form; undefined if there is none. */
export function getShortPrefix(text: string, prefix: boolean): string | undefined {
  const phrase = prepareQuery(text);
  const last = phrase?.words.slice(phrase.words.lastIndexOf(" ") + 1) ?? "";
  return phrase && (phrase.prefix || prefix) && SHORT.test(last) ? last : undefined;
}

/** Looks up which short prefixes of the terms are broad, and the words to search for instead. */
export async function expandBroadPrefixes(
  db: Reader,
  terms: readonly { text: string; prefix: boolean }[],
): Promise<PrefixExpansions> {
  const short = new Set(terms.flatMap(({ text, prefix }) => getShortPrefix(text, prefix) ?? []));
  const found = new Map<string, readonly string[]>();
  if (short.size === 0) return found;
  const { rows } = await sql<{ last: number | null }>`SELECT max(id) AS last FROM entry`.execute(db);
  const magnitude = Math.ceil(Math.log2(1 + (rows[0]?.last ?? 0)));
  for (const prefix of short) {
    // Word frequencies are stable until the index has about doubled.
    const words = await db.cached(`${magnitude} ${prefix}`, () => frequentWords(db, prefix));
    if (words.length > 0) found.set(prefix, words);
  }
  return found;
}

/** The most frequent words that begin with a prefix; empty if the prefix is not broad. */
async function frequentWords(db: Reader, prefix: string): Promise<readonly string[]> {
  db.createTemporary(CREATE_INDEXED_WORDS);
  const { rows } = await sql<{ term: string; places: number }>`
    SELECT term, sum(doc) OVER () AS places FROM indexed_word
    WHERE term >= ${prefix} AND term < ${prefixUpperBound(prefix)}
    ORDER BY doc DESC, term LIMIT ${sql.lit(MAX_WORDS)}`.execute(db);
  return (rows[0]?.places ?? 0) < BROAD ? [] : rows.map(({ term }) => term);
}
