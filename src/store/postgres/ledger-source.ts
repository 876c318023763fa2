import type { SessionTable, SqlEntryId } from "../schema.ts";
import { type Sql, sql } from "../sql.ts";
import { withEntryIds } from "./entry-id.ts";
import type { EventState, FileDay } from "./ledger-rows.ts";
import type { Runner } from "./runner.ts";

/** A session file as the ledger reads it. */
export interface LedgerFile {
  id: number;
  path: string;
  /** In the notation of `toLedgerPath`. */
  ledgerPath: string;
  version: number;
  machine: string;
  session: Pick<SessionTable, "id" | "parent_session" | "created"> | null;
}

/** An entry that the ledger reads: one with a record, a call, a result, or the first one. */
export interface LedgerEntry {
  file_id: number;
  line: number;
  byte_offset: number;
  byte_length: number;
  entry_id: SqlEntryId;
  type: string;
  timestamp: number | null;
  text_hash: number | null;
  tool: string | null;
  /** See `BillingRecord`. */
  record: string | null;
}

export interface LedgerCall {
  file_id: number;
  line: number;
  ordinal: number;
  name: string;
  is_error: number | null;
  result: number | null;
  caller: number | null;
  duration: number | null;
}

export interface LedgerRange {
  file_id: number;
  first_line: number;
  last_line: number;
}

/** What the ledger of some days is computed from. */
export interface LedgerSource {
  files: LedgerFile[];
  /** By file and line. */
  entries: LedgerEntry[];
  calls: LedgerCall[];
  ranges: LedgerRange[];
}

/** Reads what some days of some files on the shelves record. */
export async function readLedgerSource(
  db: Runner,
  shelves: readonly number[],
  files: readonly number[],
  days: readonly FileDay[],
): Promise<LedgerSource> {
  const billing = selectBilling(shelves, days);
  const calls = await readCalls(db, billing);
  const lines = calls.flatMap(({ file_id: file, line, result }) =>
    [line, result].flatMap((at) => (at === null ? [] : { file, line: at })),
  );
  return {
    files: await readFiles(db, shelves, files),
    entries: await readEntries(db, shelves, { files, billing, lines }),
    calls,
    ranges: await readRanges(db, shelves, files),
  };
}

/**
 * The rows of `billing` on some days, to select from. They are looked up one by one, and so are the rows that depend on them: OFFSET 0
 * keeps PostgreSQL from comparing whole sessions with each other, which it does when its statistics are older than most of the rows.
 */
function selectBilling(shelves: readonly number[], days: readonly FileDay[]): Sql<unknown> {
  const files = days.map(({ file }) => file);
  const numbers = days.map(({ day }) => day);
  return sql`(SELECT DISTINCT * FROM unnest(${files}::integer[], ${numbers}::integer[])) AS selected (file, day)
    CROSS JOIN LATERAL (SELECT * FROM billing WHERE billing.shelf = ANY (${shelves}) AND billing.day = selected.day
      AND billing.file_id = selected.file OFFSET 0) AS billing`;
}

/** The calls of selected entries, and those that these calls made. */
async function readCalls(db: Runner, billing: Sql<unknown>): Promise<LedgerCall[]> {
  const { rows } = await sql<LedgerCall>`
    SELECT tool_call.file_id, tool_call.line, tool_call.ordinal, tool_call.name, tool_call.is_error, tool_call.result,
      tool_call.caller, tool_call.duration
    FROM ${billing} CROSS JOIN LATERAL (
      SELECT * FROM tool_call WHERE tool_call.shelf = billing.shelf AND tool_call.file_id = billing.file_id
        AND tool_call.line = billing.line AND tool_call.caller IS NULL
      UNION ALL
      SELECT * FROM tool_call WHERE tool_call.shelf = billing.shelf AND tool_call.file_id = billing.file_id
        AND tool_call.caller = billing.line
      OFFSET 0) AS tool_call`.execute(db);
  return rows;
}

async function readFiles(
  db: Runner,
  shelves: readonly number[],
  files: readonly number[],
): Promise<LedgerFile[]> {
  type Row = Omit<LedgerFile, "session"> & {
    sessionId: string | null;
    parent: string | null;
    created: number | null;
  };
  const { rows } = await sql<Row>`
    SELECT file.id, file.path, file.ledger_path AS "ledgerPath", file.version, split_part(file.path, ':', 1) AS machine,
      session.id AS "sessionId", session.parent_session AS parent, session.created
    FROM file LEFT JOIN session ON session.shelf = file.shelf AND session.file_id = file.id
    WHERE file.shelf = ANY (${shelves}) AND file.id = ANY (${files}) ORDER BY file.id`.execute(db);
  return rows.map(({ sessionId: id, parent, created, ...file }) => ({
    ...file,
    session: id === null ? null : { id, parent_session: parent, created },
  }));
}

const entryColumns = sql`entry.file_id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id, entry.type, entry.timestamp,
  entry.text_hash, entry.tool`;

async function readEntries(
  db: Runner,
  shelves: readonly number[],
  selection: {
    files: readonly number[];
    billing: Sql<unknown>;
    lines: readonly { file: number; line: number }[];
  },
): Promise<LedgerEntry[]> {
  const { files, billing, lines } = selection;
  const { rows } = await sql<LedgerEntry>`
    SELECT ${entryColumns}, billing.record FROM ${billing}
      CROSS JOIN LATERAL (SELECT * FROM entry WHERE entry.shelf = billing.shelf AND entry.file_id = billing.file_id
        AND entry.line = billing.line OFFSET 0) AS entry
    UNION ALL
    SELECT ${entryColumns}, NULL FROM unnest(${files}::integer[]) AS read (file)
      CROSS JOIN LATERAL (SELECT * FROM entry WHERE entry.shelf = ANY (${shelves}) AND entry.file_id = read.file
        ORDER BY entry.line LIMIT 1) AS entry
    UNION ALL
    SELECT ${entryColumns}, NULL
    FROM unnest(${lines.map(({ file }) => file)}::integer[], ${lines.map(({ line }) => line)}::integer[]) AS read (file, line)
      CROSS JOIN LATERAL (SELECT * FROM entry WHERE entry.shelf = ANY (${shelves}) AND entry.file_id = read.file
        AND entry.line = read.line OFFSET 0) AS entry
    ORDER BY file_id, line, record NULLS LAST`.execute(db);
  const isFirst = ({ file_id, line }: LedgerEntry, n: number) =>
    file_id !== rows[n - 1]?.file_id || line !== rows[n - 1]?.line;
  // An entry may be selected several times: the first row has its record.
  return withEntryIds(rows.filter(isFirst));
}

async function readRanges(
  db: Runner,
  shelves: readonly number[],
  files: readonly number[],
): Promise<LedgerRange[]> {
  const { rows } = await sql<LedgerRange>`
    SELECT file_id, first_line, last_line FROM current_range
    WHERE shelf = ANY (${shelves}) AND file_id = ANY (${files})`.execute(db);
  return rows;
}

/** The events on some days that do not count as their entries record them. */
export async function readEventStates(
  db: Runner,
  shelves: readonly number[],
  days: readonly FileDay[],
): Promise<EventState[]> {
  const { rows } = await sql<EventState>`
    SELECT event_state.file_id AS file, event_state.line, event_state.ordinal, event_state.attribution, event_state.instance,
      event_state.corrected
    FROM ${selectBilling(shelves, days)}
      CROSS JOIN LATERAL (SELECT * FROM event_state WHERE event_state.shelf = billing.shelf AND event_state.file_id = billing.file_id
        AND event_state.line = billing.line OFFSET 0) AS event_state`.execute(db);
  return rows;
}
