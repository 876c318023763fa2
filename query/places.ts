import type { Reader } from "../src/store/sqlite/reader.ts";
import type { EntryTable } from "../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { HitPlace, ScanHit } from "./answers.ts";
import { byPlace, copyGroups } from "./copies.ts";
import { isCurrent } from "./field-condition.ts";
import type { EntryPlace } from "./read-back.ts";
import { inScope, type Scope } from "./scope.ts";
import { isoTime } from "./tree.ts";

/** The row of an entry, with all that finding it in its file and telling its copies takes. */
export interface PlaceRow extends EntryPlace, Pick<EntryTable, "file_id" | "role" | "text_hash"> {
  id: number;
  path: string;
  version: number;
  session_id: string;
  created: number | null;
  current: number;
}

/** The rows of entries, by file and line. */
export function placesOf(db: Reader, ids: readonly number[]): Promise<PlaceRow[]> {
  return placesWhere(db, sql`entry.id IN ${listed(ids)}`);
}

/**
 * The places of entries: of each its own and those of its copies, by the order of places. Entries that are equal to
 * one that was asked for are in the answer too, since they had to be looked at.
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
 * Selects the ids of other entries that may be copies of these: `copyGroups` tells which are. Looks up each id once,
 * since all sessions of version 1 have the same ones.
 */
export function equalTo(ids: readonly number[]): Sql<unknown> {
  return sql`SELECT equal.id
    FROM (SELECT DISTINCT entry_id FROM entry WHERE id IN ${listed(ids)}) AS asked
      CROSS JOIN entry AS equal ON equal.entry_id = asked.entry_id
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

/** Ids as a list that is one parameter, however long it is. */
function listed(ids: readonly number[]): Sql<unknown> {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** A place, as answers tell it. */
export function placeOf({ path, session_id, line, byte_offset, current }: PlaceRow): HitPlace {
  return { path, sessionId: session_id, line, byteOffset: byte_offset, onCurrentBranch: current === 1 };
}

/** The places of entries that are found one after the other: with the first of copies they are told, with no other. */
export class PlacesOnce {
  readonly #db: Reader;
  readonly #scope: Scope;
  /** What was looked up of entries that are still to be found: a file may repeat an entry thousands of times. */
  readonly #ahead = new Map<number, PlaceRow[]>();
  readonly #told = new WeakSet<PlaceRow[]>();

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  /** The places of an entry, unless it is a copy of one that was told, or a sync has forgotten it. */
  async of(id: number): Promise<PlaceRow[] | undefined> {
    if (!this.#ahead.has(id)) {
      for (const [each, places] of await placesWithCopies(this.#db, this.#scope, [id])) {
        this.#ahead.set(each, places);
      }
    }
    const places = this.#ahead.get(id);
    this.#ahead.delete(id);
    if (!places || this.#told.has(places)) return undefined;
    this.#told.add(places);
    return places;
  }
}

/** What any hit tells: its entry, where that was found, and where else of its `places` it stands. */
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

/** The places of an entry without the one it is told at. */
export function otherPlaces(id: number, places: readonly PlaceRow[]): HitPlace[] {
  return places.filter((place) => place.id !== id).map(placeOf);
}
