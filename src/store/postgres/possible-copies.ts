import type { EntryTable } from "../schema.ts";
import { type Sql, sql } from "../sql.ts";
import { encodeEntryId } from "./entry-id.ts";

/**
 * The condition that an entry may be a copy of one of these, or is one of them: with the same id and time. Entries without an id
 * or a time have no copies that can be recognized.
 */
export function possibleCopies(
  shelves: readonly number[],
  rows: readonly Pick<EntryTable, "entry_id" | "timestamp">[],
): Sql<boolean> {
  const known = rows.filter(({ entry_id, timestamp }) => entry_id !== null && timestamp !== null);
  const pairs = new Map(known.map((row) => [`${encodeEntryId(row.entry_id)} ${row.timestamp}`, row]));
  const ids = [...pairs.values()].map(({ entry_id: id }) => encodeEntryId(id));
  const times = [...pairs.values()].map(({ timestamp }) => timestamp);
  return sql`entry.shelf = ANY (${shelves})
    AND (entry.entry_id, entry.timestamp) IN (SELECT * FROM unnest(${ids}::text[], ${times}::bigint[]))`;
}
