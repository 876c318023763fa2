import type { z } from "zod";
import type { Position } from "../../src/store/position.ts";
import type { HitRow, SearchReads } from "../../src/store/search-reads.ts";
import type { Store } from "../../src/store/store.ts";
import { compileQuery, compileQueryLeniently, type LenientQuery } from "../compile-query.ts";
import type { SearchOptions } from "../options.ts";
import { parsePlainSearchOptions } from "../parse-plain-options.ts";
import { expandBroadPrefixes, type PrefixExpansions } from "../prefix-expansions.ts";
import { EntryTexts } from "./entry-texts.ts";
import { findFillers, withoutFillers } from "./fillers.ts";
import { wholeRange } from "./ranges.ts";
import type { HitSort, HitWithCopies } from "./rank.ts";
import { decodeSearchCursor, type SearchPage } from "./search-cursor.ts";
import { planSearch, type SearchPlan } from "./search-plan.ts";
import { readTermStats, type TermStats } from "./term-stats.ts";
import { toTypingReads } from "./typing-reads.ts";

/**
 * Numbers of newest hits to rank: `first` at first, then at most twice as many, up to `wide`, until a page is filled. The
 * next page continues beyond them. Ranking every hit of a common word takes a hundred times as long, and its newest hits are the
 * relevant ones.
 */
export interface RankingWindows {
  first: number;
  wide: number;
  /** Number of entries from which words are common and not scored, if it is not the default. */
  common?: number;
  /** Maximum number of matches to count, newest first. */
  counted?: number;
  /** How many entries of each term, and how many sessions, are compared to find the closest matches, if not the default. */
  closest?: ClosestLimits;
}

export interface ClosestLimits {
  rows: number;
  sessions: number;
}
export const DEFAULT_WINDOWS: RankingWindows = { first: 2_000, wide: 8_000 };
/** For search as you type, where a result has to fit into a frame and the next key brings another. */
export const QUICK_WINDOWS: RankingWindows = {
  first: 250,
  wide: 8_000,
  common: 4_000,
  closest: { rows: 250, sessions: 30 },
};

/** A parsed request with everything its queries need. */
export interface Search {
  store: Store;
  reads: SearchReads;
  /** Whether results are sessions or single hits. */
  unit: "sessions" | "hits";
  query: string;
  compiled: LenientQuery;
  /** Words of a sentence that carry no meaning, and are not highlighted. */
  fillers: ReadonlySet<string>;
  /** Prefixes that are searched by their most frequent words. */
  broad: PrefixExpansions;
  /** Whether results may be incomplete, because a prefix that is being typed is searched by words of letters only. */
  isApproximate: boolean;
  options: Omit<z.output<typeof SearchOptions>, "sort"> & { sort: HitSort };
  /** The order of sessions, which have no hits. */
  sessionSort: "cost" | "messages" | undefined;
  /** Number of entries that contain the words of each clause. */
  counts: TermStats["counts"];
  /** Clauses that are not scored. */
  common: TermStats["common"];
  /** Number of all entries, roughly. */
  entries: number;
  plan: SearchPlan;
  page: SearchPage;
  /** Whether a hit, or its session, is on an earlier page. */
  isSeen: (hit: HitWithCopies) => boolean;
  /** Number of sessions, or hits, that rows belong to. */
  count: (rows: readonly HitRow[]) => number;
  windows: RankingWindows;
  texts: EntryTexts;
  /** The request that a cursor belongs to; pages may differ in size only. */
  request: unknown;
}

/** @throws as `searchSessions` */
export async function prepareSearch(
  store: Store,
  query: string,
  searchOptions: SearchOptions,
  unit: Search["unit"],
  windows: RankingWindows,
): Promise<Search> {
  const parsed =
    parsePlainSearchOptions(searchOptions) ??
    (await parseWithZod(({ SearchOptions }) => SearchOptions, searchOptions));
  const sessionSort = parsed.sort === "cost" || parsed.sort === "messages" ? parsed.sort : undefined;
  const sort = parsed.sort === "cost" || parsed.sort === "messages" ? "relevance" : parsed.sort;
  const options = { ...parsed, sort };
  const text = typeof query === "string" ? query : await parseWithZod(({ Query }) => Query, query);
  const compile = (frequent?: PrefixExpansions): LenientQuery =>
    options.strict
      ? { ...compileQuery(text, frequent), isPaste: false }
      : compileQueryLeniently(text, frequent);
  const unexpanded = compile();
  const storeReads = await store.search();
  const broad = await expandBroadPrefixes(storeReads.words, unexpanded.terms);
  const written = broad.size > 0 ? compile(broad) : unexpanded;
  const fillers = options.strict ? new Set<string>() : await findFillers(written);
  const compiled = written.isPaste ? written : withoutFillers(written, fillers);
  const isTyping = options.quick && options.cursor === undefined && !options.facets;
  const typing = isTyping ? await toTypingReads(storeReads, compiled.terms) : undefined;
  const reads = typing ?? storeReads;
  const {
    limit: _limit,
    hits: _hits,
    sync: _sync,
    facets: _facets,
    quick: _quick,
    cursor,
    ...filters
  } = options;
  // Ages such as 7d as written: in milliseconds they would differ from page to page.
  const { since, until } = searchOptions;
  const request = [unit, query, { ...filters, sort: parsed.sort, since, until }];
  const { end, entries, counts, common, rareAlternatives } = await readTermStats(
    reads,
    compiled.clauses,
    windows.common,
  );
  const page = cursor === undefined ? toFirstPage(end) : decodeSearchCursor(cursor, request);
  const { seen } = page;
  const plan = await planSearch(store, compiled, options, common, rareAlternatives);
  // Nothing is scored without words.
  const hasWords = compiled.clauses.some(({ kind }) => kind === "words");
  return {
    store,
    reads,
    unit,
    query: text,
    compiled,
    fillers,
    broad,
    isApproximate: typing !== undefined,
    options: { ...options, sort: sort === "relevance" && !hasWords ? "newest" : sort },
    sessionSort,
    counts,
    common,
    entries,
    plan,
    page,
    windows,
    request,
    isSeen:
      unit === "sessions"
        ? ({ row }) => seen.has(row.file_id)
        : ({ row, copies }) => [row, ...copies].some(({ position }) => seen.has(position)),
    count:
      unit === "sessions"
        ? (rows) => new Set(rows.map(({ file_id }) => file_id)).size
        : (rows) => rows.length,
    texts: new EntryTexts(store),
  };
}

async function parseWithZod<T>(
  choose: (schemas: typeof import("../options.ts")) => z.ZodType<T>,
  value: unknown,
): Promise<T> {
  const schemas = await import("../options.ts");
  return schemas.parseOptions(choose(schemas), value);
}

function toFirstPage(end: Position): SearchPage {
  return { end, within: wholeRange(end), seen: new Set() };
}
