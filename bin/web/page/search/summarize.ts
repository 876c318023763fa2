/** The line above the results. */
import { formatCount, formatInteger } from "../../../format/safe.ts";
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
  if (!totals) return { sessions: total, isWhole: !hasMore }; // not counted yet
  return { sessions: Math.max(total, totals.sessions), isWhole: totals.isWhole };
}

/** A line that fits beside its buttons, and the sentences that it is short for. */
export interface Summary {
  short: string;
  full: string;
}

/** @example summarize(found, request, totals) // { short: "12+ sessions · newest 300,000 hits", full: "More than 12 sessions found. Counts are of …" } */
export function summarize(found: SearchResults, { by }: SearchRequest, totals: Totals): Summary {
  const { notice, shortNotice = notice, closestCount = 0, correctedQuery } = found;
  const { sessions, isWhole } = countOf(found, by, totals);
  if (sessions === 0 && !isWhole && closestCount === 0) {
    const text = notice ?? "Searching …";
    return { short: text, full: text };
  }
  if (!isWhole && by === "search" && !totals && closestCount === 0) {
    const text = notice ?? "Counting sessions …"; // the number of those ranked so far says nothing
    return { short: text, full: text };
  }
  const closest = closestCount > 0 && formatCount(closestCount, "closest match", "closest matches");
  const hasCount = sessions > 0 || !closest;
  const isCut = totals && !totals.isWhole;
  const query = correctedQuery !== undefined && ` for “${correctedQuery}”`;
  const counts = (count: string, separator: string) =>
    [hasCount && count, closest].filter(Boolean).join(separator) + (query || "");
  const number = isWhole ? formatInteger(sessions) : `${formatInteger(sessions)}+`;
  const plural = sessions === 1 && isWhole ? "session" : "sessions";
  const all = formatCount(sessions, "session") + (by === "list" ? "" : " found");
  return {
    short: [
      counts(`${number} ${plural}`, " · "),
      shortNotice,
      isCut && `newest ${formatCount(totals.hits, "hit")}`,
    ]
      .filter(Boolean)
      .join(" · "),
    full: [
      counts(isWhole ? all : `More than ${all}`, ", ") + (query ? ": nothing matches as typed" : ""),
      notice,
      isCut && `Counts are of the newest ${formatCount(totals.hits, "match", "matches")}`,
    ]
      .filter(Boolean)
      .join(". "),
  };
}
