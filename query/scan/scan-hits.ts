import type { z } from "zod";
import type { HitConditions } from "../../src/store/conditions.ts";
import type { LocalStore } from "../../src/store/local-reads.ts";
import type { Store } from "../../src/store/store.ts";
import type { ScanHit } from "../answers.ts";
import { compileQuery } from "../compile-query.ts";
import { DistinctLocations, HIT_PARTS, toBaseHit } from "../entry-locations.ts";
import { toSessionCondition } from "../filter.ts";
import { parseOptions, ScanOptions, ScanPattern } from "../options.ts";
import { planSearch } from "../search/search-plan.ts";
import { type ScanMatch, type ScanProgress, scanEntries } from "./scan.ts";

/** Progress callback and abort signal of a scan. */
export interface ScanControl {
  signal?: AbortSignal | undefined;
  onProgress?: (progress: ScanProgress) => void;
}

/** Result of a finished scan. */
export interface ScanReport {
  /** Files that have changed since they were indexed, or cannot be read: some of their hits may be missing. */
  changedFiles: string[];
}

/**
 * Searches the session files themselves for a text or regular expression, among the entries that a query and filters select.
 * Finds what the full-text index cannot. Yields hits as they are found, newest session first; copies of an entry in forks are
 * reported once.
 *
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`; the signal's reason when aborted
 */
export async function* scanHits(
  store: LocalStore,
  pattern: ScanPattern,
  options: ScanOptions,
  control: ScanControl,
): AsyncGenerator<ScanHit, ScanReport> {
  const parsedPattern = parseOptions(ScanPattern, pattern);
  const {
    limit = Number.POSITIVE_INFINITY,
    fromLine,
    snippetLength,
    ...filters
  } = parseOptions(ScanOptions, options);
  const changedFiles: string[] = [];
  const entries = selectsEntries(filters) ? await entryConditions(store, filters) : undefined;
  const scanning = scanEntries(store, parsedPattern, {
    ...control,
    fromLine,
    snippetLength,
    onChangedFile: (path) => changedFiles.push(path),
    session: entries?.session ?? toSessionCondition(filters),
    ...(entries && { entries }),
  });
  const places = new DistinctLocations(store);
  let count = 0;
  for await (const found of scanning) {
    const hit = await toHit(found, places);
    if (!hit) continue;
    yield hit;
    if (++count >= limit) break;
  }
  return { changedFiles };
}

type EntryFilters = Omit<z.output<typeof ScanOptions>, "limit" | "fromLine" | "snippetLength">;

/** Whether the filters select entries, not whole sessions. */
function selectsEntries({ query, role, since, until }: EntryFilters): boolean {
  return [query, role, since, until].some((each) => each !== undefined);
}

async function entryConditions(store: Store, { query, ...options }: EntryFilters): Promise<HitConditions> {
  const nothing = { clauses: [], excluded: [], conditions: [], terms: [] };
  const compiled = query === undefined ? nothing : compileQuery(query);
  const { whole } = await planSearch(store, compiled, options, new Set());
  return whole;
}

/** Builds the hit; undefined for a copy of an earlier one, or if a sync has removed the entry. */
async function toHit(
  { position, part, snippet, matchCount }: ScanMatch,
  places: DistinctLocations,
): Promise<ScanHit | undefined> {
  const all = await places.next(position);
  const place = all?.find((each) => each.position === position);
  return all && place && { ...toBaseHit(place, all), part: HIT_PARTS[part], matchCount, snippet };
}
