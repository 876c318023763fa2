import { correctQuery } from "../correct-query.ts";
import { decodeTexts, encodeCursor } from "../cursor.ts";
import type { SearchOptions } from "../options.ts";
import type { SearchOutcome } from "./search-outcome.ts";

/** Begins the cursor of a corrected query, which contains that query and its own cursor. */
const CORRECTED = "~";

/**
 * Searches for the query; if nothing matches it in full because words are misspelled, for the corrected query. All its results are
 * found, while closest matches are few and cannot be sorted.
 */
export async function searchCorrected<Result extends SearchOutcome>(
  query: string,
  options: SearchOptions,
  search: (query: string, options: SearchOptions) => Promise<Result>,
): Promise<Result> {
  const { cursor } = options;
  if (typeof cursor === "string" && cursor.startsWith(CORRECTED)) {
    const [corrected = "", inner = ""] = decodeTexts(cursor.slice(CORRECTED.length), query, 2);
    return asCorrected(query, corrected, await search(corrected, { ...options, cursor: inner }));
  }
  const found = await search(query, options);
  const { closest } = found;
  if (!closest || countFull(found) > 0 || closest.missing.length > 0) return found;
  const corrected = correctQuery(query, closest.corrected);
  if (corrected === undefined) return found;
  const better = await search(corrected, options);
  return countFull(better) > 0 ? asCorrected(query, corrected, better) : found;
}

function countFull({ sessionCount, closest }: SearchOutcome): number {
  return sessionCount - (closest?.sessionCount ?? 0);
}

function asCorrected<Result extends SearchOutcome>(
  query: string,
  corrected: string,
  { next, ...found }: Result,
): Result {
  const cursor = next && { next: CORRECTED + encodeCursor([corrected, next], query) };
  return { ...found, ...cursor, correctedQuery: corrected } as Result;
}
