/** Totals and facets of all matches, including those that are not ranked. */
import type { HitConditions } from "../../src/store/conditions.ts";
import type { PositionRange } from "../../src/store/position.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";
import type { Facets, Totals } from "../answers.ts";
import { collapseCopies, findSharedTimes } from "../copies.ts";
import { countFacets } from "./facets.ts";
import type { RankedHit } from "./rank.ts";
import { withOriginal } from "./ranked-hits.ts";

/** Maximum number of matches to count, newest first; this many take about a second. */
const MAX_COUNTED = 300_000;

/** Counts all matches as if each had been ranked, plus `also`: hits that match across entries. */
export async function countMatches(
  reads: SearchReads,
  hitConditions: HitConditions,
  within: PositionRange,
  {
    keepsOriginal,
    limit = MAX_COUNTED,
    also = [],
  }: { keepsOriginal: boolean; limit?: number | undefined; also?: readonly RankedHit[] },
): Promise<{ totals: Totals; facets: Facets }> {
  const { rows, more } = await reads.findMatches(hitConditions, { size: limit, from: "newest", within });
  const isShared = findSharedTimes(rows);
  const single = rows.filter((row) => !isShared(row)).map((row) => ({ row, copies: [] }));
  // Only entries with the same time may be copies of each other, and only those need the remaining columns.
  const positions = rows.filter(isShared).map(({ position }) => position);
  const placed = collapseCopies(await reads.getHits(positions));
  const whole = [...single, ...(keepsOriginal ? placed.flatMap(withOriginal) : placed)];
  const known = new Set(whole.map(({ row }) => row.position));
  const hits = [...whole, ...also.filter(({ row }) => !known.has(row.position))];
  return {
    totals: {
      hits: new Set(hits.map(({ row }) => row.position)).size,
      sessions: new Set(hits.map(({ row }) => row.file_id)).size,
      isWhole: !more,
    },
    facets: await countFacets(reads, hits),
  };
}
