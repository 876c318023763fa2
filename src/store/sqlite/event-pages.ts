import { PidexError, SYNC_AND_RETRY } from "../../errors.ts";
import { ATTRIBUTION } from "../schema.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import type { EventQuery, UsageEventRow, UsageSeries } from "../usage-reads.ts";
import { bucketDay, toBucket } from "../usage-rollup.ts";
import { ON_CURRENT_BRANCH } from "./event-sums.ts";
import type { Reader } from "./reader.ts";
import { REPORTED_COLUMNS } from "./reported-figures.ts";
import { inScope, type Scope } from "./scope.ts";
import type { Correction, ScopedLedger } from "./scoped-ledger.ts";
import { allOf } from "./session-conditions.ts";

/** Events read per query. */
const PAGE_SIZE = 500;

/** The events of a ledger that a query selects, by time. */
export async function* readEventPages(
  db: Reader,
  ledger: ScopedLedger,
  query: EventQuery,
): AsyncGenerator<UsageEventRow[]> {
  const corrections = new Map(
    ledger.corrections.map((correction) => [`${correction.entry}:${correction.ordinal}`, correction]),
  );
  // First the ids in order, then the rest page by page: an open query would block others on the handle.
  const { rows: ids } = await sql<
    Omit<UsageSeries, "isCall"> & { entry: number; ordinal: number; file_id: number }
  >`
    SELECT entry, ordinal, file_id, kind, model_id, agent, tool, '' AS stop, current, context FROM (
      SELECT event.entry, event.ordinal, event.file_id, event.time, event.attribution, event.kind, event.model_id, event.context,
        coalesce(event.agent, '') AS agent, coalesce(event.tool, '') AS tool, ${sql.raw(ON_CURRENT_BRANCH)} AS current
      FROM event CROSS JOIN entry ON entry.id = event.entry)
    WHERE ${allOf(conditionsOf(ledger, query))} ORDER BY time IS NULL, time, entry, ordinal`.execute(db);
  const selected = ids.filter((row) => query.matches({ ...row, isCall: false }, row.file_id));
  for (let start = 0; start < selected.length; start += PAGE_SIZE) {
    const page = selected.slice(start, start + PAGE_SIZE);
    const rows = await readEvents(db, query.isBrief ? undefined : ledger.scope, page);
    if (rows.length < page.length) {
      const message = "the index changed while events were read: some are missing";
      throw new PidexError("FILE_CHANGED", message, SYNC_AND_RETRY);
    }
    yield rows.map((row) => toEventRow(applyCorrection(row, corrections.get(`${row.entry}:${row.ordinal}`))));
  }
}

/** Conditions on the columns of the ids' query. */
function conditionsOf(
  { scope, isComplete, reattributed }: ScopedLedger,
  { files, since, until, withTurns }: EventQuery,
): Sql<SqlBool>[] {
  const locations = JSON.stringify(reattributed.map(({ entry, ordinal }) => [entry, ordinal]));
  const counts = isComplete
    ? sql<SqlBool>`+attribution = ${ATTRIBUTION.owner}` // + because the index on keys would return events in key order
    : sql<SqlBool>`(attribution = ${ATTRIBUTION.owner} OR (entry, ordinal) IN (SELECT value ->> 0, value ->> 1
        FROM json_each(${locations}))) AND file_id IN (SELECT id FROM file WHERE ${inScope(scope)})`;
  const conditions: Sql<SqlBool>[] = [counts];
  if (files) conditions.push(sql`file_id IN (SELECT value FROM json_each(${JSON.stringify([...files])}))`);
  if (!withTurns) conditions.push(sql`kind <> 'user'`);
  if (since !== undefined) conditions.push(sql`time >= ${since}`);
  if (until !== undefined) conditions.push(sql`time < ${until}`);
  if (since !== undefined || until !== undefined) conditions.push(isInFilesOf(since, until));
  return conditions;
}

/** A condition that limits the events to files with usage on the days of the time range. */
function isInFilesOf(since: number | undefined, until: number | undefined): Sql<SqlBool> {
  const days = [
    ...(since === undefined ? [] : [sql<SqlBool>`day >= ${bucketDay(toBucket(since))}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`day <= ${bucketDay(toBucket(until))}`]),
  ];
  return sql`file_id IN (SELECT file_id FROM usage_rollup WHERE ${allOf(days)})`;
}

/** As SQLite returns it. */
interface EventRow extends Omit<UsageEventRow, "copies"> {
  entry: number;
  /** Paths and lines, as JSON. */
  copies: string;
}

/** A figure of a response's tool calls: those it made itself, and those made by scripts that it called. */
function calls(figure: string): Sql<unknown> {
  const of = (column: string) => `(SELECT ${figure} FROM tool_call
        WHERE event.kind = 'assistant' AND tool_call.${column} = event.entry)`;
  return sql.raw(`${of("entry")} + ${of("caller")}`);
}

/** @param scope of the copies; undefined to read neither copies nor calls */
async function readEvents(
  db: Reader,
  scope: Scope | undefined,
  events: readonly { entry: number; ordinal: number }[],
): Promise<EventRow[]> {
  const ids = JSON.stringify(events.map(({ entry, ordinal }) => [entry, ordinal]));
  const related = scope
    ? sql`${calls("count(*)")} AS calls, ${calls("coalesce(sum(is_error), 0)")} AS failed,
      (SELECT json_group_array(json_array(file.path, copied.line) ORDER BY file.path, copied.line)
        FROM event AS copy CROSS JOIN entry AS copied ON copied.id = copy.entry CROSS JOIN file ON file.id = copy.file_id
        WHERE copy.key = event.key AND copy.instance = event.instance AND (copy.entry, copy.ordinal) <> (event.entry, event.ordinal)
          AND ${inScope(scope)}) AS copies`
    : sql`0 AS calls, 0 AS failed, '[]' AS copies`;
  const { rows } = await sql<EventRow>`
    SELECT event.*, NULL AS key, model.provider, model.model, entry.line, entry.byte_offset, entry.entry_id,
      session.id AS session_id, event_file.path, ${sql.raw(ON_CURRENT_BRANCH)} AS current, ${related}
    FROM json_each(${ids}) AS ids
      CROSS JOIN event ON event.entry = ids.value ->> 0 AND event.ordinal = ids.value ->> 1
      CROSS JOIN entry ON entry.id = event.entry CROSS JOIN file AS event_file ON event_file.id = event.file_id
      CROSS JOIN session ON session.file_id = event.file_id CROSS JOIN model ON model.id = event.model_id
    ORDER BY ids.key`.execute(db);
  return rows;
}

function applyCorrection(row: EventRow, correction: Correction | undefined): EventRow {
  if (!correction) return row;
  const changed = { ...row };
  for (const name of REPORTED_COLUMNS) changed[name] = (row[name] ?? 0) + correction.difference[name];
  changed.provider_cost ||= null;
  return changed;
}

function toEventRow(row: EventRow): UsageEventRow {
  const copies = JSON.parse(row.copies) as [string, number][];
  return { ...row, copies: copies.map(([path, line]) => ({ path, line })) };
}
