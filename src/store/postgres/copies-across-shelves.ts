import { getOrInsert } from "../../get-or-insert.ts";
import { parseBillingRecord } from "../billing-record.ts";
import { ATTRIBUTION } from "../schema.ts";
import { type Sql, sql } from "../sql.ts";
import type { Runner } from "./runner.ts";

/** An event that counts on its shelf, and is a copy of one on another shelf. */
export interface CopiedEvent {
  file: number;
  line: number;
  ordinal: number;
}

/**
 * The events that a reader of several shelves would count twice: each shelf has a ledger of its own, because readers of one must not
 * learn what is on another. Of the occurrences that count on their shelves, all but the first.
 */
export async function findCopiesAcrossShelves(
  db: Runner,
  shelves: readonly number[],
  ownerOrder: (session: Sql<unknown>, file: Sql<unknown>) => Sql<unknown>,
): Promise<CopiedEvent[]> {
  if (shelves.length < 2) return [];
  const { rows } = await sql<{
    file: number;
    line: number;
    record: string;
    ordinal: number | null;
    attribution: number | null;
  }>`
    WITH shared AS (
      SELECT key FROM event_key WHERE shelf = ANY (${shelves}) AND shared = 1 GROUP BY key HAVING count(DISTINCT shelf) > 1)
    SELECT DISTINCT ON (${ownerOrder(sql`session`, sql`file`)}, billing.line, event_state.ordinal)
      billing.file_id AS file, billing.line, billing.record, event_state.ordinal, event_state.attribution
    FROM shared JOIN event_key ON event_key.key = shared.key AND event_key.shelf = ANY (${shelves})
      JOIN billing ON billing.shelf = event_key.shelf AND billing.file_id = event_key.file_id
        AND shared.key = ANY (string_to_array(billing.keys, ',')::bigint[])
      JOIN file ON file.shelf = billing.shelf AND file.id = billing.file_id
      JOIN session ON session.shelf = billing.shelf AND session.file_id = billing.file_id
      LEFT JOIN event_state ON event_state.shelf = billing.shelf AND event_state.file_id = billing.file_id
        AND event_state.line = billing.line
    ORDER BY ${ownerOrder(sql`session`, sql`file`)}, billing.line, event_state.ordinal`.execute(db);
  const uncounted = new Set(
    rows.flatMap(({ file, line, ordinal, attribution }) =>
      ordinal !== null && attribution !== ATTRIBUTION.owner ? [`${file} ${line} ${ordinal}`] : [],
    ),
  );
  const entries = new Map(rows.map((row) => [`${row.file} ${row.line}`, row]));
  const seen = new Map<string, CopiedEvent[]>();
  for (const { file, line, record } of entries.values()) {
    parseBillingRecord(record).events.forEach(({ key, kind }, ordinal) => {
      if (key === null || kind === "subagent" || uncounted.has(`${file} ${line} ${ordinal}`)) return;
      getOrInsert(seen, String(key), () => []).push({ file, line, ordinal });
    });
  }
  return [...seen.values()].flatMap(([, ...copies]) => copies);
}
