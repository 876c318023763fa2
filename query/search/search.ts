import type { z } from "zod";
import { memoize } from "../../src/memoize.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Facets, Hit, SessionHits, Totals } from "../answers.ts";
import { compileQuery, compileQueryLeniently, type LenientQuery, type SearchTerm } from "../compile-query.ts";
import type { SearchOptions } from "../options.ts";
import { parsePlainSearchOptions } from "../parse-plain-options.ts";
import { expandBroadPrefixes, type PrefixExpansions } from "../prefix-expansions.ts";
import { inScope, type Scope } from "../scope.ts";
import { readSessionsByFileId } from "../session-info.ts";
import type { ClosestSession } from "./closest.ts";
import { countMatches } from "./count-matches.ts";
import { type CrossEntryMatches, findCrossEntryMatches } from "./cross-entry-matches.ts";
import { EntryTexts } from "./entry-texts.ts";
import { countFacets } from "./facets.ts";
import { findFilesWithHits } from "./hits.ts";
import { loadHits } from "./load-hits.ts";
import { findNamedSessions, mayNameSession } from "./named-sessions.ts";
import { groupBySession, type PartialMatchDetails, type RankedHit, type RankedSession } from "./rank.ts";
import {
  DEFAULT_WINDOWS,
  QUICK_WINDOWS,
  type RankedHits,
  type RankingWindows,
  type RankOptions,
  rankHits,
} from "./ranked-hits.ts";
import { decodeSearchCursor, encodeSearchCursor, type SearchPage } from "./search-cursor.ts";
import { planSearch, type SearchPlan } from "./search-plan.ts";
import { hasMatch, readTermStats, type TermStats } from "./term-stats.ts";
import { moveTitlesLast } from "./title-hits.ts";

/** What every search returns besides its hits. */
interface SearchAnswer {
  /** Number of entries found and ranked, including closest matches; copies in forks count once. */
  hitCount: number;
  /** Number of their sessions. */
  sessionCount: number;
  /** Whether there are more hits than were ranked. */
  more: boolean;
  /** The `cursor` of the next page, if there is one. */
  next?: string;
  /** Counts of all matches, ranked or not, if requested. Without closest matches, unless there are no others. */
  facets?: Facets;
  /** Total number of those matches, with `facets`. */
  totals?: Totals;
  /** If no session matches in full: the words of the query that are in no entry. */
  unfound?: string[];
  /** If fewer than five sessions match in full and others match in part: these come last. */
  closest?: ClosestSummary;
  /** The syntax error because of which the query was searched as plain words. */
  notAQuery?: string;
  /** Prefixes of one or two letters that were expanded to their 64 most frequent words. */
  broadPrefixes?: string[];
  /** Files that have changed since they were indexed; their hits are omitted. Sync and search again. */
  changedFiles: string[];
}

/** Number of sessions that match in part, words corrected in any of them, and words that the first one lacks. */
export interface ClosestSummary extends PartialMatchDetails {
  sessionCount: number;
}

/** Search results grouped by session. */
export interface SearchResult extends SearchAnswer {
  /** Sessions with their best hits, best first. */
  sessions: SessionHits[];
}

const NOT_TOGETHER: CrossEntryMatches = { sessions: [], more: false };

/** Search results as single hits. */
export interface FlatSearchResult extends SearchAnswer {
  hits: Hit[];
}

/**
 * Finds sessions by words and fields, best first: those with an entry that satisfies the whole query, then those where several
 * entries together do. Each session has its best hits with snippets.
 *
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`, `BAD_CURSOR`, `NOT_FOUND` for `session:@last` in an empty index
 */
export function searchSessions(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: RankingWindows = options.quick ? QUICK_WINDOWS : DEFAULT_WINDOWS,
): Promise<SearchResult> {
  return inSnapshot(db, (snapshot) => sessionsIn(snapshot, scope, query, options, windows));
}

async function sessionsIn(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: RankingWindows,
): Promise<SearchResult> {
  const search = await prepare(db, scope, query, options, "sessions", windows);
  const { sort, limit, hits: hitsEach } = search.options;
  const { seen } = search.page;
  const ranked = await rank(search, {
    keepsOriginal: true,
    isSeen: ({ row }) => seen.has(row.file_id),
    isEnough: (fresh) => new Set(fresh.map(({ row }) => row.file_id)).size > limit,
    pageShare: (rows) => new Set(rows.map(({ file_id }) => file_id)).size / (limit + 1),
  });
  const named = await namedSessions(search, scope);
  const sessions = withNamed(named, groupBySession(ranked.fresh, sort)).filter(
    ({ fileId }) => !seen.has(fileId),
  );
  const hasRoom = sessions.length <= limit && !ranked.more;
  // Totals describe all pages, so they need these too.
  const across = hasRoom || search.options.facets ? await crossEntryMatches(search, ranked) : NOT_TOGETHER;
  const others = hasRoom ? across : NOT_TOGETHER;
  const known = new Set([...seen, ...named.map(({ fileId }) => fileId)]);
  sessions.push(...others.sessions.filter(({ fileId }) => !known.has(fileId)));
  const closest = hasRoom ? await closestTo(search, scope, ranked, others, named) : undefined;
  sessions.push(...(closest?.sessions.filter(({ fileId }) => !seen.has(fileId)) ?? []));

  const { compiled, plan, page } = search;
  const shown = await moveTitlesLast(db, compiled, plan, page.lastEntry, sessions.slice(0, limit));
  const best = shown.map(({ hits }) => hits.slice(0, hitsEach));
  const terms = markedIn(search, closest);
  const { hits, changedFiles } = await loadHits(db, scope, best.flat(), terms, search.texts);
  const files = shown.map(({ fileId }) => fileId);
  const infos = await readSessionsByFileId(db, files);
  return {
    sessions: shown.flatMap((each, n): SessionHits[] => {
      const session = infos.get(each.fileId);
      const read = (best[n] ?? []).flatMap((hit) => hits.get(hit) ?? []);
      return session && read.length > 0 ? [{ session, hits: read, hitCount: each.hits.length }] : [];
    }),
    ...(await answer(search, { ranked, others, across, named, closest }, files, sessions.length > limit)),
    changedFiles,
  };
}

/** Finds entries by words and fields. @throws as `searchSessions` */
export function searchEntries(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: RankingWindows = options.quick ? QUICK_WINDOWS : DEFAULT_WINDOWS,
): Promise<FlatSearchResult> {
  return inSnapshot(db, (snapshot) => entriesIn(snapshot, scope, query, options, windows));
}

async function entriesIn(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: RankingWindows,
): Promise<FlatSearchResult> {
  const search = await prepare(db, scope, query, options, "hits", windows);
  const { limit } = search.options;
  const { seen } = search.page;
  const isSeen = ({ row, copies }: RankedHit) => [row, ...copies].some(({ id }) => seen.has(id));
  const ranked = await rank(search, {
    keepsOriginal: false,
    isSeen,
    isEnough: (fresh) => fresh.length > limit,
    pageShare: (rows) => rows.length / (limit + 1),
  });
  const named = await namedSessions(search, scope);
  const hasRoom = ranked.fresh.length <= limit && !ranked.more;
  // Totals describe all pages, so they need these too.
  const across = hasRoom || search.options.facets ? await crossEntryMatches(search, ranked) : NOT_TOGETHER;
  const others = hasRoom ? across : NOT_TOGETHER;
  const closest = hasRoom ? await closestTo(search, scope, ranked, others, named) : undefined;
  const isNamed = new Set(named.flatMap(({ hits }) => hits.map(({ row }) => row.id)));
  const rest = [
    ...ranked.fresh,
    ...others.sessions.flatMap(({ hits }) => hits),
    ...(closest?.sessions.flatMap(({ hits }) => hits) ?? []),
  ].filter((hit) => !isSeen(hit) && !isNamed.has(hit.row.id));
  const found = [...named.flatMap(({ hits }) => hits).filter((hit) => !isSeen(hit)), ...rest];
  const shown = found.slice(0, limit);
  const terms = markedIn(search, closest);
  const { hits, copyIds, changedFiles } = await loadHits(db, scope, shown, terms, search.texts);
  // All copies count as returned, so that none becomes a hit of a later page, except those that are ranked as hits here.
  const idsOf = (hits: readonly RankedHit[]) =>
    hits.flatMap(({ row, copies }) => [row, ...copies]).map(({ id }) => id);
  const known = new Set(idsOf(ranked.all));
  const ids = [...idsOf(shown), ...copyIds.filter((id) => !known.has(id))];
  return {
    hits: shown.flatMap((hit) => hits.get(hit) ?? []),
    ...(await answer(search, { ranked, others, across, named, closest }, ids, found.length > limit)),
    changedFiles,
  };
}

/** The terms that a hit's snippet highlights; for closest matches also the forms that were found. */
function markedIn(
  { compiled }: Search,
  closest: { terms: readonly SearchTerm[] } | undefined,
): (hit: RankedHit) => readonly SearchTerm[] {
  const all = [...compiled.terms, ...(closest?.terms ?? [])];
  return ({ partialMatch }) => (partialMatch ? all : compiled.terms);
}

/** Runs the queries of a search in one transaction, so that they see the same data. */
function inSnapshot<T>(db: Reader, search: (snapshot: Reader) => Promise<T>): Promise<T> {
  return db.snapshot(search);
}

/** A parsed request with everything its queries need. */
interface Search {
  db: Reader;
  /** Whether results are sessions or single hits. */
  unit: "sessions" | "hits";
  query: string;
  compiled: LenientQuery;
  /** Prefixes that are searched by their most frequent words. */
  broad: PrefixExpansions;
  options: z.output<typeof SearchOptions>;
  /** Number of entries that contain the words of each clause. */
  counts: TermStats["counts"];
  plan: SearchPlan;
  page: SearchPage;
  windows: RankingWindows;
  texts: EntryTexts;
  /** The request that a cursor belongs to; pages may differ in size only. */
  request: unknown;
}

async function prepare(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  unit: "sessions" | "hits",
  windows: RankingWindows,
): Promise<Search> {
  const parsed = parsePlainSearchOptions(options) ?? (await parseSearchOptions(options));
  const text = typeof query === "string" ? query : await rejectQuery(query);
  const compile = (frequent?: PrefixExpansions): LenientQuery =>
    parsed.strict
      ? { ...compileQuery(text, frequent), isPaste: false }
      : compileQueryLeniently(text, frequent);
  const unexpanded = compile();
  const broad = await expandBroadPrefixes(db, unexpanded.terms);
  const compiled = broad.size > 0 ? compile(broad) : unexpanded;
  const {
    limit: _limit,
    hits: _hits,
    sync: _sync,
    facets: _facets,
    quick: _quick,
    cursor,
    ...filters
  } = parsed;
  // Ages such as 7d as written: in milliseconds they would differ from page to page.
  const request = [unit, query, { ...filters, since: options.since, until: options.until }];
  const { lastEntry, counts, rareAlternatives } = await readTermStats(db, compiled.clauses);
  const page = cursor === undefined ? firstPage(lastEntry) : decodeSearchCursor(cursor, request);
  const plan = await planSearch(db, scope, compiled, parsed, counts, rareAlternatives);
  const texts = new EntryTexts(db);
  return {
    db,
    unit,
    query: text,
    compiled,
    broad,
    options: parsed,
    counts,
    plan,
    page,
    windows,
    texts,
    request,
  };
}

async function parseSearchOptions(options: SearchOptions) {
  const { SearchOptions, parseOptions } = await import("../options.ts");
  return parseOptions(SearchOptions, options);
}

/** Reports a query that is not a string. */
async function rejectQuery(query: unknown): Promise<string> {
  const { Query, parseOptions } = await import("../options.ts");
  return parseOptions(Query, query);
}

function firstPage(lastEntry: number): SearchPage {
  return { lastEntry, within: { first: 0, last: lastEntry }, firstWindow: undefined, seen: new Set() };
}

/** Finds the hits that satisfy all clauses by themselves. */
function rank(
  { db, compiled, options, plan, windows, texts, page }: Search,
  paging: Pick<RankOptions, "isSeen" | "isEnough" | "pageShare" | "keepsOriginal">,
): Promise<RankedHits> {
  const { within, lastEntry, firstWindow } = page;
  return rankHits(db, compiled, plan, {
    ...options,
    ...paging,
    within,
    lastEntry,
    firstWindow,
    windows,
    texts,
  });
}

/** Finds the sessions that satisfy the clauses only across several entries. */
async function crossEntryMatches(
  { db, compiled, options, counts, plan, page }: Search,
  { all, range }: RankedHits,
): Promise<CrossEntryMatches> {
  const { lastEntry } = page;
  const places = all.flatMap(({ row, copies }) => [row, ...copies]);
  const known = new Set(places.map(({ file_id }) => file_id));
  const { sessions, more } = await findCrossEntryMatches(db, compiled, plan, {
    ...options,
    lastEntry,
    known,
    counts,
  });
  if (range.first === 0 && range.last === lastEntry) return { sessions, more };
  // Sessions with a full match in an earlier window are known there, not here.
  const within = { first: 0, last: lastEntry };
  const before = await findFilesWithHits(
    db,
    plan.whole,
    sessions.map(({ fileId }) => fileId),
    within,
  );
  return { sessions: sessions.filter(({ fileId }) => !before.has(fileId)), more };
}

/**
 * Finds the sessions that the query names by an id or path and that satisfy its fields and filters. Subagents' and archived
 * sessions are included by default, because they are named explicitly.
 */
async function namedSessions(
  { db, query, compiled, page, options, counts }: Search,
  scope: Scope,
): Promise<RankedSession[]> {
  if (!mayNameSession(query)) return [];
  const { subagents, archived } = options;
  const filters = {
    ...options,
    subagents: subagents === "no" ? ("yes" as const) : subagents,
    archived: archived === "no" ? ("yes" as const) : archived,
  };
  const plan = await planSearch(db, scope, { ...compiled, clauses: [] }, filters, counts);
  const hits = await findNamedSessions(db, inScope(scope), query, plan.whole);
  return hits
    .filter(({ row }) => row.id <= page.lastEntry)
    .map((hit) => ({ fileId: hit.row.file_id, hits: [{ ...hit, score: NAMED_SCORE, together: false }] }));
}

/** Score of a named session, higher than any text score. */
const NAMED_SCORE = 1_000;

/** Puts named sessions first, with their other hits. */
function withNamed(named: readonly RankedSession[], sessions: readonly RankedSession[]): RankedSession[] {
  const others = new Map(sessions.map((each) => [each.fileId, each.hits]));
  const first = named.map(({ fileId, hits }) => {
    const known = new Set(hits.map(({ row }) => row.id));
    return { fileId, hits: [...hits, ...(others.get(fileId) ?? []).filter(({ row }) => !known.has(row.id))] };
  });
  const isNamed = new Set(named.map(({ fileId }) => fileId));
  return [...first, ...sessions.filter(({ fileId }) => !isNamed.has(fileId))];
}

/** Loaded on first use: most queries have enough full matches. */
const loadClosest = memoize(() => import("./closest.ts"));

/** Closest matches are searched if fewer sessions match in full. */
const ENOUGH_SESSIONS = 5;

/** Finds the sessions that match in part, if few match in full and all of those are known. */
async function closestTo(
  { db, compiled, options, plan, counts, page, windows }: Search,
  scope: Scope,
  { all, more, range }: RankedHits,
  others: CrossEntryMatches,
  named: readonly RankedSession[],
): Promise<{ sessions: ClosestSession[]; terms: readonly SearchTerm[] } | undefined> {
  const { lastEntry } = page;
  const isWhole = range.first === 0 && range.last === lastEntry && !more;
  if (options.strict || !isWhole || named.length > 0) return undefined;
  const hits = [...all, ...others.sessions.flatMap((each) => each.hits)];
  const places = hits.flatMap(({ row, copies }) => [row, ...copies]);
  // The number of hits in the first window does not depend on the page or its size.
  if (places.length > windows.first) return undefined;
  if (new Set(hits.map(({ row }) => row.file_id)).size >= ENOUGH_SESSIONS) return undefined;
  const known = new Set(places.map(({ file_id }) => file_id));
  const { isPaste } = compiled;
  const { findClosestMatches } = await loadClosest();
  // In pasted text, dashes are punctuation.
  const relaxed = isPaste
    ? await planSearch(db, scope, { ...compiled, excluded: [] }, options, counts)
    : plan;
  const found = await findClosestMatches(db, scope, compiled, relaxed, { lastEntry, known, isPaste });
  return found.sessions.length > 0 ? found : undefined;
}

/** Everything that a search found. */
interface Findings {
  ranked: RankedHits;
  /** `across`, if this page has room for it; otherwise empty. */
  others: CrossEntryMatches;
  /** Sessions that match across entries. */
  across: CrossEntryMatches;
  named: readonly RankedSession[];
  closest: { sessions: ClosestSession[] } | undefined;
}

async function answer(
  { db, unit, compiled, broad, options, plan, page, windows, request }: Search,
  { ranked: { all, more, range, window, beyond }, others, across, named, closest }: Findings,
  shown: readonly number[],
  left: boolean,
): Promise<Omit<SearchAnswer, "changedFiles">> {
  // The rest of the window comes first, then what lies beyond it.
  const within = left ? range : beyond;
  // The first window of a range determines the preferred copies on all pages.
  const sameRange = range.first === page.within.first && range.last === page.within.last;
  const before = left ? ((sameRange ? page.firstWindow : undefined) ?? window) : undefined;
  const { lastEntry } = page;
  const seen = new Set([...page.seen, ...shown]);
  const hits = [...named.flatMap(({ hits }) => hits), ...all, ...others.sessions.flatMap(({ hits }) => hits)];
  const full = [...new Map(hits.map((hit) => [hit.row.id, hit])).values()];
  const inPart = closest?.sessions ?? [];
  const found = [...full, ...inPart.flatMap(({ hits }) => hits)];
  const unfound = full.length === 0 ? await unfoundWords(db, compiled) : [];
  const counted = async (): Promise<Pick<SearchAnswer, "facets" | "totals">> => {
    const range = { first: 0, last: lastEntry };
    const hitsAcross = across.sessions.flatMap(({ hits }) => hits);
    const counting = { keepsHome: unit === "sessions", limit: windows.counted, also: hitsAcross };
    const isAll = !across.more;
    if (more && !options.exact) {
      const { totals, facets } = await countMatches(db, plan.whole, range, counting);
      return { totals: { ...totals, isWhole: totals.isWhole && isAll }, facets };
    }
    const known = new Set(full.map(({ row }) => row.id));
    const all = [...full, ...hitsAcross.filter(({ row }) => !known.has(row.id))];
    const hits = all.length > 0 ? all : found;
    const sessions = new Set(hits.map(({ row }) => row.file_id)).size;
    return { totals: { hits: hits.length, sessions, isWhole: isAll }, facets: await countFacets(db, hits) };
  };
  return {
    hitCount: found.length,
    sessionCount: new Set(found.map(({ row }) => row.file_id)).size,
    more: more || others.more,
    ...(within && {
      next: encodeSearchCursor({ lastEntry, within, firstWindow: before, seen }, request),
    }),
    ...(options.facets && (await counted())),
    ...(unfound.length > 0 && { unfound }),
    ...(inPart.length > 0 && { closest: summaryOf(inPart) }),
    ...(compiled.notAQuery !== undefined && { notAQuery: compiled.notAQuery }),
    ...(broad.size > 0 && { broadPrefixes: [...broad.keys()] }),
  };
}

/** Summarizes partial matches: all corrections, and the words that the first session lacks. */
function summaryOf(sessions: readonly ClosestSession[]): ClosestSummary {
  const all = sessions.flatMap(({ lacks }) => lacks.corrected);
  const corrected = [...new Map(all.map((each) => [each.from, each])).values()];
  const isCorrected = new Set(corrected.map(({ from }) => from));
  const missing = (sessions[0]?.lacks.missing ?? []).filter((word) => !isCorrected.has(word));
  return { sessionCount: sessions.length, missing, corrected };
}

/** Of several words in a query, those that no entry contains. */
async function unfoundWords(db: Reader, { clauses }: LenientQuery): Promise<string[]> {
  const unfound: string[] = [];
  for (const part of clauses) {
    if (part.kind !== "words" || part.text === undefined) continue;
    if (!(await hasMatch(db, part.expression))) unfound.push(part.text);
  }
  return unfound;
}
