import type { z } from "zod";
import type { EntryTable, TouchTable } from "../src/store/schema.ts";
import { isOnCurrentBranch } from "../src/store/sqlite/entry-conditions.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import type { Scope } from "../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { FileTouch, FileTouches, HitLocation, SessionInfo } from "./answers.ts";
import { compareCreation, groupCopies } from "./copies.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { possibleCopies, readLocationsWithCopies, toOtherLocations } from "./entry-locations.ts";
import { FilesOptions, FilesPattern, parseOptions } from "./options.ts";
import { findMatchingPaths } from "./paths.ts";
import { readSessions } from "./session-info.ts";
import { allOf, sessionCondition, timeCondition } from "./sql-conditions.ts";
import { sumByName } from "./stats.ts";
import { toIsoTime } from "./tree.ts";

/** A page of sessions that touched files. */
export interface FileTouchList {
  /** Sessions with their newest touches, most recently touched first. */
  sessions: FileTouches[];
  /** Number of sessions on all pages. */
  total: number;
  /** Number of touches in those sessions; copies in forks count once. */
  touchCount: number;
  /** The `cursor` of the next page, if there is one. */
  next?: string;
}

/** The columns of an entry that identify its copies. */
interface EntryRow
  extends Pick<EntryTable, "file_id" | "entry_id" | "type" | "role" | "line" | "timestamp" | "text_hash"> {
  id: number;
  /** Creation time of its session. */
  created: number | null;
}

/** The columns by which touches are counted and sorted. A pattern may match a hundred thousand touches. */
type TouchRow = EntryRow & Pick<TouchTable, "ordinal" | "path_id" | "action">;

/** The touches of one session, newest first. */
interface Group {
  fileId: number;
  /** Time of the newest touch in Unix milliseconds; sessions are sorted by it. */
  value: number;
  rows: TouchRow[];
}

/** The order that cursors of these lists belong to. */
const ORDER = "touched newest";

/**
 * Lists the sessions that read, wrote or otherwise touched the files that a pattern matches (see `findMatchingPaths`), with the
 * entries that did. An entry copied by forks counts once, for the oldest of the selected sessions, on any branch.
 *
 * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
 */
export async function listFileTouches(
  db: Reader,
  scope: Scope,
  pattern: string,
  options: FilesOptions,
): Promise<FileTouchList> {
  const checkedPattern = parseOptions(FilesPattern, pattern);
  const parsed = parseOptions(FilesOptions, options);
  const after = parsed.cursor === undefined ? undefined : decodePosition(parsed.cursor);
  // One transaction for all queries: a sync between them could remove what the first one found.
  return db.snapshot(async (snapshot) => {
    const paths = await findMatchingPaths(new SqliteStore(snapshot, scope), checkedPattern);
    const rows = await touchRows(snapshot, scope, paths, parsed);
    const owned = withoutCopies(rows, await otherHolders(snapshot, scope, rows, parsed));
    const groups = bySession(owned);
    const remaining = after ? groups.filter((group) => byNewest(after, group) < 0) : groups;
    const page = remaining.slice(0, parsed.limit);
    const sessions = await toFileTouches(snapshot, scope, page, parsed.touches);
    const list: FileTouchList = { sessions, total: groups.length, touchCount: owned.length };
    const last = page.at(-1);
    if (last && remaining.length > page.length) {
      list.next = encodeCursor([last.value, last.fileId], ORDER);
    }
    return list;
  });
}

const entryColumns = sql`entry.id, entry.file_id, entry.entry_id, entry.type, entry.role, entry.line, entry.timestamp,
  entry.text_hash, session.created`;

/** All touches of the paths. CROSS JOIN makes SQLite start at the paths. */
async function touchRows(
  db: Reader,
  scope: Scope,
  pathIds: readonly number[],
  options: z.output<typeof FilesOptions>,
): Promise<TouchRow[]> {
  const conditions: Sql<SqlBool>[] = [
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
  ];
  if (options.action) conditions.push(sql`touch.action IN (${sql.join(options.action)})`);
  const { rows } = await sql<TouchRow>`
    SELECT touch.ordinal, touch.path_id, touch.action, ${entryColumns}
    FROM json_each(${JSON.stringify(pathIds)}) AS selected
      CROSS JOIN touch ON touch.path_id = selected.value CROSS JOIN entry ON entry.id = touch.entry
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${allOf(conditions)}`.execute(db);
  return rows;
}

/** Entries of the selected sessions that may be copies of the rows but touched another path: forks in another folder. */
async function otherHolders(
  db: Reader,
  scope: Scope,
  rows: readonly TouchRow[],
  options: z.output<typeof FilesOptions>,
): Promise<EntryRow[]> {
  const known = [...new Set(rows.map(({ id }) => id))];
  const { rows: found } = await sql<EntryRow>`
    SELECT ${entryColumns}
    FROM (${possibleCopies(known)}) AS holder CROSS JOIN entry ON entry.id = holder.id
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${sessionCondition(scope, options)}`.execute(db);
  return found;
}

/**
 * The touches without those that forks only copied. An entry belongs as a whole to its oldest holder: in a fork in another
 * folder its relative paths resolve to other files, but the fork did not touch them.
 */
function withoutCopies(rows: readonly TouchRow[], others: readonly EntryRow[]): TouchRow[] {
  const entries = new Map([...rows, ...others].map((row): [number, EntryRow] => [row.id, row]));
  const copied = new Set<number>();
  for (const group of groupCopies([...entries.values()])) {
    const [, ...copies] = group.sort(compareCreation);
    for (const { id } of copies) copied.add(id);
  }
  return rows.filter(({ id }) => !copied.has(id));
}

function bySession(rows: readonly TouchRow[]): Group[] {
  return [...Map.groupBy(rows, ({ file_id }) => file_id)]
    .map(([fileId, group]): Group => {
      const time = ({ timestamp, created }: TouchRow) => timestamp ?? created ?? 0;
      group.sort((a, b) => time(b) - time(a) || b.line - a.line || b.ordinal - a.ordinal);
      return { fileId, value: time(group[0] as TouchRow), rows: group };
    })
    .sort(byNewest);
}

/** The last session of a page. */
interface Position {
  /** Time of its newest touch. */
  value: number;
  fileId: number;
}

function decodePosition(cursor: string): Position {
  const [value, fileId] = decodeCursor(cursor, ORDER, 2) as [number, number];
  return { value, fileId };
}

function byNewest(a: Position, b: Position): number {
  return b.value - a.value || b.fileId - a.fileId;
}

/** Sessions with at most `limit` of their touches. */
async function toFileTouches(
  db: Reader,
  scope: Scope,
  groups: readonly Group[],
  limit: number,
): Promise<FileTouches[]> {
  const sessions = await readSessions(
    new SqliteStore(db, scope),
    groups.map(({ fileId }) => fileId),
  );
  const shown = groups.flatMap(({ rows }) => rows.slice(0, limit));
  const ids = [...new Set(shown.map(({ id }) => id))];
  const details = await detailsOf(db, ids);
  const places = await readLocationsWithCopies(db, scope, ids);
  return groups.map(({ fileId, rows }) => ({
    session: sessions.get(fileId) as SessionInfo,
    touches: rows
      .slice(0, limit)
      .map((row) =>
        fileTouch(
          details.get(touchKey(row)) as DetailRow,
          toOtherLocations(row.id, places.get(row.id) ?? []),
        ),
      ),
    touchCount: rows.length,
    actions: sumByName(rows.map(({ action }) => ({ name: action, count: 1 }))),
  }));
}

/** The columns of a touch that answers show. */
interface DetailRow
  extends Omit<TouchTable, "entry">,
    Pick<EntryTable, "entry_id" | "line" | "byte_offset" | "type" | "role" | "timestamp"> {
  id: number;
  path: string;
  failed: number | null;
  tool: string | null;
  current: number;
}

async function detailsOf(db: Reader, ids: readonly number[]): Promise<Map<string, DetailRow>> {
  // The entry itself has a result only if it is a command that the user ran.
  const failed = sql`CASE WHEN touch.ordinal >= 0 THEN tool_call.is_error
    WHEN entry.role IN ('bashExecution', 'pythonExecution') THEN entry.failed END`;
  const { rows: found } = await sql<DetailRow>`
    SELECT touch.ordinal, touch.path_id, touch.action, path.path, ${failed} AS failed,
      coalesce(tool_call.name, entry.tool) AS tool, ${isOnCurrentBranch} AS current,
      entry.id, entry.entry_id, entry.line, entry.byte_offset, entry.type, entry.role, entry.timestamp
    FROM json_each(${JSON.stringify(ids)}) AS selected CROSS JOIN touch ON touch.entry = selected.value
      CROSS JOIN entry ON entry.id = touch.entry CROSS JOIN path ON path.id = touch.path_id
      LEFT JOIN tool_call ON tool_call.entry = touch.entry AND tool_call.ordinal = touch.ordinal`.execute(db);
  return new Map(found.map((row) => [touchKey(row), row]));
}

function touchKey({ id, ordinal, path_id, action }: TouchRow | DetailRow): string {
  return `${id} ${ordinal} ${path_id} ${action}`;
}

function fileTouch(row: DetailRow, alsoIn: HitLocation[]): FileTouch {
  return {
    path: row.path,
    action: row.action,
    entryId: row.entry_id,
    line: row.line,
    byteOffset: row.byte_offset,
    type: row.type,
    role: row.role ?? undefined,
    tool: row.tool ?? undefined,
    timestamp: toIsoTime(row.timestamp),
    failed: row.failed === null ? undefined : row.failed === 1,
    onCurrentBranch: row.current === 1,
    alsoIn,
  };
}
