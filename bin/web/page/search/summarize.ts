/** The line above the results. */
import { formatCount } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";
import type { SearchRequest } from "./search-state.ts";
import type { SearchResults } from "./use-search-results.ts";

export type Totals = Answers["facets"]["totals"];

/**
 * The number of full matches: as counted, or as ranked until then. The ranked ones may include sessions that match across entries,
 * so the larger number is right. With closest matches, all full matches are ranked.
 */
export function countOf(
  { total, hasMore, closestCount }: SearchResults,
  by: SearchRequest["by"],
  totals: Totals,
) {
  if (closestCount) return { sessions: total, isWhole: true };
  if (by !== "search") return { sessions: total, isWhole: !hasMore };
  if (!totals) return { sessions: total, isWhole: false }; // not counted yet
  return { sessions: Math.max(total, totals.sessions), isWhole: totals.isWhole };
}

export function summarize(found: SearchResults, { by }: SearchRequest, totals: Totals): string {
  const { notice, closestCount = 0, correctedQuery } = found;
  const { sessions, isWhole } = countOf(found, by, totals);
  if (sessions === 0 && !isWhole && closestCount === 0) return "Searching …";
  const all = isWhole ? formatCount(sessions, "session") : `More than ${formatCount(sessions, "session")}`;
  const closest = closestCount > 0 && formatCount(closestCount, "closest match", "closest matches");
  const counts = [sessions > 0 || !closest ? `${all}${by === "list" ? "" : " found"}` : "", closest];
  const limit =
    totals && !totals.isWhole && `Counts are of the newest ${formatCount(totals.hits, "match", "matches")}`;
  const instead = correctedQuery !== undefined && ` for “${correctedQuery}”: nothing matches as typed`;
  return [counts.filter(Boolean).join(", ") + (instead || ""), notice, limit].filter(Boolean).join(". ");
}
