import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { byPlace, collapse, copyKey } from "../copies.ts";
import type { Match } from "../match.ts";
import { snippet } from "../snippet/snippet.ts";
import type { EntryTexts } from "./entry-texts.ts";
import {
  type EntryRange,
  findHits,
  type HitRow,
  isWeighedAtOnce,
  matchingIds,
  rangeOf,
  type Wanted,
} from "./hits.ts";
import { type HitSort, inOrder, type PlacedHit, type RankedHit, type Signals, score } from "./rank.ts";
import type { WantedBy } from "./wanted.ts";
import { weigh } from "./weigh.ts";

/**
 * How many of the newest hits are ranked at first, and how many at most, by no more at a time than at first, when those don't fill
 * a page; the next page goes on where these end. Ranking every hit of a common word takes a hundred times as long, and
 * what is wanted of a common word is the newest.
 */
export interface Windows {
  first: number;
  wide: number;
  /** How many matches are counted at most, the newest, where they are to be counted. */
  counted?: number;
}
export const WINDOWS: Windows = { first: 2_000, wide: 8_000 };
/** While somebody types there is a frame's time for it, and another answer at the next key. */
export const QUICK: Windows = { first: 500, wide: 8_000 };

/** Hits in order. */
export interface RankedHits {
  /** All that were ranked. */
  all: readonly RankedHit[];
  /** Those that stand on no page yet. */
  fresh: readonly RankedHit[];
  /** Whether there are more hits beyond the window. */
  more: boolean;
  /** The entries that were looked among. */
  range: EntryRange;
  /** Those of them that all hits of the window are among. */
  window: EntryRange;
  /** Those where the hits beyond the window are. */
  beyond: EntryRange | undefined;
}

export interface Ranking {
  sort: HitSort;
  /** Whether all hits are ranked, however many there are. */
  exact: boolean;
  /** Whether a hit stands on a page before. */
  isSeen: (hit: RankedHit) => boolean;
  /** The entries to look among, and all that were there at the first page. */
  within: EntryRange;
  lastEntry: number;
  /** The window of the first page among the same entries: what it knew of stands for its copies. */
  before: EntryRange | undefined;
  windows: Windows;
  /** Whether hits fill a page. */
  isEnough: (fresh: readonly RankedHit[]) => boolean;
  /** How much of a page rows fill at most, once they are ranked; 1 is all of it. */
  share: (rows: readonly HitRow[]) => number;
  texts: EntryTexts;
  /** Whether an entry counts again in the session that was begun first, where an earlier window had a copy of it. */
  keepsHome: boolean;
}

/** Finds and ranks hits: the newest, and more of them until they fill a page. */
export async function rankHits(
  db: Reader,
  asked: Match,
  { whole: wanted, rare }: Pick<WantedBy, "whole" | "rare">,
  { sort, exact, within, lastEntry, before, windows, isSeen, isEnough, share, texts, keepsHome }: Ranking,
): Promise<RankedHits> {
  const from = sort === "oldest" ? "oldest" : "newest";
  let range = within;
  let rows: HitRow[] = [];
  let next = windows.first;
  for (let rest: EntryRange | undefined = range; ; ) {
    const size = exact ? undefined : Math.min(next, windows.wide - rows.length);
    const found = await findHits(db, wanted, { size, from, within: rest });
    rows = rows.concat(found.rows);
    const isWide = rows.length >= windows.wide;
    const filled = share(rows);
    if (found.more && !isWide && filled < 1) {
      rest = rangeBeyond(rows, range, from);
      next = Math.min(windows.first, missing(rows.length, filled));
      continue;
    }
    next = windows.first;
    await weigh(db, rows, wanted, found.more);
    const isRareFirst = rare && sort === "relevance";
    const weighed = isRareFirst ? await withRare(db, rows, wanted, rare, range, windows.first) : rows;
    const ranked = await rank(
      db,
      asked,
      weighed,
      sort,
      texts,
      // With rare sides of an OR all homes are known at once.
      range === within && !rare ? before : undefined,
      keepsHome,
    );
    const all = await withoutEarlier(db, wanted, ranked, range, lastEntry, keepsHome);
    const fresh = all.filter((hit) => !isSeen(hit));
    const beyond = found.more ? rangeBeyond(rows, range, from) : undefined;
    if (!beyond || isEnough(fresh) || (isWide && fresh.length > 0)) {
      return { all, fresh, more: found.more, range, window: windowOf(range, beyond), beyond };
    }
    rest = beyond;
    if (!isWide) continue;
    range = beyond; // all of it was on pages before
    rows = [];
  }
}

/** Rows, and those that the rare sides of an OR find beside them: what is rare counts more, however old it is. */
async function withRare(
  db: Reader,
  rows: readonly HitRow[],
  wanted: Wanted,
  rare: Wanted,
  within: EntryRange,
  size: number,
): Promise<HitRow[]> {
  const found = await findHits(db, rare, { size, from: "newest", within });
  await weigh(db, found.rows, rare, found.more);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const row of found.rows) {
    const known = byId.get(row.id);
    const words = isWeighedAtOnce(wanted) ? Math.max(known?.words ?? 0, row.words) : row.words;
    byId.set(row.id, { ...row, words });
  }
  return [...byId.values()];
}

/** How many rows more are likely to fill a page: half as many again as those before would say. */
function missing(rows: number, filled: number): number {
  return Math.ceil(1.5 * rows * (1 / Math.max(filled, 0.1) - 1));
}

/**
 * Hits, without those that an earlier window had as a copy elsewhere. With `keepsHome` one stays where its session was begun
 * before those of all copies: else that session would be on no page, and only its forks would.
 */
async function withoutEarlier(
  db: Reader,
  wanted: Wanted,
  hits: readonly RankedHit[],
  { first, last }: EntryRange,
  lastEntry: number,
  keepsHome: boolean,
): Promise<readonly RankedHit[]> {
  if (first === 0 && last === lastEntry) return hits; // the first window
  const entryIds = JSON.stringify(hits.flatMap(({ row }) => row.entry_id ?? []));
  // Sessions of version 1 all have the same ids: the times leave few of them.
  const times = JSON.stringify(hits.flatMap(({ row }) => row.timestamp ?? []));
  const { rows: elsewhere } = await sql<{ id: number }>`
    SELECT id FROM entry WHERE entry_id IN (SELECT value FROM json_each(${entryIds}))
      AND timestamp IN (SELECT value FROM json_each(${times}))
      AND id <= ${lastEntry} AND id NOT BETWEEN ${first} AND ${last}`.execute(db);
  if (elsewhere.length === 0) return hits;
  const ids = elsewhere.map(({ id }) => id);
  const among = sql<SqlBool>`entry.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const before = { first: ids.reduce((a, b) => Math.min(a, b)), last: ids.reduce((a, b) => Math.max(a, b)) };
  const conditions = [...wanted.conditions, among];
  const { rows } = await findHits(
    db,
    { ...wanted, conditions, weighed: [] },
    { size: undefined, from: "newest", within: before },
  );
  const earlier = new Map<string | number, HitRow[]>();
  for (const row of rows) earlier.set(copyKey(row), [...(earlier.get(copyKey(row)) ?? []), row]);
  return hits.filter(({ row }) => {
    const copies = earlier.get(copyKey(row));
    // An entry that its own file has again is no copy.
    if (!copies || copies.every(({ file_id }) => file_id === row.file_id)) return true;
    return keepsHome && copies.every((copy) => byPlace(row, copy) < 0);
  });
}

/** Where the hits are that lie beyond those of a window. */
function rangeBeyond(
  rows: readonly HitRow[],
  { first, last }: EntryRange,
  from: "newest" | "oldest",
): EntryRange {
  const end = (rows.at(-1) as HitRow).id;
  return from === "newest" ? { first, last: end - 1 } : { first: end + 1, last };
}

/** A range less what lies beyond its window. */
function windowOf({ first, last }: EntryRange, beyond: EntryRange | undefined): EntryRange {
  if (!beyond) return { first, last };
  return beyond.first === first ? { first: beyond.last + 1, last } : { first, last: beyond.first - 1 };
}

async function rank(
  db: Reader,
  asked: Match,
  rows: readonly HitRow[],
  sort: HitSort,
  texts: EntryTexts,
  before: EntryRange | undefined,
  keepsHome: boolean,
): Promise<RankedHit[]> {
  const signals = await signalsOf(db, asked, rows);
  const scored = (hits: readonly PlacedHit[], literal: ReadonlySet<number>) => {
    const all = { ...signals, literal };
    return hits
      .map(({ row, copies }): RankedHit => ({ row, copies, score: score(row, all), together: false }))
      .sort(inOrder(sort));
  };
  const isKnown = ({ id }: HitRow) => before !== undefined && id >= before.first && id <= before.last;
  const placed = collapse(rows, isKnown);
  const hits = scored(keepsHome ? placed.flatMap(alsoAtHome) : placed, new Set());
  const signed = asked.terms.filter(({ text }) => SIGNED.test(text.trim()));
  if (sort !== "relevance" || signed.length === 0) return hits;
  return scored(hits, await literalHits(hits, signed, texts));
}

/** A hit that stands where an earlier page had it, and where its session was begun first. */
export function alsoAtHome({ row, copies }: PlacedHit): PlacedHit[] {
  const [home] = [row, ...copies].sort(byPlace);
  if (home === undefined || home === row) return [{ row, copies }];
  return [
    { row, copies },
    { row: home, copies: [row, ...copies.filter((copy) => copy !== home)] },
  ];
}

/** A word with signs in it or around it, which the index does not know. */
const SIGNED = /[\p{L}\p{N}][^\p{L}\p{N}\s]|[^\p{L}\p{N}\s][\p{L}\p{N}]/u;
/** Hits that are read back to see whether they hold the very signs: the best. */
const READ_BACK = 60;

/** Ids of those among the best hits that hold words with the very signs they were asked for with. */
async function literalHits(
  hits: readonly RankedHit[],
  signed: Match["terms"],
  texts: EntryTexts,
): Promise<Set<number>> {
  const ids = hits.slice(0, READ_BACK).map(({ row }) => row.id);
  await texts.read(ids);
  const wanted = signed.map(({ text }) => text.trim().toLowerCase());
  return new Set(
    ids.filter((id) => {
      const read = texts.get(id);
      const text = read && Object.values(read.text).join("\n").toLowerCase();
      return text !== undefined && wanted.every((each) => text.includes(each));
    }),
  );
}

/** What speaks for hits besides their words, as far as the index knows. */
export async function signalsOf(
  db: Reader,
  { closeness, terms }: Match,
  rows: readonly HitRow[],
): Promise<Signals> {
  const none: ReadonlySet<number> = new Set();
  const known = { now: Date.now(), named: namesThatMatch(terms, rows), literal: none };
  if (!closeness || rows.length === 0) return { ...known, phrase: none, near: none };
  const { first, last } = rangeOf(rows);
  return {
    ...known,
    phrase: await matchingIds(db, closeness.phrase, first, last),
    near: await matchingIds(db, closeness.near, first, last),
  };
}

/** For the sessions of hits that have a name: how much of the query stands in it, from 0 to 1. */
function namesThatMatch(terms: Match["terms"], rows: readonly HitRow[]): Map<number, number> {
  const named = new Map<number, number>();
  if (terms.length === 0) return named;
  for (const { file_id, name } of rows) {
    if (name === null || named.has(file_id)) continue;
    const found = terms.filter((term) => snippet(name, [term]) !== undefined);
    named.set(file_id, found.length / terms.length);
  }
  return named;
}
