import type { FoundTouches, SharedEntry, ShownTouchRow, TouchConditions, TouchRow } from "../entry-reads.ts";
import type { Position } from "../position.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { isOnCurrentBranch } from "./entry-conditions.ts";
import { possibleCopies } from "./possible-copies.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import { allOf, timeSql, toSessionSql } from "./session-conditions.ts";

/** See `EntryReads`. */
export async function findTouches(
  db: Reader,
  scope: Scope,
  conditions: TouchConditions,
): Promise<FoundTouches> {
  const isSelected = allOf([inScope(scope), toSessionSql(conditions.session)]);
  const touches = await touchRows(db, isSelected, conditions);
  const positions = new Set(touches.flatMap(({ position, isShared }) => (isShared === 1 ? [position] : [])));
  return { touches, shared: await sharedEntries(db, isSelected, [...positions]) };
}

/** Entries, and those of the selected sessions that may be copies of them. */
async function sharedEntries(
  db: Reader,
  isSelected: Sql<SqlBool>,
  positions: readonly Position[],
): Promise<SharedEntry[]> {
  if (positions.length === 0) return [];
  const { rows } = await sql<SharedEntry>`
    SELECT entry.id AS position, entry.file_id, entry.entry_id, entry.type, entry.role, entry.line, entry.timestamp, entry.text_hash,
      session.created
    FROM (SELECT value AS id FROM ${sql.list(positions)} UNION ${possibleCopies(positions)}) AS holder
      CROSS JOIN entry ON entry.id = holder.id
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${isSelected}`.execute(db);
  return rows;
}

/** Whether another session has an entry with this id. Few do, and only they can have copies. */
const isShared = sql<number>`EXISTS (SELECT 1 FROM entry AS other
  WHERE other.entry_id = entry.entry_id AND other.file_id <> entry.file_id)`;

/** CROSS JOIN makes SQLite start at the paths. */
async function touchRows(
  db: Reader,
  isSelected: Sql<SqlBool>,
  { paths, actions, ...times }: TouchConditions,
): Promise<(TouchRow & { isShared: number })[]> {
  const conditions = [isSelected, timeSql(sql`entry.timestamp`, times)];
  if (actions) conditions.push(sql`touch.action IN (${sql.join(actions)})`);
  const { rows } = await sql<TouchRow & { isShared: number }>`
    SELECT touch.ordinal, touch.path_id, touch.action, entry.id AS position, entry.file_id, entry.line, entry.timestamp,
      session.created, ${isShared} AS isShared
    FROM json_each(${JSON.stringify(paths)}) AS selected
      CROSS JOIN touch ON touch.path_id = selected.value CROSS JOIN entry ON entry.id = touch.entry
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${allOf(conditions)}`.execute(db);
  return rows;
}

/** See `EntryReads`. */
export async function getTouches(db: Reader, positions: readonly Position[]): Promise<ShownTouchRow[]> {
  // The entry itself has a result only if it is a command that the user ran.
  const failed = sql`CASE WHEN touch.ordinal >= 0 THEN tool_call.is_error
    WHEN entry.role IN ('bashExecution', 'pythonExecution') THEN entry.failed END`;
  const { rows } = await sql<ShownTouchRow>`
    SELECT touch.ordinal, touch.path_id, touch.action, path.path, ${failed} AS failed,
      coalesce(tool_call.name, entry.tool) AS tool, ${isOnCurrentBranch} AS current,
      entry.id AS position, entry.entry_id, entry.line, entry.byte_offset, entry.type, entry.role, entry.timestamp
    FROM json_each(${JSON.stringify(positions)}) AS selected CROSS JOIN touch ON touch.entry = selected.value
      CROSS JOIN entry ON entry.id = touch.entry CROSS JOIN path ON path.id = touch.path_id
      LEFT JOIN tool_call ON tool_call.entry = touch.entry AND tool_call.ordinal = touch.ordinal`.execute(db);
  return rows;
}
