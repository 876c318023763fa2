import { PidexError } from "../../src/errors.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { REPORTED } from "../../src/store/sqlite/reported-figures.ts";
import { type EventTable, STANDING } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { dayOf, ON_CURRENT_BRANCH, quarterOf } from "../../src/store/sqlite/usage-rollup.ts";
import { allOf } from "../filter.ts";
import { parseOptions } from "../options.ts";
import { inScope, type Scope } from "../scope.ts";
import { isoTime } from "../tree.ts";
import type { Member } from "./families.ts";
import { dollars } from "./figures.ts";
import { type Correction, ledgerPart } from "./ledger-part.ts";
import { narrow } from "./narrow.ts";
import type { Series } from "./sum-up.ts";
import type { UsageEvent } from "./usage-answers.ts";
import { UsageEventsOptions } from "./usage-options.ts";

/** So many events are looked up at once. */
const PAGE = 500;

/**
 * The acts that add up to what `usage` answers for the same options, by time, each with the place where it counts.
 * Messages of people are told only when they are asked for, as `kind: "user"`: they cost nothing.
 *
 * @throws as `usage`; `FILE_CHANGED` when files were read again meanwhile
 */
export async function* usageEvents(
  db: Reader,
  scope: Scope,
  options: UsageEventsOptions = {},
): AsyncGenerator<UsageEvent> {
  const parsed = parseOptions(UsageEventsOptions, options);
  const { since, until, kind } = parsed;
  const ledger = await ledgerPart(db, scope);
  const { files, matches, members } = await narrow(db, scope, parsed, "always");
  const corrections = new Map(ledger.corrections.map((each) => [`${each.entry}:${each.ordinal}`, each]));
  const adopted = JSON.stringify(ledger.adopted.map(({ entry, ordinal }) => [entry, ordinal]));
  const counts = ledger.isAll
    ? sql<SqlBool>`+standing = ${STANDING.own}` // the index on keys would give events in the order of keys
    : sql<SqlBool>`(standing = ${STANDING.own} OR (entry, ordinal) IN (SELECT value ->> 0, value ->> 1
        FROM json_each(${adopted}))) AND file_id IN (SELECT id FROM file WHERE ${inScope(scope)})`;
  const conditions: Sql<SqlBool>[] = [counts];
  if (files) conditions.push(sql`file_id IN (SELECT value FROM json_each(${JSON.stringify([...files])}))`);
  if (kind !== "user") conditions.push(sql`kind <> 'user'`);
  if (since !== undefined) conditions.push(sql`time >= ${since}`);
  if (until !== undefined) conditions.push(sql`time < ${until}`);
  if (since !== undefined || until !== undefined) conditions.push(isInFilesOf(since, until));
  // Names and order first, the rest page by page: a query that is open bars others.
  const { rows: found } = await sql<
    Omit<Series, "isCall"> & { entry: number; ordinal: number; file_id: number }
  >`
    SELECT entry, ordinal, file_id, kind, model_id, agent, tool, '' AS stop, current FROM (
      SELECT event.entry, event.ordinal, event.file_id, event.time, event.standing, event.kind, event.model_id,
        coalesce(event.agent, '') AS agent, coalesce(event.tool, '') AS tool, ${sql.raw(ON_CURRENT_BRANCH)} AS current
      FROM event CROSS JOIN entry ON entry.id = event.entry)
    WHERE ${allOf(conditions)} ORDER BY time IS NULL, time, entry, ordinal`.execute(db);
  const places = found.filter((row) => matches({ ...row, isCall: false }, row.file_id));
  for (let at = 0; at < places.length; at += PAGE) {
    const page = places.slice(at, at + PAGE);
    const rows = await rowsAt(db, scope, page);
    if (rows.length < page.length) {
      const hint = "Ask again: the files have changed while they were told.";
      throw new PidexError("FILE_CHANGED", "the index has changed meanwhile: events are missing", hint);
    }
    yield* rows.map((row) => usageEvent(corrected(row, corrections), members.get(row.file_id)));
  }
}

/** Files that have anything on the days of a span, so that only their events are read. */
function isInFilesOf(since: number | undefined, until: number | undefined): Sql<SqlBool> {
  const days = [
    ...(since === undefined ? [] : [sql<SqlBool>`day >= ${dayOf(quarterOf(since))}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`day <= ${dayOf(quarterOf(until))}`]),
  ];
  return sql`file_id IN (SELECT file_id FROM usage_rollup WHERE ${allOf(days)})`;
}

interface EventRow extends Omit<EventTable, "key"> {
  path: string;
  line: number;
  byte_offset: number;
  entry_id: string | number | null;
  session_id: string;
  provider: string;
  model: string;
  current: number;
  calls: number;
  failed: number;
  copies: string;
}

/** A figure of the calls of an answer: those it made, and those that scripts made which it called. */
function calls(figure: string): Sql<unknown> {
  const of = (column: string) => `(SELECT ${figure} FROM tool_call
        WHERE event.kind = 'assistant' AND tool_call.${column} = event.entry)`;
  return sql.raw(`${of("entry")} + ${of("caller")}`);
}

async function rowsAt(
  db: Reader,
  scope: Scope,
  places: readonly { entry: number; ordinal: number }[],
): Promise<EventRow[]> {
  const wanted = JSON.stringify(places.map(({ entry, ordinal }) => [entry, ordinal]));
  const { rows } = await sql<EventRow>`
    SELECT event.*, NULL AS key, model.provider, model.model, entry.line, entry.byte_offset, entry.entry_id,
      session.id AS session_id, event_file.path, ${sql.raw(ON_CURRENT_BRANCH)} AS current,
      ${calls("count(*)")} AS calls, ${calls("coalesce(sum(is_error), 0)")} AS failed,
      (SELECT json_group_array(json_array(file.path, place.line) ORDER BY file.path, place.line)
        FROM event AS copy CROSS JOIN entry AS place ON place.id = copy.entry CROSS JOIN file ON file.id = copy.file_id
        WHERE copy.key = event.key AND copy.instance = event.instance AND (copy.entry, copy.ordinal) <> (event.entry, event.ordinal)
          AND ${inScope(scope)}) AS copies
    FROM json_each(${wanted}) AS wanted
      CROSS JOIN event ON event.entry = wanted.value ->> 0 AND event.ordinal = wanted.value ->> 1
      CROSS JOIN entry ON entry.id = event.entry CROSS JOIN file AS event_file ON event_file.id = event.file_id
      CROSS JOIN session ON session.file_id = event.file_id CROSS JOIN model ON model.id = event.model_id
    ORDER BY wanted.key`.execute(db);
  return rows;
}

function corrected(row: EventRow, corrections: ReadonlyMap<string, Correction>): EventRow {
  const correction = corrections.get(`${row.entry}:${row.ordinal}`);
  if (!correction) return row;
  const changed = { ...row };
  for (const name of REPORTED) changed[name] = (row[name] ?? 0) + correction.difference[name];
  changed.provider_cost ||= null;
  return changed;
}

function usageEvent(row: EventRow, member: Member | undefined): UsageEvent {
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = row;
  return {
    path: row.path,
    line: row.line,
    byteOffset: row.byte_offset,
    sessionId: row.session_id,
    entryId: row.entry_id,
    time: isoTime(row.time),
    kind: member?.subagent && row.kind !== "user" ? "subagent" : row.kind,
    billed: row.billed === 1,
    provider: row.provider || undefined,
    model: row.model || undefined,
    agent: row.agent ?? member?.agent ?? undefined,
    tool: row.tool ?? member?.tool ?? undefined,
    stop: row.stop ?? undefined,
    onCurrentBranch: row.current === 1,
    tokens: {
      input,
      output,
      cacheRead,
      cacheWrite,
      cacheWrite1h: row.cache_write_1h,
      reasoning: row.reasoning,
      total: input + output + cacheRead + cacheWrite,
    },
    costUsd: dollars(row.cost),
    costNanoUsd: row.cost,
    providerCostUsd: row.provider_cost === null ? undefined : dollars(row.provider_cost),
    toolCalls: row.calls,
    failedToolCalls: row.failed,
    alsoIn: (JSON.parse(row.copies) as [string, number][]).map(([path, line]) => ({ path, line })),
  };
}
