import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { sql } from "../sql.ts";
import { phrasesOf, type TextExpression } from "../text-expression.ts";
import type { Runner } from "./runner.ts";

/** What is known of the words of some texts. */
export interface Dictionary {
  /** The words that a prefix stands for. */
  expand: (prefix: string) => readonly string[];
  /** Roughly how many entries contain a word: those of its newest `MAX_COUNTED` postings on each shelf. */
  frequency: (word: string) => number;
}

const MAX_COUNTED = 2_000;

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
  return {
    expand: (prefix) => expansions.get(prefix) ?? [],
    frequency: (word) => counts.get(word) ?? 0,
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

/** The number of entries that contain each word, in its newest postings. */
async function countEntries(
  db: Runner,
  shelves: readonly number[],
  words: readonly string[],
): Promise<Map<string, number>> {
  if (words.length === 0) return new Map();
  const { rows } = await sql<{ word: string; count: number }>`
    SELECT wanted.word, sum(found.count)::integer AS count
    FROM unnest(${words}::text[]) AS wanted (word) CROSS JOIN unnest(${shelves}::integer[]) AS searched (shelf)
      CROSS JOIN LATERAL (SELECT coalesce(sum(lines), 0) AS count FROM (
        SELECT lines FROM posting WHERE posting.shelf = searched.shelf AND posting.word = wanted.word
        ORDER BY day DESC, file_id DESC, first_line DESC LIMIT ${MAX_COUNTED}) AS newest) AS found
    GROUP BY 1`.execute(db);
  return new Map(rows.map(({ word, count }) => [word, count]));
}
