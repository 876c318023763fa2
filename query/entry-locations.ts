import type { TextPart } from "../src/session/text.ts";
import type { EntryLocation } from "../src/store/entry-reads.ts";
import type { EntryTable } from "../src/store/schema.ts";
import { isOnCurrentBranch } from "../src/store/sqlite/entry-conditions.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { HitLocation, ScanHit } from "./answers.ts";
import { comparePreference, groupCopies } from "./copies.ts";
import { toIsoTime } from "./tree.ts";

/** An entry's row with its location, and the columns that identify copies. */
export interface LocationRow extends EntryLocation, Pick<EntryTable, "file_id" | "role" | "text_hash"> {
  id: number;
  path: string;
  version: number;
  session_id: string;
  created: number | null;
  current: number;
}

/** Returns the rows of entries, by file and line. */
export function readLocations(db: Reader, ids: readonly number[]): Promise<LocationRow[]> {
  return placesWhere(db, sql`entry.id IN ${sql.list(ids)}`);
}

/**
 * Returns the locations of entries: each entry's own and those of its copies, the preferred one first. The result also contains
 * entries for the copies, which were compared anyway.
 */
export async function readLocationsWithCopies(
  db: Reader,
  scope: Scope,
  ids: readonly number[],
): Promise<Map<number, LocationRow[]>> {
  const rows = await placesWhere(
    db,
    sql`entry.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}) UNION ${possibleCopies(ids)}) AND ${inScope(scope)}`,
  );
  const groups = groupCopies(rows).map((group) => group.sort(comparePreference));
  return new Map(groups.flatMap((group) => group.map(({ id }): [number, LocationRow[]] => [id, group])));
}

/**
 * Selects the ids of other entries that may be copies of these; `groupCopies` decides which are. Looks up each entry id once,
 * because all sessions of version 1 have the same ids.
 */
export function possibleCopies(ids: readonly number[]): Sql<unknown> {
  const these = sql.list(ids);
  return sql`SELECT equal.id
    FROM (SELECT DISTINCT entry_id FROM entry WHERE id IN ${these}) AS known
      CROSS JOIN entry AS equal ON equal.entry_id = known.entry_id
    WHERE equal.id NOT IN ${these} AND equal.timestamp IN (SELECT timestamp FROM entry WHERE id IN ${these})`;
}

async function placesWhere(db: Reader, condition: Sql<SqlBool>): Promise<LocationRow[]> {
  const { rows } = await sql<LocationRow>`
    SELECT entry.id, entry.file_id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id, entry.parent_id,
      entry.type, entry.role, entry.timestamp, entry.text_hash, file.path, file.version, session.id AS session_id,
      session.created, ${isOnCurrentBranch} AS current
    FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE ${condition}
    ORDER BY file.path, entry.line`.execute(db);
  return rows;
}

/** Converts a row to a location in an answer. */
function toHitLocation({ path, session_id, line, byte_offset, current }: LocationRow): HitLocation {
  return { path, sessionId: session_id, line, byteOffset: byte_offset, onCurrentBranch: current === 1 };
}

/** Finds the locations of entries that come one at a time, and skips copies of earlier entries. */
export class DistinctLocations {
  readonly #db: Reader;
  readonly #scope: Scope;
  /** Locations of entries that have not come yet: a file may repeat an entry thousands of times. */
  readonly #ahead = new Map<number, LocationRow[]>();
  readonly #returned = new WeakSet<LocationRow[]>();

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  /** Returns the locations of an entry; undefined for a copy of an earlier one, or if a sync removed the entry. */
  async next(id: number): Promise<LocationRow[] | undefined> {
    if (!this.#ahead.has(id)) {
      for (const [each, places] of await readLocationsWithCopies(this.#db, this.#scope, [id])) {
        this.#ahead.set(each, places);
      }
    }
    const places = this.#ahead.get(id);
    this.#ahead.delete(id);
    if (!places || this.#returned.has(places)) return undefined;
    this.#returned.add(places);
    return places;
  }
}

/** The names in results of the parts of an entry's text. */
export const HIT_PARTS = {
  said: "message",
  thought: "thinking",
  called: "call",
  output: "output",
} as const satisfies Record<TextPart, ScanHit["part"]>;

/** Builds the fields that all hits have: the entry, its location, and its copies. */
export function toBaseHit(
  row: LocationRow,
  places: readonly LocationRow[],
): Omit<ScanHit, "part" | "snippet" | "matchCount"> {
  const { path, sessionId, line, byteOffset, onCurrentBranch } = toHitLocation(row);
  return {
    path,
    sessionId,
    entryId: row.entry_id,
    line,
    byteOffset,
    type: row.type,
    role: row.role ?? undefined,
    timestamp: toIsoTime(row.timestamp),
    onCurrentBranch,
    alsoIn: toOtherLocations(row.id, places),
  };
}

/** The locations of an entry except the one with this id. */
export function toOtherLocations(id: number, places: readonly LocationRow[]): HitLocation[] {
  return places.filter((place) => place.id !== id).map(toHitLocation);
}
