import type { z } from "zod";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Sql, SqlBool } from "../../src/store/sqlite/sql.ts";
import type { ScanHit } from "../answers.ts";
import { allOf, sessionCondition } from "../filter.ts";
import { match } from "../match.ts";
import { parseOptions, ScanOptions, ScanPattern } from "../options.ts";
import { PlacesOnce, placedHit } from "../places.ts";
import type { Scope } from "../scope.ts";
import { matches } from "../search/hits.ts";
import { wantedBy } from "../search/wanted.ts";
import { type Found, type ScanProgress, scanEntries } from "./scan.ts";

/** Who wants to know how far a scan is, and what can stop it. */
export interface ScanControl {
  signal?: AbortSignal;
  onProgress?: (progress: ScanProgress) => void;
}

/** What there is to say when a scan is over. */
export interface ScanReport {
  /** Files that are no longer what was indexed, or cannot be read: hits of theirs may be missing. */
  changedFiles: string[];
}

/**
 * Looks for a text or a regular expression in the session files themselves, among the entries that a query and
 * filters leave: what the full-text index cannot tell. Yields hits as they are found, those of the newest session
 * first; an entry that forks copied once, where it was found first.
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
  const asked = parseOptions(ScanPattern, pattern);
  const { limit = Number.POSITIVE_INFINITY, ...narrowed } = parseOptions(ScanOptions, options);
  const changedFiles: string[] = [];
  const scanning = scanEntries(db, scope, asked, {
    ...control,
    onChangedFile: (path) => changedFiles.push(path),
    sessionCondition: sessionCondition(scope, narrowed),
    ...(asksForEntries(narrowed) && { condition: await entryCondition(db, scope, narrowed) }),
  });
  const places = new PlacesOnce(db, scope);
  let count = 0;
  for await (const found of scanning) {
    const hit = await hitOf(found, places);
    if (!hit) continue;
    yield hit;
    if (++count >= limit) break;
  }
  return { changedFiles };
}

type Asked = Omit<z.output<typeof ScanOptions>, "limit">;

/** Whether only some entries of a session are asked for. */
function asksForEntries({ query, role, since, until }: Asked): boolean {
  return [query, role, since, until].some((each) => each !== undefined);
}

async function entryCondition(db: Reader, scope: Scope, { query, ...options }: Asked): Promise<Sql<SqlBool>> {
  const nothing = { parts: [], excluded: [], conditions: [], terms: [] };
  const { whole } = await wantedBy(
    db,
    scope,
    query === undefined ? nothing : match(query),
    options,
    new Map(),
  );
  return allOf([...whole.conditions, ...matches(whole)]);
}

/** The hit as it is told; undefined for a copy of one that was, and for what a sync has forgotten meanwhile. */
async function hitOf(
  { id, part, snippet, matchCount }: Found,
  places: PlacesOnce,
): Promise<ScanHit | undefined> {
  const all = await places.of(id);
  const place = all?.find((each) => each.id === id);
  return all && place && { ...placedHit(place, all), part, matchCount, snippet };
}
