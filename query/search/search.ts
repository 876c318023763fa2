import { memoize } from "../../src/memoize.ts";
import type { Store } from "../../src/store/store.ts";
import type { Hit, SessionHits } from "../answers.ts";
import type { SearchTerm } from "../compile-query.ts";
import type { SearchOptions } from "../options.ts";
import { readSessions } from "../session-info.ts";
import { toTermWeight } from "../snippet/term-weight.ts";
import type { ClosestMatches } from "./closest.ts";
import { searchCorrected } from "./corrected-search.ts";
import { type CrossEntryMatches, findCrossEntryMatches } from "./cross-entry-matches.ts";
import { loadHits } from "./load-hits.ts";
import { extractNames, findNamedSessions } from "./named-sessions.ts";
import {
  DEFAULT_WINDOWS,
  prepareSearch,
  QUICK_WINDOWS,
  type RankingWindows,
  type Search,
} from "./prepare-search.ts";
import { isWhole } from "./ranges.ts";
import { groupBySession, hitsOf, type RankedHit, type RankedSession } from "./rank.ts";
import { type RankedHits, rankHits } from "./ranked-hits.ts";
import { type Findings, type SearchOutcome, toSearchOutcome } from "./search-outcome.ts";
import { planSearch } from "./search-plan.ts";
import { assertHitSort, searchSessionList } from "./session-search.ts";
import { moveTitlesLast } from "./title-hits.ts";

/** Search results grouped by session. */
export interface SearchResult extends SearchOutcome {
  /** Sessions with their best hits, best first. */
  sessions: SessionHits[];
}

/** Search results as single hits. */
export interface FlatSearchResult extends SearchOutcome {
  hits: Hit[];
}

/**
 * Finds sessions by words and fields, best first: those with an entry that satisfies the whole query, then those where several
 * entries together do. Each session has its best hits with snippets. A query that matches nothing in full is searched again with its
 * misspelled words corrected. All statements of a search run in one transaction.
 *
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`, `BAD_CURSOR`, `NOT_FOUND` for `session:@last` in an empty index
 */
export function searchSessions(
  store: Store,
  query: string,
  options: SearchOptions,
  windows: RankingWindows = options.quick ? QUICK_WINDOWS : DEFAULT_WINDOWS,
): Promise<SearchResult> {
  return searchCorrected(query, options, (text, params) => findSessions(store, text, params, windows));
}

function findSessions(
  store: Store,
  query: string,
  options: SearchOptions,
  windows: RankingWindows,
): Promise<SearchResult> {
  return store.snapshot(async (snapshot) => {
    const search = await prepareSearch(snapshot, query, options, "sessions", windows);
    if (search.compiled.clauses.length > 0) assertHitSort(search.sessionSort);
    const list = search.compiled.clauses.length === 0 && (await searchSessionList(search));
    if (list) return list;
    const { page } = search;
    const { sort, limit, hits: hitsEach } = search.options;
    const ranked = await rankHits(search);
    const named = await namedSessions(search);
    const isNew = ({ fileId }: RankedSession) => !page.seen.has(fileId);
    const full = withNamed(named, groupBySession(ranked.fresh, sort)).filter(isNew);
    const findings = await findOthers(search, ranked, named, full.length);
    const namedFileIds = new Set(named.map(({ fileId }) => fileId));
    const across = findings.others.sessions.filter(({ fileId }) => !namedFileIds.has(fileId));
    const sessions = [...full, ...[...across, ...findings.closest.sessions].filter(isNew)];

    const shown = await moveTitlesLast(search, sessions.slice(0, limit));
    const best = shown.map(({ hits }) => hits.slice(0, hitsEach));
    const { hits, changedFiles } = await loadHits(search, best.flat(), termsToMark(findings, search));
    const files = shown.map(({ fileId }) => fileId);
    const infos = await readSessions(snapshot, files);
    if (search.options.costs) await (await import("../session-costs.ts")).addCosts(snapshot, infos);
    if (search.options.models) await (await import("../session-models.ts")).addModels(snapshot, infos);
    return {
      sessions: shown.flatMap((each, n): SessionHits[] => {
        const session = infos.get(each.fileId);
        const read = (best[n] ?? []).flatMap((hit) => hits.get(hit) ?? []);
        return session && read.length > 0 ? [{ session, hits: read, hitCount: each.hits.length }] : [];
      }),
      ...(await toSearchOutcome(search, findings, files, sessions.length > limit)),
      changedFiles,
    };
  });
}

/** Finds entries by words and fields, with corrections as `searchSessions`. @throws as `searchSessions` */
export function searchEntries(
  store: Store,
  query: string,
  options: SearchOptions,
  windows: RankingWindows = options.quick ? QUICK_WINDOWS : DEFAULT_WINDOWS,
): Promise<FlatSearchResult> {
  return searchCorrected(query, options, (text, params) => findEntries(store, text, params, windows));
}

function findEntries(
  store: Store,
  query: string,
  options: SearchOptions,
  windows: RankingWindows,
): Promise<FlatSearchResult> {
  return store.snapshot(async (snapshot) => {
    const search = await prepareSearch(snapshot, query, options, "hits", windows);
    assertHitSort(search.sessionSort);
    const { limit } = search.options;
    const ranked = await rankHits(search);
    const named = await namedSessions(search);
    const findings = await findOthers(search, ranked, named, ranked.fresh.length);
    const namedPositions = new Set(hitsOf(named).map(({ row }) => row.position));
    const rest = [...ranked.fresh, ...hitsOf(findings.others.sessions), ...hitsOf(findings.closest.sessions)];
    const found = [...hitsOf(named), ...rest.filter(({ row }) => !namedPositions.has(row.position))].filter(
      (hit) => !search.isSeen(hit),
    );
    const shown = found.slice(0, limit);
    const { hits, copyPositions, changedFiles } = await loadHits(
      search,
      shown,
      termsToMark(findings, search),
    );
    // All copies count as returned, so that none becomes a hit of a later page, except those that are ranked as hits here.
    const positionsOf = (some: readonly RankedHit[]) =>
      some.flatMap(({ row, copies }) => [row, ...copies]).map(({ position }) => position);
    const known = new Set(positionsOf(ranked.all));
    const returned = [...positionsOf(shown), ...copyPositions.filter((each) => !known.has(each))];
    return {
      hits: shown.flatMap((hit) => hits.get(hit) ?? []),
      ...(await toSearchOutcome(search, findings, returned, found.length > limit)),
      changedFiles,
    };
  });
}

/** The terms that a hit's snippet highlights, with their weights; for closest matches also the forms that were found. */
function termsToMark(
  { closest }: Findings,
  { compiled, fillers, counts, entries }: Search,
): (hit: RankedHit) => readonly SearchTerm[] {
  const docs = new Map(
    compiled.clauses.flatMap((part) =>
      part.kind === "words" && part.text !== undefined ? [[part.text, counts.get(part)] as const] : [],
    ),
  );
  const weighted = (term: SearchTerm): SearchTerm => {
    const count = docs.get(term.text);
    return count === undefined ? term : { ...term, weight: toTermWeight(count, entries) };
  };
  const own = [...compiled.terms.filter(({ text }) => !fillers.has(text)).map(weighted), ...compiled.files];
  const all = [...own, ...closest.terms];
  return ({ closestMatch }) => (closestMatch ? all : own);
}

/** Finds what else belongs on the page after `full` sessions or hits, if it has room: cross-entry and closest matches. */
async function findOthers(
  search: Search,
  ranked: RankedHits,
  named: readonly RankedSession[],
  full: number,
): Promise<Findings> {
  const { limit, facets } = search.options;
  // Results that will be completed are enough for now, unless there are none.
  const hasRoom = full <= limit && !ranked.more && !(search.isApproximate && full > 0);
  // Totals describe all pages, so they need these too.
  const across = hasRoom || facets ? await findCrossEntryMatches(search, ranked) : NO_CROSS_ENTRY_MATCHES;
  const others = hasRoom ? across : NO_CROSS_ENTRY_MATCHES;
  const isSought = hasRoom || (facets && !ranked.more);
  const allClosest =
    (isSought && named.length === 0 ? await closestTo(search, ranked, across) : undefined) ??
    NO_CLOSEST_MATCHES;
  return { ranked, named, across, others, allClosest, closest: hasRoom ? allClosest : NO_CLOSEST_MATCHES };
}

const NO_CLOSEST_MATCHES: ClosestMatches = { sessions: [], terms: [] };

const NO_CROSS_ENTRY_MATCHES: CrossEntryMatches = { sessions: [], more: false };

/**
 * Finds the sessions that the query names by an id or path and that satisfy its fields and filters. Subagents' and archived
 * sessions are included by default, because they are named explicitly.
 */
async function namedSessions({
  store,
  reads,
  query,
  compiled,
  page,
  options,
  common,
}: Search): Promise<RankedSession[]> {
  const names = extractNames(query);
  if (!names) return [];
  const { subagents, archived } = options;
  const filters = {
    ...options,
    subagents: subagents === "no" ? ("yes" as const) : subagents,
    archived: archived === "no" ? ("yes" as const) : archived,
  };
  const plan = await planSearch(store, { ...compiled, clauses: [] }, filters, common);
  const hits = await findNamedSessions(reads, names, plan.whole, page.end);
  return hits
    .filter(({ row }) => row.position < page.end)
    .map((hit) => ({ fileId: hit.row.file_id, hits: [{ ...hit, score: NAMED_SCORE, crossEntry: false }] }));
}

/** Score of a named session, higher than any text score. */
const NAMED_SCORE = 1_000;

/** Puts named sessions first, with their other hits. */
function withNamed(named: readonly RankedSession[], sessions: readonly RankedSession[]): RankedSession[] {
  const others = new Map(sessions.map((each) => [each.fileId, each.hits]));
  const first = named.map(({ fileId, hits }) => {
    const known = new Set(hits.map(({ row }) => row.position));
    const more = (others.get(fileId) ?? []).filter(({ row }) => !known.has(row.position));
    return { fileId, hits: [...hits, ...more] };
  });
  const namedFileIds = new Set(named.map(({ fileId }) => fileId));
  return [...first, ...sessions.filter(({ fileId }) => !namedFileIds.has(fileId))];
}

/** Loaded on first use: most queries have enough full matches. */
const loadClosest = memoize(() => import("./closest.ts"));

/** Closest matches are searched if fewer sessions match in full. */
const ENOUGH_SESSIONS = 5;

/** Finds the closest matches, if few sessions match in full and all of those are known. */
async function closestTo(
  search: Search,
  { all, range }: RankedHits,
  others: CrossEntryMatches,
): Promise<ClosestMatches | undefined> {
  const { store, compiled, options, common, page, windows } = search;
  if (options.strict || !isWhole(range, page.end)) return undefined;
  const hits = [...all, ...hitsOf(others.sessions)];
  const places = hits.flatMap(({ row, copies }) => [row, ...copies]);
  // The number of hits in the first window does not depend on the page or its size.
  if (places.length > windows.first) return undefined;
  if (new Set(hits.map(({ row }) => row.file_id)).size >= ENOUGH_SESSIONS) return undefined;
  const known = new Set(places.map(({ file_id }) => file_id));
  const { findClosestMatches } = await loadClosest();
  // In pasted text, dashes are punctuation.
  const plan = compiled.isPaste
    ? await planSearch(store, { ...compiled, excluded: [] }, options, common)
    : search.plan;
  const found = await findClosestMatches({ ...search, plan }, known);
  return found.sessions.length > 0 ? found : undefined;
}
