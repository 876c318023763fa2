import { areAllScored, type HitConditions } from "../../src/store/conditions.ts";
import { isInRange, type Position, type PositionRange } from "../../src/store/position.ts";
import type { HitRow, SearchReads } from "../../src/store/search-reads.ts";
import type { CompiledQuery } from "../compile-query.ts";
import { collapseCopies, comparePreference, getCopyKey } from "../copies.ts";
import { createSnippet } from "../snippet/snippet.ts";
import type { EntryTexts } from "./entry-texts.ts";
import { findHitsByTime } from "./hits-by-time.ts";
import type { Search } from "./prepare-search.ts";
import { isWhole, rangeBeyond, rangeOf, windowOf } from "./ranges.ts";
import { compareHits, type HitWithCopies, type RankedHit, type RankingSignals, scoreHit } from "./rank.ts";
import { scoreTerms } from "./score-terms.ts";

/** Ranked hits, in order. */
export interface RankedHits {
  /** All ranked hits. */
  all: readonly RankedHit[];
  /** Those that are not on an earlier page. */
  fresh: readonly RankedHit[];
  /** Whether there are more hits beyond the window. */
  more: boolean;
  /** The range of entries that was searched. */
  range: PositionRange;
  /** The part of it that contains the hits of the window. */
  window: PositionRange;
  /** The part that contains the hits beyond the window. */
  beyond: PositionRange | undefined;
}

/** Finds and ranks the newest hits, and reads more until they fill a page. */
export async function rankHits(search: Search): Promise<RankedHits> {
  const { reads, options, windows, page, isSeen } = search;
  const { whole: hitConditions, rareOnly } = search.plan;
  const { sort, exact, limit } = options;
  /** Maximum fraction of a page that rows fill once ranked; 1 is a full page. */
  const pageShare = (rows: readonly HitRow[]) => search.count(rows) / (limit + 1);
  const from = sort === "oldest" ? "oldest" : "newest";
  let range = page.within;
  // A word that no entry has: reading the lists of the other words, such as those of a short prefix, would be in vain.
  if ([...search.counts.values()].includes(0))
    return { all: [], fresh: [], more: false, range, window: windowOf(range, undefined), beyond: undefined };
  let rows: HitRow[] = [];
  let next = windows.first;
  for (let rest: PositionRange = range; ; ) {
    const size = exact ? undefined : Math.min(next, windows.wide - rows.length);
    const found = await reads.findHits(hitConditions, { size, from, within: rest });
    if (found.more && sort !== "relevance") return rankByTime(search);
    rows = rows.concat(found.rows);
    const isWide = rows.length >= windows.wide;
    const filled = pageShare(rows);
    if (found.more && !isWide && filled < 1) {
      rest = rangeBeyond(range, lastOf(rows), from);
      next = Math.min(rows.length, missing(rows.length, filled)); // doubles: each statement opens the lists of all words
      continue;
    }
    next = windows.first;
    await scoreTerms(reads, rows, hitConditions, found.more || options.quick);
    const weighed = rareOnly && sort === "relevance" ? await withRare(search, rows, rareOnly, range) : rows;
    // With rare alternatives of an OR, all locations are known at once.
    const firstWindow = range === page.within && !rareOnly ? page.firstWindow : undefined;
    const ranked = await rank(search, weighed, firstWindow);
    const all = await withoutEarlier(search, ranked, range);
    const fresh = all.filter((hit) => !isSeen(hit));
    const beyond = found.more ? rangeBeyond(range, lastOf(rows), from) : undefined;
    const isEnough = pageShare(fresh.map(({ row }) => row)) >= 1;
    if (!beyond || isEnough || (isWide && fresh.length > 0)) {
      return { all, fresh, more: found.more, range, window: windowOf(range, beyond), beyond };
    }
    rest = beyond;
    if (!isWide) continue;
    range = beyond; // all of its hits were on earlier pages
    rows = [];
  }
}

/** Ranks the newest or oldest hits. The next page finds them again, without those that were returned. */
async function rankByTime(search: Search): Promise<RankedHits> {
  const range = search.page.within;
  const { hits: all, more } = await findHitsByTime(search, (rows) => rank(search, rows, undefined));
  const fresh = all.filter((hit) => !search.isSeen(hit));
  return { all, fresh, more, range, window: range, beyond: more ? range : undefined };
}

/** Adds the hits of an OR's rare alternatives, which score higher however old they are. */
async function withRare(
  { reads, plan, windows }: Search,
  rows: readonly HitRow[],
  rare: HitConditions,
  within: PositionRange,
): Promise<HitRow[]> {
  const found = await reads.findHits(rare, { size: windows.first, from: "newest", within });
  await scoreTerms(reads, found.rows, rare, found.more);
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  for (const row of found.rows) {
    const known = byPosition.get(row.position);
    const words = areAllScored(plan.whole) ? Math.max(known?.words ?? 0, row.words) : row.words;
    byPosition.set(row.position, { ...row, words });
  }
  return [...byPosition.values()];
}

/** Estimates how many more rows fill a page, with a margin of 50 %. */
function missing(rows: number, filled: number): number {
  return Math.ceil(1.5 * rows * (1 / Math.max(filled, 0.1) - 1));
}

/**
 * Hits, minus entries already returned from an earlier window through one of their copies. If results are sessions, a hit in the
 * oldest session of all copies is kept: otherwise that session would be on no page, and only its forks would.
 */
async function withoutEarlier(
  { reads, unit, plan, page: { end } }: Search,
  hits: readonly RankedHit[],
  range: PositionRange,
): Promise<readonly RankedHit[]> {
  if (isWhole(range, end)) return hits; // the first window
  const positions = await reads.findPossibleCopies(
    hits.map(({ row }) => row),
    end,
    range,
  );
  if (positions.length === 0) return hits;
  const entry = [...plan.whole.entry, { kind: "position", positions } as const];
  const { rows } = await reads.findHits(
    { ...plan.whole, entry, scored: [] },
    { size: undefined, from: "newest", within: rangeOf(positions.map((position) => ({ position }))) },
  );
  const earlier = Map.groupBy(rows, getCopyKey);
  return hits.filter(({ row }) => {
    const copies = earlier.get(getCopyKey(row));
    // An entry repeated in its own file is not a copy.
    if (!copies || copies.every(({ file_id }) => file_id === row.file_id)) return true;
    return unit === "sessions" && copies.every((copy) => comparePreference(row, copy) < 0);
  });
}

function lastOf(rows: readonly HitRow[]): Position {
  return (rows.at(-1) as HitRow).position;
}

async function rank(
  { reads, unit, compiled, options: { sort }, texts }: Search,
  rows: readonly HitRow[],
  firstWindow: PositionRange | undefined,
): Promise<RankedHit[]> {
  const signals = await readSignals(reads, compiled, rows);
  const scored = (hits: readonly HitWithCopies[], literal: ReadonlySet<Position>) => {
    const all = { ...signals, literal };
    return hits
      .map(({ row, copies }): RankedHit => ({ row, copies, score: scoreHit(row, all), crossEntry: false }))
      .sort(compareHits(sort));
  };
  const isKnown = ({ position }: HitRow) => firstWindow !== undefined && isInRange(firstWindow, position);
  const placed = collapseCopies(rows, isKnown);
  const hits = scored(unit === "sessions" ? placed.flatMap(withOriginal) : placed, signals.literal);
  const signed = compiled.terms.filter(({ text }) => HAS_PUNCTUATION.test(text.trim()));
  if (sort !== "relevance" || signed.length === 0) return hits;
  return scored(hits, await literalHits(hits, signed, texts));
}

/** A hit at its preferred location, and at the one in the oldest session if that differs. */
export function withOriginal({ row, copies }: HitWithCopies): HitWithCopies[] {
  const [home] = [row, ...copies].sort(comparePreference);
  if (home === undefined || home === row) return [{ row, copies }];
  return [
    { row, copies },
    { row: home, copies: [row, ...copies.filter((copy) => copy !== home)] },
  ];
}

/** A word that contains or touches punctuation, which the index does not store. */
const HAS_PUNCTUATION = /[\p{L}\p{N}][^\p{L}\p{N}\s]|[^\p{L}\p{N}\s][\p{L}\p{N}]/u;
/** Number of best hits that are read from their files to check for exact punctuation. */
const MAX_LITERAL_CHECKS = 60;

/** Those among the best hits that contain the words with their exact punctuation. */
async function literalHits(
  hits: readonly RankedHit[],
  signed: CompiledQuery["terms"],
  texts: EntryTexts,
): Promise<Set<Position>> {
  const best = hits.slice(0, MAX_LITERAL_CHECKS).map(({ row }) => row.position);
  await texts.read(best);
  const literals = signed.map(({ text }) => text.trim().toLowerCase());
  return new Set(
    best.filter((position) => {
      const read = texts.get(position);
      const text = read && Object.values(read.text).join("\n").toLowerCase();
      return text !== undefined && literals.every((each) => text.includes(each));
    }),
  );
}

/** Ranking inputs that the index knows. */
export async function readSignals(
  reads: SearchReads,
  { proximity, terms }: CompiledQuery,
  rows: readonly HitRow[],
): Promise<RankingSignals> {
  const none: ReadonlySet<Position> = new Set();
  const known = { now: Date.now(), nameMatch: namesThatMatch(terms, rows), literal: none };
  if (!proximity || rows.length === 0) return { ...known, phrase: none, near: none };
  const near = await reads.findPositions(proximity.near, rangeOf(rows));
  // Words of a phrase are near each other, so its entries are among these.
  const among = near.map((position) => ({ position }));
  const phrase = among.length > 0 ? await reads.findPositions(proximity.phrase, rangeOf(among)) : [];
  return { ...known, phrase: new Set(phrase), near: new Set(near) };
}

/** Fraction of the query's terms in each session's name, from 0 to 1, by file id. */
function namesThatMatch(terms: CompiledQuery["terms"], rows: readonly HitRow[]): Map<number, number> {
  const named = new Map<number, number>();
  if (terms.length === 0) return named;
  for (const { file_id, name } of rows) {
    if (name === null || named.has(file_id)) continue;
    const found = terms.filter((term) => createSnippet(name, [term]) !== undefined);
    named.set(file_id, found.length / terms.length);
  }
  return named;
}
