/** Totals and facets of all matches, including those that are not ranked. */
import type { HitConditions } from "../../src/store/conditions.ts";
import type { Position, PositionRange } from "../../src/store/position.ts";
import type { MatchRow, SearchReads } from "../../src/store/search-reads.ts";
import type { Facets, Totals } from "../answers.ts";
import { collapseCopies, findSharedTimes, type WithCopies } from "../copies.ts";
import { countFacets } from "./facets.ts";
import type { RankedHit } from "./rank.ts";
import { withOriginal } from "./ranked-hits.ts";

/** Maximum number of matches to count, newest first; this many take about a second. */
const MAX_COUNTED = 300_000;

const NO_COPIES: never[] = [];

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
  // Only entries with the same time may be copies of each other, and only those need the remaining columns.
  const single: WithCopies<MatchRow>[] = [];
  const positions: Position[] = [];
  for (const row of rows) {
    if (isShared(row)) positions.push(row.position);
    else single.push({ row, copies: NO_COPIES });
  }
  const placed = collapseCopies(await reads.getHits(positions));
  const whole = [...single, ...(keepsOriginal ? placed.flatMap(withOriginal) : placed)];
  const known = new Set<Position>();
  const files = new Set<number>();
  const count = ({ row }: WithCopies<MatchRow>) => {
    known.add(row.position);
    files.add(row.file_id);
  };
  for (const hit of whole) count(hit);
  const others = also.filter(({ row }) => !known.has(row.position));
  const hits = others.length > 0 ? [...whole, ...others] : whole;
  for (const hit of others) count(hit);
  return {
    totals: { hits: known.size, sessions: files.size, isWhole: !more },
    facets: await countFacets(reads, hits),
  };
}
