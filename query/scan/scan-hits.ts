import type { z } from "zod";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Scope } from "../../src/store/sqlite/scope.ts";
import type { Sql, SqlBool } from "../../src/store/sqlite/sql.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { ScanHit } from "../answers.ts";
import { compileQuery } from "../compile-query.ts";
import { DistinctLocations, HIT_PARTS, toBaseHit } from "../entry-locations.ts";
import { parseOptions, ScanOptions, ScanPattern } from "../options.ts";
import { textConditions } from "../search/hits.ts";
import { planSearch } from "../search/search-plan.ts";
import { allOf, sessionCondition } from "../sql-conditions.ts";
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
  db: Reader,
  scope: Scope,
  pattern: ScanPattern,
  options: ScanOptions,
  control: ScanControl,
): AsyncGenerator<ScanHit, ScanReport> {
  const parsedPattern = parseOptions(ScanPattern, pattern);
  const { limit = Number.POSITIVE_INFINITY, ...filters } = parseOptions(ScanOptions, options);
  const changedFiles: string[] = [];
  const scanning = scanEntries(db, scope, parsedPattern, {
    ...control,
    onChangedFile: (path) => changedFiles.push(path),
    sessionCondition: sessionCondition(scope, filters),
    ...(selectsEntries(filters) && { condition: await entryCondition(db, scope, filters) }),
  });
  const places = new DistinctLocations(new SqliteStore(db, scope));
  let count = 0;
  for await (const found of scanning) {
    const hit = await toHit(found, places);
    if (!hit) continue;
    yield hit;
    if (++count >= limit) break;
  }
  return { changedFiles };
}

type EntryFilters = Omit<z.output<typeof ScanOptions>, "limit">;

/** Whether the filters select entries, not whole sessions. */
function selectsEntries({ query, role, since, until }: EntryFilters): boolean {
  return [query, role, since, until].some((each) => each !== undefined);
}

async function entryCondition(
  db: Reader,
  scope: Scope,
  { query, ...options }: EntryFilters,
): Promise<Sql<SqlBool>> {
  const nothing = { clauses: [], excluded: [], conditions: [], terms: [] };
  const { whole } = await planSearch(
    db,
    scope,
    query === undefined ? nothing : compileQuery(query),
    options,
    new Map(),
  );
  return allOf([...whole.conditions, ...textConditions(whole)]);
}

/** Builds the hit; undefined for a copy of an earlier one, or if a sync has removed the entry. */
async function toHit(
  { id, part, snippet, matchCount }: ScanMatch,
  places: DistinctLocations,
): Promise<ScanHit | undefined> {
  const all = await places.next(id);
  const place = all?.find((each) => each.position === id);
  return all && place && { ...toBaseHit(place, all), part: HIT_PARTS[part], matchCount, snippet };
}
