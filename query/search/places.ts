import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.ts";
import type { HitPlace } from "../answers.ts";
import { isCurrent } from "../field-condition.ts";
import type { EntryPlace } from "../read-back.ts";
import { inScope, type Scope } from "../scope.ts";

/** The row of an entry, with all that finding it in its file takes. */
export interface PlaceRow extends EntryPlace {
  id: number;
  role: string | null;
  path: string;
  version: number;
  session_id: string;
  current: number;
}

const placeColumns = sql`
  entry.id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id, entry.parent_id, entry.type, entry.role,
  entry.timestamp, file.path, file.version, session.id AS session_id, ${isCurrent} AS current`;

/** The rows of entries, by file and line. */
export async function placesOf(db: Kysely<Schema>, ids: readonly number[]): Promise<PlaceRow[]> {
  const { rows } = await sql<PlaceRow>`
    SELECT ${placeColumns}
    FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE entry.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    ORDER BY file.path, entry.line`.execute(db);
  return rows;
}

/** The copies of entries in other files: what `copies.ts` takes for one, wherever it stands. */
export async function copiesOf(
  db: Kysely<Schema>,
  scope: Scope,
  ids: readonly number[],
): Promise<Map<number, CopyRow[]>> {
  const { rows } = await sql<CopyRow>`
    SELECT shown.id AS shown, ${placeColumns}
    FROM entry AS shown CROSS JOIN entry ON entry.entry_id = shown.entry_id AND entry.file_id <> shown.file_id
      JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE shown.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND entry.timestamp = shown.timestamp AND entry.type = shown.type AND entry.role IS shown.role
      AND entry.text_hash IS shown.text_hash AND ${inScope(scope)}
    ORDER BY session.created, file.path, entry.line`.execute(db);
  const copies = new Map<number, CopyRow[]>();
  for (const row of rows) copies.set(row.shown, [...(copies.get(row.shown) ?? []), row]);
  return copies;
}

/** A copy, and the entry that is shown for it. */
export type CopyRow = PlaceRow & { shown: number };

/** A place, as answers tell it. */
export function placeOf({ path, session_id, line, byte_offset, current }: PlaceRow): HitPlace {
  return { path, sessionId: session_id, line, byteOffset: byte_offset, onCurrentBranch: current === 1 };
}
