import { areAllScored, type HitConditions } from "../../src/store/conditions.ts";
import type { HitRow, SearchReads } from "../../src/store/search-reads.ts";
import { rangeOf } from "./ranges.ts";

/** Maximum number of hits for which common words are scored. */
const MAX_FULLY_SCORED = 500;

/**
 * Sets the text scores of rows by their uncommon words. If all words are common, few rows are scored by all words, and many
 * by role and length only.
 *
 * @param more whether there are hits that are not among the rows
 */
export async function scoreTerms(
  reads: SearchReads,
  rows: readonly HitRow[],
  hitConditions: HitConditions,
  more: boolean,
): Promise<void> {
  const { texts, scored } = hitConditions;
  if (rows.length === 0 || texts.length === 0 || areAllScored(hitConditions)) return;
  const few = !more && rows.length <= MAX_FULLY_SCORED;
  const words = scored.length === 0 && few ? texts : scored;
  if (words.length === 0) {
    for (const row of rows) row.words = commonWorth(row);
    return;
  }
  const scores = await reads.score(words, rangeOf(rows));
  const byPosition = new Map(scores.map(({ position, score }) => [position, score]));
  for (const row of rows) row.words = byPosition.get(row.position) ?? 0;
}

/** Weight of an entry by role, for entries with common words only. */
const ROLE_WEIGHTS: Record<string, number> = {
  assistant: 2,
  toolResult: 1,
  bashExecution: 1,
  pythonExecution: 1,
  fileMention: 1,
};
const OTHER_ROLES_WEIGHT = 4;
/** Typical length of a line, in bytes. */
const TYPICAL_LENGTH_BYTES = 2_000;

/**
 * Score of an entry with common words only, modeled on bm25: higher for short entries, and for what people wrote than for
 * output.
 */
function commonWorth({ role, byte_length }: HitRow): number {
  const weight = ROLE_WEIGHTS[role ?? ""] ?? OTHER_ROLES_WEIGHT;
  return (2.2 * weight) / (weight + 1.2 * (0.25 + (0.75 * byte_length) / TYPICAL_LENGTH_BYTES));
}

/** Factor for a word found in an entry, around 1: higher for short entries, and for what people wrote. */
export function lengthFactor(row: HitRow): number {
  return Math.sqrt(commonWorth(row));
}
