import type { Position } from "../../src/store/position.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";
import type { TextExpression } from "../../src/store/text-expression.ts";
import type { Clause } from "../compile-query.ts";

/**
 * Number of entries from which words are common and not scored. bm25 first counts all entries of each word, which takes a
 * millisecond at this size, and words that occur everywhere hardly affect the ranking.
 */
const COMMON_TERM_ENTRIES = 20_000;

/** Term statistics, collected before a search. */
export interface TermStats {
  /** The position after the last entry. */
  end: Position;
  /** Number of entries, roughly. */
  entries: number;
  /** Number of entries per clause, counted up to that of common words; for a phrase, of its rarest word. Conditions are not counted. */
  counts: ReadonlyMap<Clause, number>;
  /** Clauses with too many entries to be scored. */
  common: ReadonlySet<Clause>;
  /** Rare alternatives of ORs with many matches: their hits would otherwise be lost among those of the others. */
  rareAlternatives: ReadonlyMap<Clause, TextExpression[]>;
}

/** An alternative with fewer entries is rare: all of its hits fit the first window. */
const RARE = 2_000;

/** @param commonEntries number of entries from which words are common */
export async function readTermStats(
  reads: SearchReads,
  parts: readonly Clause[],
  commonEntries = COMMON_TERM_ENTRIES,
): Promise<TermStats> {
  const words = parts.filter((part) => part.kind === "words");
  const { end, entries, counts } = await reads.readStatistics([
    ...words.flatMap(({ bounds }) => bounds).map((text) => ({ text, limit: commonEntries })),
    ...words.flatMap(({ alternatives = [] }) => alternatives).map((text) => ({ text, limit: RARE })),
  ]);
  let at = 0;
  const next = () => counts[at++] ?? 0;
  const countOf = new Map(words.map((part) => [part, Math.min(...part.bounds.map(next))]));
  const rareSides = new Map<Clause, TextExpression[]>();
  for (const part of words) {
    const rare = (part.alternatives ?? []).filter(() => next() < RARE);
    if (rare.length > 0 && (countOf.get(part) ?? 0) >= RARE) rareSides.set(part, rare);
  }
  const common = new Set(words.filter((part) => (countOf.get(part) ?? 0) >= commonEntries));
  return { end, entries, counts: countOf, common, rareAlternatives: rareSides };
}
