import type { Reader } from "../src/store/sqlite/reader.ts";
import type { EntryTable } from "../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { HitPlace, ScanHit } from "./answers.ts";
import { byPlace, copyGroups } from "./copies.ts";
import { isCurrent } from "./field-condition.ts";
import type { EntryPlace } from "./read-back.ts";
import { inScope, type Scope } from "./scope.ts";
import { isoTime } from "./tree.ts";

/** An entry's row with its location, and the columns that identify copies. */
export interface PlaceRow extends EntryPlace, Pick<EntryTable, "file_id" | "role" | "text_hash"> {
  id: number;
  path: string;
  version: number;
  session_id: string;
  created: number | null;
  current: number;
}

/** Returns the rows of entries, by file and line. */
export function placesOf(db: Reader, ids: readonly number[]): Promise<PlaceRow[]> {
  return placesWhere(db, sql`entry.id IN ${listed(ids)}`);
}

/**
 * Returns the locations of entries: each entry's own and those of its copies, the preferred one first. The result also contains
 * entries for the copies, which were compared anyway.
 */
export async function placesWithCopies(
  db: Reader,
  scope: Scope,
  ids: readonly number[],
): Promise<Map<number, PlaceRow[]>> {
  const rows = await placesWhere(
    db,
    sql`entry.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}) UNION ${equalTo(ids)}) AND ${inScope(scope)}`,
  );
  const groups = copyGroups(rows).map((group) => group.sort(byPlace));
  return new Map(groups.flatMap((group) => group.map(({ id }): [number, PlaceRow[]] => [id, group])));
}

/**
 * Selects the ids of other entries that may be copies of these; `groupCopies` decides which are. Looks up each entry id once,
 * because all sessions of version 1 have the same ids.
 */
export function equalTo(ids: readonly number[]): Sql<unknown> {
  return sql`SELECT equal.id
    FROM (SELECT DISTINCT entry_id FROM entry WHERE id IN ${listed(ids)}) AS known
      CROSS JOIN entry AS equal ON equal.entry_id = known.entry_id
    WHERE equal.id NOT IN ${listed(ids)} AND equal.timestamp IN (SELECT timestamp FROM entry WHERE id IN ${listed(ids)})`;
}

async function placesWhere(db: Reader, condition: Sql<SqlBool>): Promise<PlaceRow[]> {
  const { rows } = await sql<PlaceRow>`
    SELECT entry.id, entry.file_id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id, entry.parent_id,
      entry.type, entry.role, entry.timestamp, entry.text_hash, file.path, file.version, session.id AS session_id,
      session.created, ${isCurrent} AS current
    FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE ${condition}
    ORDER BY file.path, entry.line`.execute(db);
  return rows;
}

/** Binds a list of any length as one parameter. */
function listed(ids: readonly number[]): Sql<unknown> {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** Converts a row to a location in an answer. */
export function placeOf({ path, session_id, line, byte_offset, current }: PlaceRow): HitPlace {
  return { path, sessionId: session_id, line, byteOffset: byte_offset, onCurrentBranch: current === 1 };
}

/** Finds the locations of entries that come one at a time, and skips copies of earlier entries. */
export class PlacesOnce {
  readonly #db: Reader;
  readonly #scope: Scope;
  /** Locations of entries that have not come yet: a file may repeat an entry thousands of times. */
  readonly #ahead = new Map<number, PlaceRow[]>();
  readonly #returned = new WeakSet<PlaceRow[]>();

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  /** Returns the locations of an entry; undefined for a copy of an earlier one, or if a sync removed the entry. */
  async of(id: number): Promise<PlaceRow[] | undefined> {
    if (!this.#ahead.has(id)) {
      for (const [each, places] of await placesWithCopies(this.#db, this.#scope, [id])) {
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

/** Builds the fields that all hits have: the entry, its location, and its copies. */
export function placedHit(
  row: PlaceRow,
  places: readonly PlaceRow[],
): Omit<ScanHit, "part" | "snippet" | "matchCount"> {
  const { path, sessionId, line, byteOffset, onCurrentBranch } = placeOf(row);
  return {
    path,
    sessionId,
    entryId: row.entry_id,
    line,
    byteOffset,
    type: row.type,
    role: row.role ?? undefined,
    timestamp: isoTime(row.timestamp),
    onCurrentBranch,
    alsoIn: otherPlaces(row.id, places),
  };
}

/** The locations of an entry except the one with this id. */
export function otherPlaces(id: number, places: readonly PlaceRow[]): HitPlace[] {
  return places.filter((place) => place.id !== id).map(placeOf);
}
