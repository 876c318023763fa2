import type { SqlEntryId } from "../schema.ts";

/** An entry's id as stored: as JSON, because 5 and "5" are different ids, and an id may contain NUL. */
export function encodeEntryId(id: SqlEntryId): string | null {
  return id === null ? null : JSON.stringify(typeof id === "string" ? id.toWellFormed() : id);
}

export function decodeEntryId(stored: string | null): SqlEntryId {
  return stored === null ? null : (JSON.parse(stored) as SqlEntryId);
}
