import type { z } from "zod";
import { once } from "../../src/once.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Facets, Hit, SessionHits, Totals } from "../answers.ts";
import { broadPrefixes, type FrequentWords } from "../broad-prefixes.ts";
import { type LenientMatch, match, matchLeniently, type Term } from "../match.ts";
import type { SearchOptions } from "../options.ts";
import { plainSearchOptions } from "../plain-options.ts";
import { inScope, type Scope } from "../scope.ts";
import { sessionsById } from "../session-info.ts";
import type { ClosestSession } from "./closest.ts";
import { countMatches } from "./count-matches.ts";
import { EntryTexts } from "./entry-texts.ts";
import { countFacets } from "./facets.ts";
import { filesWithHits } from "./hits.ts";
import { findNamed, mayName } from "./named-sessions.ts";
import { groupBySession, type Lacks, type RankedHit, type RankedSession } from "./rank.ts";
import { QUICK, type RankedHits, type Ranking, rankHits, WINDOWS, type Windows } from "./ranked-hits.ts";
import { decodeSearchCursor, encodeSearchCursor, type SearchPage } from "./search-cursor.ts";
import { showHits } from "./show-hits.ts";
import { isAnywhere, type Survey, survey } from "./survey.ts";
import { conversationFirst } from "./title-hits.ts";
import { findTogether, type Together } from "./together.ts";
import { type WantedBy, wantedBy } from "./wanted.ts";

/** What any search tells besides what it found. */
interface SearchAnswer {
  /** Entries that were found and ranked, closest matches included; an entry that forks copied counts once. */
  hitCount: number;
  /** The sessions of those entries. */
  sessionCount: number;
  /** True when there are more hits than were ranked. */
  more: boolean;
  /** The `cursor` of the next page, when there is one. */
  next?: string;
  /** How all that matches spreads, ranked or not, where that was asked for: without closest matches, unless there are no others. */
  facets?: Facets;
  /** How many that is, with `facets`. */
  totals?: Totals;
  /** Where no session matches in full: the words of the query that the index has in no entry. */
  unfound?: string[];
  /** Where fewer than five sessions match in full, and others were found that match in part: they come last. */
  closest?: ClosestAnswer;
  /** Where the query was read as plain words: what the query language has against it. */
  notAQuery?: string;
  /** Prefixes of one or two letters that begin too many words: of those, the 64 most frequent were looked for. */
  broadPrefixes?: string[];
  /** Files whose lines are no longer what was indexed: their hits were left out. Sync and search again. */
  changedFiles: string[];
}

/**
 * Sessions that match a query in part: how many there are, which words were corrected in any of them, and which the first one
 * lacks.
 */
export interface ClosestAnswer extends Lacks {
  sessionCount: number;
}

/** What a search found, by session. */
export interface SearchResult extends SearchAnswer {
  /** Sessions with their best hits, best first. */
  sessions: SessionHits[];
}

const NOT_TOGETHER: Together = { sessions: [], more: false };

/** What a search found, hit by hit. */
export interface FlatSearchResult extends SearchAnswer {
  hits: Hit[];
}

/**
 * Finds sessions by words and fields, best first: those with entries that hold all that was asked for, then those
 * that hold it in several entries together. Each with its best hits and their snippets.
 *
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`, `BAD_CURSOR`, `NOT_FOUND` for `session:@last` where there is none
 */
export function searchSessions(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: Windows = options.quick ? QUICK : WINDOWS,
): Promise<SearchResult> {
  return inSnapshot(db, (snapshot) => sessionsIn(snapshot, scope, query, options, windows));
}

async function sessionsIn(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: Windows,
): Promise<SearchResult> {
  const search = await prepare(db, scope, query, options, "sessions", windows);
  const { sort, limit, hits: hitsEach } = search.options;
  const { seen } = search.page;
  const ranked = await rank(search, {
    keepsHome: true,
    isSeen: ({ row }) => seen.has(row.file_id),
    isEnough: (fresh) => new Set(fresh.map(({ row }) => row.file_id)).size > limit,
    share: (rows) => new Set(rows.map(({ file_id }) => file_id)).size / (limit + 1),
  });
  const named = await namedSessions(search, scope);
  const sessions = withNamed(named, groupBySession(ranked.fresh, sort)).filter(
    ({ fileId }) => !seen.has(fileId),
  );
  const hasRoom = sessions.length <= limit && !ranked.more;
  // Totals are of what all pages show: the last of them has room.
  const across = hasRoom || search.options.facets ? await together(search, ranked) : NOT_TOGETHER;
  const others = hasRoom ? across : NOT_TOGETHER;
  const known = new Set([...seen, ...named.map(({ fileId }) => fileId)]);
  sessions.push(...others.sessions.filter(({ fileId }) => !known.has(fileId)));
  const closest = hasRoom ? await closestTo(search, scope, ranked, others, named) : undefined;
  sessions.push(...(closest?.sessions.filter(({ fileId }) => !seen.has(fileId)) ?? []));

  const { asked, wanted, page } = search;
  const shown = await conversationFirst(db, asked, wanted, page.lastEntry, sessions.slice(0, limit));
  const best = shown.map(({ hits }) => hits.slice(0, hitsEach));
  const terms = markedIn(search, closest);
  const { hits, changedFiles } = await showHits(db, scope, best.flat(), terms, search.texts);
  const files = shown.map(({ fileId }) => fileId);
  const infos = await sessionsById(db, files);
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

/** Finds entries by words and fields, one by one. @throws as `searchSessions` */
export function searchEntries(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: Windows = options.quick ? QUICK : WINDOWS,
): Promise<FlatSearchResult> {
  return inSnapshot(db, (snapshot) => entriesIn(snapshot, scope, query, options, windows));
}

async function entriesIn(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  windows: Windows,
): Promise<FlatSearchResult> {
  const search = await prepare(db, scope, query, options, "hits", windows);
  const { limit } = search.options;
  const { seen } = search.page;
  const isSeen = ({ row, copies }: RankedHit) => [row, ...copies].some(({ id }) => seen.has(id));
  const ranked = await rank(search, {
    keepsHome: false,
    isSeen,
    isEnough: (fresh) => fresh.length > limit,
    share: (rows) => rows.length / (limit + 1),
  });
  const named = await namedSessions(search, scope);
  const hasRoom = ranked.fresh.length <= limit && !ranked.more;
  // Totals are of what all pages show: the last of them has room.
  const across = hasRoom || search.options.facets ? await together(search, ranked) : NOT_TOGETHER;
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
  const { hits, copyIds, changedFiles } = await showHits(db, scope, shown, terms, search.texts);
  // Whichever of its places stands for a hit later, it was shown. What is a hit here is told by the ranking.
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

/** The terms that the snippet of a hit marks: of closest matches also those that stand for terms of the query. */
function markedIn(
  { asked }: Search,
  closest: { terms: readonly Term[] } | undefined,
): (hit: RankedHit) => readonly Term[] {
  const all = [...asked.terms, ...(closest?.terms ?? [])];
  return ({ lacks }) => (lacks ? all : asked.terms);
}

/** A search asks several questions. In one transaction, so that a sync in between changes none of the answers. */
function inSnapshot<T>(db: Reader, search: (snapshot: Reader) => Promise<T>): Promise<T> {
  return db.snapshot(search);
}

/** A question, ready to be asked. */
interface Search {
  db: Reader;
  /** Whether sessions are found, or hits one by one. */
  unit: "sessions" | "hits";
  query: string;
  asked: LenientMatch;
  /** Prefixes of which only the most frequent words are looked for. */
  broad: FrequentWords;
  options: z.output<typeof SearchOptions>;
  /** In how many entries the words of each part stand. */
  counts: Survey["counts"];
  wanted: WantedBy;
  page: SearchPage;
  windows: Windows;
  texts: EntryTexts;
  /** What a cursor belongs to: pages may differ in size, and in nothing else. */
  question: unknown;
}

async function prepare(
  db: Reader,
  scope: Scope,
  query: string,
  options: SearchOptions,
  unit: "sessions" | "hits",
  windows: Windows,
): Promise<Search> {
  const parsed = plainSearchOptions(options) ?? (await checked(options));
  const text = typeof query === "string" ? query : await refused(query);
  const read = (frequent?: FrequentWords): LenientMatch =>
    parsed.strict ? { ...match(text, frequent), isPaste: false } : matchLeniently(text, frequent);
  const written = read();
  const broad = await broadPrefixes(db, written.terms);
  const asked = broad.size > 0 ? read(broad) : written;
  const {
    limit: _limit,
    hits: _hits,
    sync: _sync,
    facets: _facets,
    quick: _quick,
    cursor,
    ...filters
  } = parsed;
  // Ages such as 7d as they were asked for: in milliseconds they differ from page to page.
  const question = [unit, query, { ...filters, since: options.since, until: options.until }];
  const { lastEntry, counts, rareSides } = await survey(db, asked.parts);
  const page = cursor === undefined ? firstPage(lastEntry) : decodeSearchCursor(cursor, question);
  const wanted = await wantedBy(db, scope, asked, parsed, counts, rareSides);
  const texts = new EntryTexts(db);
  return {
    db,
    unit,
    query: text,
    asked,
    broad,
    options: parsed,
    counts,
    wanted,
    page,
    windows,
    texts,
    question,
  };
}

async function checked(options: SearchOptions) {
  const { SearchOptions, parseOptions } = await import("../options.ts");
  return parseOptions(SearchOptions, options);
}

/** Says what is wrong with a query that is no text. */
async function refused(query: unknown): Promise<string> {
  const { Query, parseOptions } = await import("../options.ts");
  return parseOptions(Query, query);
}

function firstPage(lastEntry: number): SearchPage {
  return { lastEntry, within: { first: 0, last: lastEntry }, before: undefined, seen: new Set() };
}

/** Hits that hold all parts of the query by themselves. */
function rank(
  { db, asked, options, wanted, windows, texts, page }: Search,
  filling: Pick<Ranking, "isSeen" | "isEnough" | "share" | "keepsHome">,
): Promise<RankedHits> {
  const { within, lastEntry, before } = page;
  const ranking = { ...options, ...filling, within, lastEntry, before, windows, texts };
  return rankHits(db, asked, wanted, ranking);
}

/** Sessions that hold the parts of the query in several entries, and of which no entry holds them all. */
async function together(
  { db, asked, options, counts, wanted, page }: Search,
  { all, range }: RankedHits,
): Promise<Together> {
  const { lastEntry } = page;
  const places = all.flatMap(({ row, copies }) => [row, ...copies]);
  const known = new Set(places.map(({ file_id }) => file_id));
  const { sessions, more } = await findTogether(db, asked, wanted, { ...options, lastEntry, known, counts });
  if (range.first === 0 && range.last === lastEntry) return { sessions, more };
  // Sessions whose entries hold it all in a window before are known there, not here.
  const within = { first: 0, last: lastEntry };
  const before = await filesWithHits(
    db,
    wanted.whole,
    sessions.map(({ fileId }) => fileId),
    within,
  );
  return { sessions: sessions.filter(({ fileId }) => !before.has(fileId)), more };
}

/**
 * Sessions that the query names by an id or a path, and that meet its fields and filters. Those of subagents and archived ones
 * count unless something else is asked for: who names one means it.
 */
async function namedSessions(
  { db, query, asked, page, options, counts }: Search,
  scope: Scope,
): Promise<RankedSession[]> {
  if (!mayName(query)) return [];
  const { subagents, archived } = options;
  const lenient = {
    ...options,
    subagents: subagents === "no" ? ("yes" as const) : subagents,
    archived: archived === "no" ? ("yes" as const) : archived,
  };
  const wanted = await wantedBy(db, scope, { ...asked, parts: [] }, lenient, counts);
  const hits = await findNamed(db, inScope(scope), query, wanted.whole);
  return hits
    .filter(({ row }) => row.id <= page.lastEntry)
    .map((hit) => ({ fileId: hit.row.file_id, hits: [{ ...hit, score: NAMED_SCORE, together: false }] }));
}

/** What a query names is what is looked for, whatever else it finds. */
const NAMED_SCORE = 1_000;

/** Named sessions first, with the hits that they have besides. */
function withNamed(named: readonly RankedSession[], sessions: readonly RankedSession[]): RankedSession[] {
  const others = new Map(sessions.map((each) => [each.fileId, each.hits]));
  const first = named.map(({ fileId, hits }) => {
    const known = new Set(hits.map(({ row }) => row.id));
    return { fileId, hits: [...hits, ...(others.get(fileId) ?? []).filter(({ row }) => !known.has(row.id))] };
  });
  const isNamed = new Set(named.map(({ fileId }) => fileId));
  return [...first, ...sessions.filter(({ fileId }) => !isNamed.has(fileId))];
}

/** Most queries are matched in full by enough sessions, and need none of it. */
const loadClosest = once(() => import("./closest.ts"));

/** Where so many sessions match in full, none that match in part are looked for. */
const ENOUGH_SESSIONS = 5;

/** The sessions that match in part, where few match in full and all of those are known. */
async function closestTo(
  { db, asked, options, wanted, counts, page, windows }: Search,
  scope: Scope,
  { all, more, range }: RankedHits,
  others: Together,
  named: readonly RankedSession[],
): Promise<{ sessions: ClosestSession[]; terms: readonly Term[] } | undefined> {
  const { lastEntry } = page;
  const isWhole = range.first === 0 && range.last === lastEntry && !more;
  if (options.strict || !isWhole || named.length > 0) return undefined;
  const hits = [...all, ...others.sessions.flatMap((each) => each.hits)];
  const places = hits.flatMap(({ row, copies }) => [row, ...copies]);
  // What fits a window is the same on every page, of whatever size.
  if (places.length > windows.first) return undefined;
  if (new Set(hits.map(({ row }) => row.file_id)).size >= ENOUGH_SESSIONS) return undefined;
  const known = new Set(places.map(({ file_id }) => file_id));
  const { isPaste } = asked;
  const { findClosest } = await loadClosest();
  // In pasted text dashes are signs.
  const relaxed = isPaste ? await wantedBy(db, scope, { ...asked, excluded: [] }, options, counts) : wanted;
  const found = await findClosest(db, scope, asked, relaxed, { lastEntry, known, isPaste });
  return found.sessions.length > 0 ? found : undefined;
}

/** All that a search found. */
interface FoundSoFar {
  ranked: RankedHits;
  /** Of `across`, what this page has room for: all or nothing. */
  others: Together;
  /** Sessions that match across entries. */
  across: Together;
  named: readonly RankedSession[];
  closest: { sessions: ClosestSession[] } | undefined;
}

async function answer(
  { db, unit, asked, broad, options, wanted, page, windows, question }: Search,
  { ranked: { all, more, range, window, beyond }, others, across, named, closest }: FoundSoFar,
  shown: readonly number[],
  left: boolean,
): Promise<Omit<SearchAnswer, "changedFiles">> {
  // What is left of the window comes first, then what lies beyond it.
  const within = left ? range : beyond;
  // The first window of a range decides where its copies stand, for all pages.
  const sameRange = range.first === page.within.first && range.last === page.within.last;
  const before = left ? ((sameRange ? page.before : undefined) ?? window) : undefined;
  const { lastEntry } = page;
  const seen = new Set([...page.seen, ...shown]);
  const hits = [...named.flatMap(({ hits }) => hits), ...all, ...others.sessions.flatMap(({ hits }) => hits)];
  const full = [...new Map(hits.map((hit) => [hit.row.id, hit])).values()];
  const inPart = closest?.sessions ?? [];
  const found = [...full, ...inPart.flatMap(({ hits }) => hits)];
  const unfound = full.length === 0 ? await unfoundWords(db, asked) : [];
  const counted = async (): Promise<Pick<SearchAnswer, "facets" | "totals">> => {
    const range = { first: 0, last: lastEntry };
    const hitsAcross = across.sessions.flatMap(({ hits }) => hits);
    const counting = { keepsHome: unit === "sessions", limit: windows.counted, also: hitsAcross };
    const isAll = !across.more;
    if (more && !options.exact) {
      const { totals, facets } = await countMatches(db, wanted.whole, range, counting);
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
      next: encodeSearchCursor({ lastEntry, within, before, seen }, question),
    }),
    ...(options.facets && (await counted())),
    ...(unfound.length > 0 && { unfound }),
    ...(inPart.length > 0 && { closest: summaryOf(inPart) }),
    ...(asked.notAQuery !== undefined && { notAQuery: asked.notAQuery }),
    ...(broad.size > 0 && { broadPrefixes: [...broad.keys()] }),
  };
}

/** What sessions that match in part lack: all that was corrected in any of them, and what the first is still without. */
function summaryOf(sessions: readonly ClosestSession[]): ClosestAnswer {
  const all = sessions.flatMap(({ lacks }) => lacks.corrected);
  const corrected = [...new Map(all.map((each) => [each.from, each])).values()];
  const isCorrected = new Set(corrected.map(({ from }) => from));
  const missing = (sessions[0]?.lacks.missing ?? []).filter((word) => !isCorrected.has(word));
  return { sessionCount: sessions.length, missing, corrected };
}

/** Of several words that were asked for, those that nothing holds: to blame when nothing was found. */
async function unfoundWords(db: Reader, { parts }: LenientMatch): Promise<string[]> {
  const unfound: string[] = [];
  for (const part of parts) {
    if (part.kind !== "words" || part.text === undefined) continue;
    if (!(await isAnywhere(db, part.expression))) unfound.push(part.text);
  }
  return unfound;
}
