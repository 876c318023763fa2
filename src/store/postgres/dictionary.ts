import { getOrInsert } from "../../get-or-insert.ts";
import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { sql } from "../sql.ts";
import { type Phrase, phrasesOf, type TextExpression } from "../text-expression.ts";
import type { Runner } from "./runner.ts";

/** What is known of the words of some texts. */
export interface Dictionary {
  /** The words at each position of a phrase: one, or those that begin with its prefix. */
  wordsOf: (phrase: Phrase) => readonly (readonly string[])[];
  /** Roughly how many entries contain a word: those of its newest postings on each shelf. */
  frequency: (word: string) => number;
  /** Roughly how many postings a word has: its newest ones on each shelf are counted. */
  postings: (word: string) => number;
  /** Roughly how many entries a posting of a word has. */
  density: (word: string) => number;
}

const MAX_COUNTED = 2_000;
const MIN_COUNTED = 50;

/** Looks up the words of texts. */
export async function readDictionary(
  db: Runner,
  shelves: readonly number[],
  texts: readonly TextExpression[],
): Promise<Dictionary> {
  const phrases = texts.flatMap(phrasesOf);
  const expansions = new Map<string, readonly string[]>();
  const words = new Set<string>();
  for (const { words: phrase, prefix } of phrases) {
    const all = phrase.split(" ");
    const last = prefix ? all.pop() : undefined;
    for (const word of all) words.add(word);
    if (last === undefined || expansions.has(last)) continue;
    expansions.set(last, await findByPrefix(db, shelves, last));
  }
  for (const expanded of expansions.values()) for (const word of expanded) words.add(word);
  const counts = await countEntries(db, shelves, [...words]);
  // Cached, because a phrase is looked for in thousands of entries.
  const split = new Map<Phrase, (readonly string[])[]>();
  return {
    wordsOf: (phrase) =>
      getOrInsert(split, phrase, ({ words, prefix }) => {
        const all = words.split(" ");
        return all.map((word, n) => (prefix && n === all.length - 1 ? (expansions.get(word) ?? []) : [word]));
      }),
    frequency: (word) => counts.get(word)?.entries ?? 0,
    postings: (word) => counts.get(word)?.postings ?? 0,
    density: (word) => {
      const { entries, postings } = counts.get(word) ?? { entries: 0, postings: 0 };
      return postings === 0 ? 1 : entries / postings;
    },
  };
}

/** The words that begin with a prefix, in order. */
async function findByPrefix(db: Runner, shelves: readonly number[], prefix: string): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    SELECT DISTINCT found.word FROM unnest(${shelves}::integer[]) AS searched (shelf) CROSS JOIN LATERAL (
      SELECT word FROM vocabulary
      WHERE vocabulary.shelf = searched.shelf AND word >= ${prefix} AND word < ${prefixUpperBound(prefix)}) AS found
    ORDER BY 1`.execute(db);
  return rows.map(({ word }) => word);
}

interface WordCount {
  entries: number;
  postings: number;
}

/** Counts the newest postings of each word, and the entries in them. */
async function countEntries(
  db: Runner,
  shelves: readonly number[],
  words: readonly string[],
): Promise<Map<string, WordCount>> {
  if (words.length === 0) return new Map();
  // For the hundreds of words that begin with a prefix, a rough count is enough.
  const limit = Math.max(MIN_COUNTED, Math.floor(MAX_COUNTED / words.length));
  const { rows } = await sql<WordCount & { word: string }>`
    SELECT wanted.word, sum(found.entries)::integer AS entries, sum(found.postings)::integer AS postings
    FROM unnest(${words}::text[]) AS wanted (word) CROSS JOIN unnest(${shelves}::integer[]) AS searched (shelf)
      CROSS JOIN LATERAL (SELECT coalesce(sum(lines), 0) AS entries, count(*) AS postings FROM (
        SELECT lines FROM posting WHERE posting.shelf = searched.shelf AND posting.word = wanted.word
        ORDER BY day DESC, file_id DESC, first_line DESC LIMIT ${limit}) AS newest) AS found
    GROUP BY 1`.execute(db);
  return new Map(rows.map(({ word, entries, postings }) => [word, { entries, postings }]));
}
