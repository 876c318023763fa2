import { type Kysely, sql } from "kysely";
import type { z } from "zod";
import type { Schema } from "../../src/database/schema.ts";
import type { Facets, Hit, SessionHits } from "../answers.ts";
import { type Match, match } from "../match.ts";
import { parseOptions, SearchOptions } from "../options.ts";
import type { Scope } from "../scope.ts";
import { sessionsById } from "../session-info.ts";
import { EntryTexts } from "./entry-texts.ts";
import { countFacets } from "./facets.ts";
import { groupBySession, type RankedHit } from "./rank.ts";
import { type RankedHits, rankHits } from "./ranked-hits.ts";
import { decodeSearchCursor, encodeSearchCursor, type SearchPage } from "./search-cursor.ts";
import { showHits } from "./show-hits.ts";
import { findTogether } from "./together.ts";
import { type WantedBy, wantedBy } from "./wanted.ts";

/** What any search tells besides what it found. */
interface SearchAnswer {
  /** Entries that match and were ranked; an entry that forks copied counts once. */
  hitCount: number;
  /** Sessions that those entries stand in. */
  sessionCount: number;
  /** True when there are more hits than were ranked. */
  more: boolean;
  /** The `cursor` of the next page, when there is one. */
  next?: string;
  /** How the ranked hits spread, where that was asked for. */
  facets?: Facets;
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
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`, `BAD_CURSOR`
 */
export function searchSessions(
  db: Kysely<Schema>,
  scope: Scope,
  query: string,
  options: SearchOptions,
): Promise<SearchResult> {
  return inSnapshot(db, (snapshot) => sessionsIn(snapshot, scope, query, options));
}

async function sessionsIn(
  db: Kysely<Schema>,
  scope: Scope,
  query: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const search = await prepare(db, scope, query, options, "sessions");
  const { sort, limit, hits: hitsEach } = search.options;
  const { seen } = search.page;
  const filesOf = (hits: readonly RankedHit[]) => new Set(hits.map(({ row }) => row.file_id));
  const isSeen = ({ row }: RankedHit) => seen.has(row.file_id);
  const ranked = await rank(search, isSeen, (fresh) => filesOf(fresh).size > limit);
  const sessions = groupBySession(ranked.fresh, sort);
  if (sessions.length <= limit && !ranked.more) {
    const others = await together(search, ranked);
    sessions.push(...others.filter(({ fileId }) => !seen.has(fileId)));
  }

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
    ...(await answer(search, ranked, files, sessions.length > limit)),
    changedFiles,
  };
}

/** Finds entries by words and fields, one by one. @throws as `searchSessions` */
export function searchEntries(
  db: Kysely<Schema>,
  scope: Scope,
  query: string,
  options: SearchOptions,
): Promise<FlatSearchResult> {
  return inSnapshot(db, (snapshot) => entriesIn(snapshot, scope, query, options));
}

async function entriesIn(
  db: Kysely<Schema>,
  scope: Scope,
  query: string,
  options: SearchOptions,
): Promise<FlatSearchResult> {
  const search = await prepare(db, scope, query, options, "hits");
  const { limit } = search.options;
  const { seen } = search.page;
  const isSeen = ({ row, copies }: RankedHit) => [row, ...copies].some(({ id }) => seen.has(id));
  const ranked = await rank(search, isSeen, (fresh) => fresh.length > limit);
  const found = [...ranked.fresh];
  if (found.length <= limit && !ranked.more) {
    const others = await together(search, ranked);
    found.push(...others.flatMap(({ hits }) => hits).filter((hit) => !isSeen(hit)));
  }
  const shown = found.slice(0, limit);
  const { hits, copyIds, changedFiles } = await showHits(db, scope, shown, search.asked, search.texts);
  // A copy that lies beyond the window is no new hit there.
  const ids = [...shown.map(({ row }) => row.id), ...copyIds];
  return {
    hits: shown.flatMap((hit) => hits.get(hit) ?? []),
    ...(await answer(search, ranked, ids, found.length > limit)),
    changedFiles,
  };
}

/** A search asks several questions. In one transaction, so that a sync in between changes none of the answers. */
function inSnapshot<T>(db: Kysely<Schema>, search: (snapshot: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.transaction().execute(search);
}

/** A question, ready to be asked. */
interface Search {
  db: Kysely<Schema>;
  asked: Match;
  options: z.output<typeof SearchOptions>;
  wanted: WantedBy;
  page: SearchPage;
  texts: EntryTexts;
  /** What a cursor belongs to: pages may differ in size, and in nothing else. */
  question: unknown;
}

async function prepare(
  db: Kysely<Schema>,
  scope: Scope,
  query: string,
  options: SearchOptions,
  unit: "sessions" | "hits",
): Promise<Search> {
  const asked = match(query);
  const parsed = parseOptions(SearchOptions, options);
  const { limit: _limit, hits: _hits, sync: _sync, facets: _facets, cursor, ...filters } = parsed;
  // Ages such as 7d as they were asked for: in milliseconds they differ from page to page.
  const question = [unit, query, { ...filters, since: options.since, until: options.until }];
  const page =
    cursor === undefined
      ? { within: { first: 0, last: await lastEntry(db) }, seen: new Set<number>() }
      : decodeSearchCursor(cursor, question);

  const wanted = await wantedBy(db, scope, asked, parsed);
  return { db, asked, options: parsed, wanted, page, texts: new EntryTexts(db), question };
}

/** Entries that come later are on no page. */
async function lastEntry(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`SELECT max(id) AS id FROM entry`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Hits that hold all parts of the query by themselves. */
function rank(
  { db, asked, options, wanted, texts, page }: Search,
  isSeen: (hit: RankedHit) => boolean,
  isEnough: (fresh: readonly RankedHit[]) => boolean,
): Promise<RankedHits> {
  return rankHits(db, asked, wanted.whole, { ...options, within: page.within, isSeen, isEnough, texts });
}

/** Sessions that hold the parts of the query in several entries, and are none of those that were ranked. */
function together({ db, asked, options, wanted, page }: Search, { all }: RankedHits) {
  const places = all.flatMap(({ row, copies }) => [row, ...copies]);
  const known = new Set(places.map(({ file_id }) => file_id));
  return findTogether(db, asked, wanted, { sort: options.sort, lastEntry: page.within.last, known });
}

async function answer(
  { db, options, page, question }: Search,
  { all, more, range, beyond }: RankedHits,
  shown: readonly number[],
  left: boolean,
): Promise<Omit<SearchAnswer, "changedFiles">> {
  // What is left of the window comes first, then what lies beyond it.
  const within = left ? range : beyond;
  const seen = new Set([...page.seen, ...shown]);
  return {
    hitCount: all.length,
    sessionCount: new Set(all.map(({ row }) => row.file_id)).size,
    more,
    ...(within && { next: encodeSearchCursor({ within, seen }, question) }),
    ...(options.facets && { facets: await countFacets(db, all) }),
  };
}
