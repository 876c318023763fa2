import type { Position } from "../../src/store/position.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";
import type { Facets, Totals } from "../answers.ts";
import type { LenientQuery } from "../compile-query.ts";
import type { ClosestMatches, ClosestSession } from "./closest.ts";
import { countMatches } from "./count-matches.ts";
import type { CrossEntryMatches } from "./cross-entry-matches.ts";
import { countFacets } from "./facets.ts";
import type { Search } from "./prepare-search.ts";
import { areEqual, wholeRange } from "./ranges.ts";
import { type ClosestMatchDetails, hitsOf, type RankedHit, type RankedSession } from "./rank.ts";
import type { RankedHits } from "./ranked-hits.ts";
import { encodeSearchCursor } from "./search-cursor.ts";

/** What every search returns besides its hits. */
export interface SearchOutcome {
  /** Number of entries found and ranked, including closest matches; copies in forks count once. */
  hitCount: number;
  /** Number of their sessions. */
  sessionCount: number;
  /** Whether there are more hits than were ranked. */
  more: boolean;
  /** The `cursor` of the next page, if there is one. */
  next?: string;
  /** Counts of all matches, ranked or not, if requested; with the closest matches, because both are listed. */
  facets?: Facets;
  /** Total number of those matches, with `facets`. */
  totals?: Totals;
  /** If no session matches in full: the words of the query that are in no entry. */
  unfound?: string[];
  /** Present if fewer than five sessions match in full and closest matches follow. */
  closest?: ClosestSummary;
  /** The query with its misspelled words corrected, if these are its results: as written, it matches nothing in full. */
  correctedQuery?: string;
  /** The syntax error because of which the query was searched as plain words. */
  notAQuery?: string;
  /** Prefixes of one or two letters that were expanded to their 64 most frequent words. */
  broadPrefixes?: string[];
  /** Files that have changed since they were indexed; their hits are omitted. Sync and search again. */
  changedFiles: string[];
}

/** Number of closest matches, words corrected in any of them, and words that the first one lacks. */
export interface ClosestSummary extends ClosestMatchDetails {
  sessionCount: number;
}

/** Everything that a search found. */
export interface Findings {
  ranked: RankedHits;
  named: readonly RankedSession[];
  /** Sessions that match across entries. */
  across: CrossEntryMatches;
  /** `across`, if this page has room for it; otherwise empty. */
  others: CrossEntryMatches;
  /** The closest matches. */
  allClosest: ClosestMatches;
  /** `allClosest`, if this page has room for them; otherwise empty. */
  closest: ClosestMatches;
}

/**
 * @param shown what is returned on this page: files, or entries for flat results
 * @param left whether this page had no room for all that was found
 */
export async function toSearchOutcome(
  search: Search,
  findings: Findings,
  shown: readonly Position[],
  left: boolean,
): Promise<Omit<SearchOutcome, "changedFiles">> {
  const { reads, compiled, broad, isApproximate, options, page, request, windows } = search;
  const { ranked, named, others, closest } = findings;
  const { range, window, beyond, more } = ranked;
  // The rest of the window comes first, then what lies beyond it. An approximate search may have missed hits of the window.
  const within = left || isApproximate ? range : beyond;
  // The first window of a range determines the preferred copies on all pages.
  const sameRange = areEqual(range, page.within);
  const firstWindow =
    left && !isApproximate ? ((sameRange ? page.firstWindow : undefined) ?? window) : undefined;
  const { end } = page;
  const seen = new Set([...page.seen, ...shown]);
  const hits = [...hitsOf(named), ...ranked.all, ...hitsOf(others.sessions)];
  const full = [...new Map(hits.map((hit) => [hit.row.position, hit])).values()];
  const found = [...full, ...hitsOf(closest.sessions)];
  const unfound = full.length === 0 ? await unfoundWords(reads, compiled, end) : [];
  return {
    hitCount: found.length,
    sessionCount: countSessions(found),
    more:
      more || others.more || isApproximate || (windows.closest !== undefined && closest.sessions.length > 0),
    ...(within && { next: encodeSearchCursor({ end, within, firstWindow, seen }, request) }),
    ...(options.facets && (await countAll(search, findings, found))),
    ...(unfound.length > 0 && { unfound }),
    ...(closest.sessions.length > 0 && { closest: summarize(closest.sessions) }),
    ...(compiled.notAQuery !== undefined && { notAQuery: compiled.notAQuery }),
    ...(broad.size > 0 && { broadPrefixes: [...broad.keys()] }),
  };
}

/**
 * Totals and facets of all matches.
 *
 * @param found hits that were ranked, with the closest ones
 */
async function countAll(
  { reads, unit, options, plan, page, windows }: Search,
  { ranked, across, allClosest }: Findings,
  found: readonly RankedHit[],
): Promise<Required<Pick<SearchOutcome, "facets" | "totals">>> {
  const also = hitsOf([...across.sessions, ...allClosest.sessions]);
  const isPart = ranked.more || page.seen.size > 0;
  if (isPart && !options.exact) {
    const counting = { keepsOriginal: unit === "sessions", limit: windows.counted, also };
    const { totals, facets } = await countMatches(reads, plan.whole, wholeRange(page.end), counting);
    return { totals: { ...totals, isWhole: totals.isWhole && !across.more }, facets };
  }
  const known = new Set(found.map(({ row }) => row.position));
  const hits = [...found, ...also.filter(({ row }) => !known.has(row.position))];
  const totals = { hits: hits.length, sessions: countSessions(hits), isWhole: !across.more };
  return { totals, facets: await countFacets(reads, hits) };
}

function countSessions(hits: readonly RankedHit[]): number {
  return new Set(hits.map(({ row }) => row.file_id)).size;
}

/** Summarizes closest matches: all corrections, and the words that the first session lacks. */
function summarize(sessions: readonly ClosestSession[]): ClosestSummary {
  const all = sessions.flatMap(({ details }) => details.corrected);
  // Of several corrections, that of the best session.
  const corrected = all.filter(({ from }, n) => all.findIndex((each) => each.from === from) === n);
  const correctedWords = new Set(corrected.map(({ from }) => from));
  const missing = (sessions[0]?.details.missing ?? []).filter((word) => !correctedWords.has(word));
  return { sessionCount: sessions.length, missing, corrected };
}

/** Of several words in a query, those that no entry contains. */
async function unfoundWords(reads: SearchReads, { clauses }: LenientQuery, end: Position): Promise<string[]> {
  const words = clauses.flatMap((part) =>
    part.kind === "words" && part.text !== undefined
      ? [{ text: part.text, expression: part.expression }]
      : [],
  );
  const texts = words.map(({ expression }) => expression);
  const counts = await reads.countEntries(texts, 1, end);
  return words.flatMap(({ text }, n) => (counts[n] === 0 ? [text] : []));
}
