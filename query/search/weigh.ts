import type { Reader } from "../../src/store/sqlite/reader.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { BM25, type HitRow, integer, isWeighedAtOnce, rangeOf, type Wanted } from "./hits.ts";

/** So few hits are worth the time it takes to weigh common words. */
const FEW = 500;

/**
 * Weighs rows, all that are ranked together, by those of the words that are not common. Where all are, few rows are weighed
 * by all words, and many by what any entry with common words is worth.
 *
 * @param more whether there are hits that are not among the rows
 */
export async function weigh(
  db: Reader,
  rows: readonly HitRow[],
  wanted: Wanted,
  more: boolean,
): Promise<void> {
  const { expressions, weighed } = wanted;
  if (rows.length === 0 || expressions.length === 0 || isWeighedAtOnce(wanted)) return;
  const few = !more && rows.length <= FEW;
  const words = weighed.length === 0 && few ? expressions : weighed;
  if (words.length === 0) {
    for (const row of rows) row.words = commonWorth(row);
    return;
  }
  const { first, last } = rangeOf(rows);
  const { rows: weights } = await sql<{ id: number; worth: number }>`
    SELECT rowid AS id, ${BM25} AS worth FROM entry_text
    WHERE entry_text MATCH ${words.join(" AND ")} AND rowid BETWEEN ${integer(first)} AND ${integer(last)}`.execute(
    db,
  );
  const byId = new Map(weights.map(({ id, worth }) => [id, worth]));
  for (const row of rows) row.words = byId.get(row.id) ?? 0;
}

/** How much what was said counts by who says it, where words themselves tell nothing. */
const SPEAKERS: Record<string, number> = {
  assistant: 2,
  toolResult: 1,
  bashExecution: 1,
  pythonExecution: 1,
  fileMention: 1,
};
const OTHERS = 4;
/** A line of usual length, in bytes. */
const USUAL_LENGTH = 2_000;

/**
 * What an entry is worth that holds words which stand everywhere, after the way of bm25: in few words they mean more than
 * in many, and what people said more than output.
 */
function commonWorth({ role, byte_length }: HitRow): number {
  const weight = SPEAKERS[role ?? ""] ?? OTHERS;
  return (2.2 * weight) / (weight + 1.2 * (0.25 + (0.75 * byte_length) / USUAL_LENGTH));
}

/** How much a word counts that is found in an entry: more in few words, and in what people said. About 1. */
export function lengthWorth(row: HitRow): number {
  return Math.sqrt(commonWorth(row));
}
