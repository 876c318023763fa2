import type { Kysely, RawBuilder, SqlBool } from "kysely";
import type { z } from "zod";
import type { Schema } from "../../src/database/schema.ts";
import type { ScanHit } from "../answers.ts";
import { allOf, sessionCondition } from "../filter.ts";
import { match } from "../match.ts";
import { parseOptions, ScanOptions } from "../options.ts";
import type { Scope } from "../scope.ts";
import { matches } from "../search/hits.ts";
import { copiesOf, placeOf, placesOf } from "../search/places.ts";
import { wantedBy } from "../search/wanted.ts";
import { isoTime } from "../tree.ts";
import type { ScanPattern } from "./pattern.ts";
import { type Found, type ScanProgress, type ScanReport, scanEntries } from "./scan.ts";

/** Who wants to know how far a scan is, and what can stop it. */
export interface ScanControl {
  signal?: AbortSignal;
  onProgress?: (progress: ScanProgress) => void;
}

/**
 * Looks for a text or a regular expression in the session files themselves, among the entries that a query and
 * filters leave: what the full-text index cannot tell. Yields hits as they are found, those of the newest session
 * first; an entry that forks copied once, where it was found first.
 *
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`; the signal's reason when aborted
 */
export async function* scanHits(
  db: Kysely<Schema>,
  scope: Scope,
  pattern: ScanPattern,
  options: ScanOptions,
  control: ScanControl,
): AsyncGenerator<ScanHit, ScanReport> {
  const parsed = parseOptions(ScanOptions, options);
  const { limit = Number.POSITIVE_INFINITY } = parsed;
  const found = scanEntries(db, scope, pattern, {
    ...control,
    sessionCondition: sessionCondition(scope, parsed),
    ...(asksForEntries(parsed) && { condition: await entryCondition(db, scope, parsed) }),
  });
  /** Copies of what was told. */
  const told = new Set<number>();
  for (let count = 0; ; ) {
    const next = await found.next();
    if (next.done) return next.value;
    const hit = await hitOf(db, scope, next.value, told);
    if (!hit) continue;
    yield hit;
    if (++count >= limit) return found.return({ changedFiles: [] }).then(({ value }) => value as ScanReport);
  }
}

type Asked = z.output<typeof ScanOptions>;

/** Whether only some entries of a session are asked for. */
function asksForEntries({ query, role, since, until }: Asked): boolean {
  return [query, role, since, until].some((each) => each !== undefined);
}

async function entryCondition(
  db: Kysely<Schema>,
  scope: Scope,
  { query, ...options }: Asked,
): Promise<RawBuilder<SqlBool>> {
  const nothing = { parts: [], excluded: [], conditions: [], terms: [] };
  const { whole } = await wantedBy(db, scope, query === undefined ? nothing : match(query), options);
  return allOf([...whole.conditions, ...matches(whole)]);
}

/** The hit as it is told; undefined for a copy of one that was. */
async function hitOf(
  db: Kysely<Schema>,
  scope: Scope,
  { row, part, snippet, matchCount }: Found,
  told: Set<number>,
): Promise<ScanHit | undefined> {
  if (told.has(row.id)) return undefined;
  const copies = (await copiesOf(db, scope, [row.id])).get(row.id) ?? [];
  for (const { id } of copies) told.add(id);
  const [place] = await placesOf(db, [row.id]);
  if (!place) return undefined; // forgotten by a sync meanwhile
  const { path, sessionId, line, byteOffset, onCurrentBranch } = placeOf(place);
  return {
    path,
    sessionId,
    entryId: place.entry_id,
    line,
    byteOffset,
    type: place.type,
    role: place.role ?? undefined,
    timestamp: isoTime(place.timestamp),
    onCurrentBranch,
    alsoIn: copies.map(placeOf),
    part,
    matchCount,
    snippet,
  };
}
