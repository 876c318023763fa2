import type { SharedEntry, ShownTouchRow, TouchConditions, TouchRow, TouchSums } from "../entry-reads.ts";
import type { Position } from "../position.ts";
import { type Sql, sql } from "../sql.ts";
import { isOnCurrentBranch } from "./entry-conditions.ts";
import { withEntryIds } from "./entry-id.ts";
import { decodePosition, positionSql } from "./positions.ts";
import { possibleCopies } from "./possible-copies.ts";
import type { Runner } from "./runner.ts";
import { allOf, timeSql, toSessionSql } from "./session-conditions.ts";

const entryColumns = sql`${positionSql} AS position, entry.file_id, entry.entry_id, entry.type, entry.role, entry.line,
  entry.timestamp, entry.text_hash, session.created`;

const ofEntry = sql`JOIN file ON file.shelf = entry.shelf AND file.id = entry.file_id
  JOIN session ON session.shelf = entry.shelf AND session.file_id = entry.file_id`;

/** See `EntryReads`. Returns a sum for each touch: which entries have copies is read afterwards. */
export async function sumTouches(
  db: Runner,
  shelves: readonly number[],
  conditions: TouchConditions,
): Promise<TouchSums> {
  const touches = await readTouches(db, shelves, conditions);
  const { rows: copies } = await sql<SharedEntry>`
    SELECT ${entryColumns} FROM (SELECT * FROM entry WHERE ${possibleCopies(shelves, touches)} OFFSET 0) AS entry ${ofEntry}
    WHERE ${toSessionSql(conditions.session)}`.execute(db);
  const entries = new Map(touches.map((row): [Position, SharedEntry] => [row.position, row]));
  return {
    sums: touches.map(({ file_id, action, position, time, created }) => ({
      ...{ file_id, action, position, count: 1, newest: time ?? created ?? 0 },
    })),
    shared: withEntryIds([...entries.values(), ...copies]),
  };
}

/** See `EntryReads`. */
export function listTouches(
  db: Runner,
  shelves: readonly number[],
  conditions: TouchConditions,
  files: readonly number[],
): Promise<TouchRow[]> {
  return readTouches(db, shelves, conditions, sql`touch.file_id = ANY (${files})`);
}

async function readTouches(
  db: Runner,
  shelves: readonly number[],
  { paths, session, actions, ...times }: TouchConditions,
  isOfFile: Sql<boolean> = sql`TRUE`,
): Promise<(TouchRow & SharedEntry)[]> {
  const conditions: Sql<boolean>[] = [toSessionSql(session), timeSql(sql`entry.timestamp`, times), isOfFile];
  if (actions) conditions.push(sql`touch.action = ANY (${actions})`);
  // OFFSET as in `filterPlaces`.
  const { rows } = await sql<TouchRow & SharedEntry>`
    SELECT touch.ordinal, touch.path_id, touch.action, entry.timestamp AS time, ${entryColumns}
    FROM touch CROSS JOIN LATERAL (SELECT * FROM entry
      WHERE entry.shelf = touch.shelf AND entry.file_id = touch.file_id AND entry.line = touch.line OFFSET 0) AS entry ${ofEntry}
    WHERE touch.shelf = ANY (${shelves}) AND touch.path_id = ANY (${paths}) AND ${allOf(conditions)}`.execute(
    db,
  );
  return rows;
}

/** See `EntryReads`. */
export async function getTouches(
  db: Runner,
  shelves: readonly number[],
  positions: readonly Position[],
): Promise<ShownTouchRow[]> {
  const places = positions.map(decodePosition);
  // The entry itself has a result only if it is a command that the user ran.
  const failed = sql`CASE WHEN touch.ordinal >= 0 THEN tool_call.is_error
    WHEN entry.role IN ('bashExecution', 'pythonExecution') THEN entry.failed END`;
  const { rows } = await sql<ShownTouchRow & { current: boolean }>`
    SELECT touch.ordinal, touch.path_id, touch.action, path.path, ${failed} AS failed,
      coalesce(tool_call.name, entry.tool) AS tool, ${isOnCurrentBranch}::integer AS current,
      ${positionSql} AS position, entry.entry_id, entry.line, entry.byte_offset, entry.type, entry.role, entry.timestamp
    FROM unnest(${places.map(({ file }) => file)}::integer[], ${places.map(({ line }) => line)}::integer[]) AS at (file, line)
      JOIN touch ON touch.shelf = ANY (${shelves}) AND touch.file_id = at.file AND touch.line = at.line
      JOIN entry ON entry.shelf = touch.shelf AND entry.file_id = touch.file_id AND entry.line = touch.line
      JOIN path ON path.shelf = touch.shelf AND path.id = touch.path_id
      LEFT JOIN tool_call ON tool_call.shelf = touch.shelf AND tool_call.file_id = touch.file_id
        AND tool_call.line = touch.line AND tool_call.ordinal = touch.ordinal`.execute(db);
  return withEntryIds(rows);
}
