import type {
  SharedEntry,
  ShownTouchRow,
  TouchConditions,
  TouchRow,
  TouchSum,
  TouchSums,
} from "../entry-reads.ts";
import type { Position } from "../position.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { isOnCurrentBranch } from "./entry-conditions.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import { allOf, timeSql, toSessionSql } from "./session-conditions.ts";

/** Whether an entry of another file has the same time. Few do, and only they can be copies. */
const mayBeShared = sql<SqlBool>`EXISTS (SELECT 1 FROM touch AS other
  WHERE other.time = touch.time AND other.file_id <> touch.file_id)`;

/** See `EntryReads`. It reads only the indexes of `touch`: reading each touch's entry took twelve times as long. */
export async function sumTouches(db: Reader, scope: Scope, conditions: TouchConditions): Promise<TouchSums> {
  const isSelected = allOf([inScope(scope), toSessionSql(conditions.session)]);
  const { rows: sums } = await sql<TouchSum>`
    SELECT sum.file_id, sum.action, sum.position, sum.count,
      CASE WHEN sum.untimed THEN max(coalesce(sum.newest, 0), coalesce(session.created, 0)) ELSE sum.newest END AS newest
    FROM (SELECT touch.file_id, touch.action, CASE WHEN ${mayBeShared} THEN touch.entry END AS position, count(*) AS count,
        max(touch.time) AS newest, max(touch.time IS NULL) AS untimed
      FROM ${matchingTouches(conditions)} GROUP BY 1, 2, 3) AS sum
      CROSS JOIN file ON file.id = sum.file_id CROSS JOIN session ON session.file_id = sum.file_id
    WHERE ${isSelected}`.execute(db);
  const times = new Set(sums.flatMap(({ position, newest }) => (position === null ? [] : [newest])));
  return { sums, shared: await sharedEntries(db, isSelected, [...times]) };
}

/** See `EntryReads`. */
export async function listTouches(
  db: Reader,
  conditions: TouchConditions,
  files: readonly number[],
): Promise<TouchRow[]> {
  const { rows } = await sql<TouchRow>`
    SELECT touch.ordinal, touch.path_id, touch.action, touch.file_id, touch.time, entry.id AS position, entry.line, session.created
    FROM ${matchingTouches(conditions, files)}
      CROSS JOIN entry ON entry.id = touch.entry CROSS JOIN session ON session.file_id = touch.file_id`.execute(
    db,
  );
  return rows;
}

/** The table `touch` for a FROM clause, with only what matches. CROSS JOIN makes SQLite start at the paths. */
function matchingTouches(
  { paths, actions, ...times }: Omit<TouchConditions, "session">,
  files?: readonly number[],
): Sql<unknown> {
  const conditions = [sql<SqlBool>`touch.path_id = selected.value`, timeSql(sql`touch.time`, times)];
  if (actions) conditions.push(sql`touch.action IN (${sql.join(actions)})`);
  if (files) conditions.push(sql`touch.file_id IN ${sql.list(files)}`);
  return sql`json_each(${JSON.stringify(paths)}) AS selected CROSS JOIN touch ON ${allOf(conditions)}`;
}

/** Entries of the selected sessions with one of these times that touched files. Copies of an entry have its time. */
async function sharedEntries(
  db: Reader,
  isSelected: Sql<SqlBool>,
  times: readonly number[],
): Promise<SharedEntry[]> {
  if (times.length === 0) return [];
  const { rows } = await sql<SharedEntry>`
    SELECT entry.id AS position, entry.file_id, entry.entry_id, entry.type, entry.role, entry.line, entry.timestamp, entry.text_hash,
      session.created
    FROM (SELECT DISTINCT entry FROM touch WHERE time IN ${sql.list(times)}) AS holder
      CROSS JOIN entry ON entry.id = holder.entry
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${isSelected}`.execute(db);
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
