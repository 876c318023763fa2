import type { SqlEntryId } from "../schema.ts";

/** An entry's id as stored: as JSON, because 5 and "5" are different ids, and an id may contain NUL. */
export function encodeEntryId(id: SqlEntryId): string | null {
  return id === null ? null : JSON.stringify(typeof id === "string" ? id.toWellFormed() : id);
}

export function decodeEntryId(stored: string | null): SqlEntryId {
  return stored === null ? null : (JSON.parse(stored) as SqlEntryId);
}

/** Decodes the ids in rows, in place because there may be thousands. */
export function withEntryIds<Row extends { entry_id: SqlEntryId; parent_id?: SqlEntryId }>(
  rows: Row[],
): Row[] {
  for (const row of rows) {
    row.entry_id = decodeEntryId(row.entry_id as string | null);
    if (row.parent_id !== undefined) row.parent_id = decodeEntryId(row.parent_id as string | null);
  }
  return rows;
}
