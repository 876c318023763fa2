import type { z } from "zod";
import type { Reader } from "../../src/database/reader.ts";
import type { Facets, Hit, SessionHits } from "../answers.ts";
import { type Match, match, type Part } from "../match.ts";
import type { SearchOptions } from "../options.ts";
import { plainSearchOptions } from "../plain-options.ts";
import type { Scope } from "../scope.ts";
import { sessionsById } from "../session-info.ts";
import { EntryTexts } from "./entry-texts.ts";
import { countFacets } from "./facets.ts";
import { filesWithHits } from "./hits.ts";
import { groupBySession, type RankedHit, type RankedSession } from "./rank.ts";
import { QUICK, type RankedHits, type Ranking, rankHits, WINDOWS, type Windows } from "./ranked-hits.ts";
import { decodeSearchCursor, encodeSearchCursor, type SearchPage } from "./search-cursor.ts";
import { showHits } from "./show-hits.ts";
import { isAnywhere, survey } from "./survey.ts";
import { findTogether } from "./together.ts";
import { type WantedBy, wantedBy } from "./wanted.ts";

/** What any search tells besides what it found. */
interface SearchAnswer {
  /** Entries that were found and ranked; an entry that forks copied counts once. */
  hitCount: number;
  /** Sessions that those entries stand in. */
  sessionCount: number;
  /** True when there are more hits than were ranked. */
  more: boolean;
  /** The `cursor` of the next page, when there is one. */
  next?: string;
  /** How the ranked hits spread, where that was asked for. */
  facets?: Facets;
  /** Where nothing was found: the words of the query that stand in no entry at all. */
  unfound?: string[];
  /** Files whose lines are no longer what was indexed: their hits were left out. Sync and search again. */
  changedFiles: string[];
}

/** What a search found, by session. */
export interface SearchResult extends SearchAnswer {
  /** Sessions with their best hits, best first. */
  sessions: SessionHits[];
}

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
    isSeen: ({ row }) => seen.has(row.file_id),
    isEnough: (fresh) => new Set(fresh.map(({ row }) => row.file_id)).size > limit,
    share: (rows) => new Set(rows.map(({ file_id }) => file_id)).size / (limit + 1),
  });
  const sessions = groupBySession(ranked.fresh, sort);
  const others = sessions.length <= limit && !ranked.more ? await together(search, ranked) : [];
  sessions.push(...others.filter(({ fileId }) => !seen.has(fileId)));

  const shown = sessions.slice(0, limit);
  const best = shown.map(({ hits }) => hits.slice(0, hitsEach));
  const { hits, changedFiles } = await showHits(db, scope, best.flat(), search.asked, search.texts);
  const files = shown.map(({ fileId }) => fileId);
  const infos = await sessionsById(db, files);
  return {
    sessions: shown.flatMap((each, n): SessionHits[] => {
      const session = infos.get(each.fileId);
      const read = (best[n] ?? []).flatMap((hit) => hits.get(hit) ?? []);
      return session && read.length > 0 ? [{ session, hits: read, hitCount: each.hits.length }] : [];
    }),
    ...(await answer(search, ranked, others, files, sessions.length > limit)),
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
    isSeen,
    isEnough: (fresh) => fresh.length > limit,
    share: (rows) => rows.length / (limit + 1),
  });
  const others = ranked.fresh.length <= limit && !ranked.more ? await together(search, ranked) : [];
  const found = [...ranked.fresh, ...others.flatMap(({ hits }) => hits).filter((hit) => !isSeen(hit))];
  const shown = found.slice(0, limit);
  const { hits, copyIds, changedFiles } = await showHits(db, scope, shown, search.asked, search.texts);
  // Whichever of its places stands for a hit later, it was shown. What is a hit here is told by the ranking.
  const idsOf = (hits: readonly RankedHit[]) =>
    hits.flatMap(({ row, copies }) => [row, ...copies]).map(({ id }) => id);
  const known = new Set(idsOf(ranked.all));
  const ids = [...idsOf(shown), ...copyIds.filter((id) => !known.has(id))];
  return {
    hits: shown.flatMap((hit) => hits.get(hit) ?? []),
    ...(await answer(search, ranked, others, ids, found.length > limit)),
    changedFiles,
  };
}

/** A search asks several questions. In one transaction, so that a sync in between changes none of the answers. */
function inSnapshot<T>(db: Reader, search: (snapshot: Reader) => Promise<T>): Promise<T> {
  return db.snapshot(search);
}

/** A question, ready to be asked. */
interface Search {
  db: Reader;
  asked: Match;
  options: z.output<typeof SearchOptions>;
  /** In how many entries the words of each part stand. */
  counts: ReadonlyMap<Part, number>;
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
  const asked = match(typeof query === "string" ? query : await refused(query));
  const parsed = plainSearchOptions(options) ?? (await checked(options));
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
  const { lastEntry, counts } = await survey(db, asked.parts);
  const page = cursor === undefined ? firstPage(lastEntry) : decodeSearchCursor(cursor, question);
  const wanted = await wantedBy(db, scope, asked, parsed, counts);
  const texts = new EntryTexts(db);
  return { db, asked, options: parsed, counts, wanted, page, windows, texts, question };
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
  filling: Pick<Ranking, "isSeen" | "isEnough" | "share">,
): Promise<RankedHits> {
  const { within, lastEntry, before } = page;
  const ranking = { ...options, ...filling, within, lastEntry, before, windows, texts };
  return rankHits(db, asked, wanted.whole, ranking);
}

/** Sessions that hold the parts of the query in several entries, and of which no entry holds them all. */
async function together(
  { db, asked, options, counts, wanted, page }: Search,
  { all, range }: RankedHits,
): Promise<RankedSession[]> {
  const { lastEntry } = page;
  const places = all.flatMap(({ row, copies }) => [row, ...copies]);
  const known = new Set(places.map(({ file_id }) => file_id));
  const found = await findTogether(db, asked, wanted, { ...options, lastEntry, known, counts });
  if (range.first === 0 && range.last === lastEntry) return found;
  // Sessions whose entries hold it all in a window before are known there, not here.
  const within = { first: 0, last: lastEntry };
  const before = await filesWithHits(
    db,
    wanted.whole,
    found.map(({ fileId }) => fileId),
    within,
  );
  return found.filter(({ fileId }) => !before.has(fileId));
}

async function answer(
  { db, asked, options, page, question }: Search,
  { all, more, range, window, beyond }: RankedHits,
  others: readonly RankedSession[],
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
  const found = [...all, ...others.flatMap(({ hits }) => hits)];
  const unfound = found.length === 0 ? await unfoundWords(db, asked) : [];
  return {
    hitCount: found.length,
    sessionCount: new Set(found.map(({ row }) => row.file_id)).size,
    more,
    ...(within && {
      next: encodeSearchCursor({ lastEntry, within, before, seen }, question),
    }),
    ...(options.facets && { facets: await countFacets(db, found) }),
    ...(unfound.length > 0 && { unfound }),
  };
}

/** Of several words that were asked for, those that nothing holds: to blame when nothing was found. */
async function unfoundWords(db: Reader, { parts }: Match): Promise<string[]> {
  const unfound: string[] = [];
  if (parts.length < 2) return unfound;
  for (const part of parts) {
    if (part.kind !== "words" || part.text === undefined) continue;
    if (!(await isAnywhere(db, part.expression))) unfound.push(part.text);
  }
  return unfound;
}
