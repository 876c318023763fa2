import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import type { EntryTable, FileTable, Schema, SessionTable, TouchTable } from "../src/database/schema.ts";
import type { FileTouch, FileTouches, SessionInfo } from "./answers.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { isCurrent } from "./field-condition.ts";
import { allOf, sessionCondition, timeCondition } from "./filter.ts";
import { FilesOptions, parseOptions } from "./options.ts";
import { matchingPaths } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { sessionsById } from "./session-info.ts";
import { isoTime } from "./tree.ts";

/** A page of sessions that touched files. */
export interface FileTouchList {
  /** Sessions with their newest touches; the one that touched last comes first. */
  sessions: FileTouches[];
  /** How many sessions there are, on all pages. */
  total: number;
  /** How many touches there are in them; copies in forks count once. */
  touchCount: number;
  /** The `cursor` of the next page, when there is one. */
  next?: string;
}

/** A touch, with no more than it takes to count and sort it: a pattern may mean a hundred thousand. */
type TouchRow = Pick<TouchTable, "entry" | "ordinal" | "path_id" | "action"> &
  Pick<EntryTable, "file_id" | "entry_id" | "type" | "line" | "timestamp">;

/** A session file as copies are told apart by it. */
type Holder = Pick<FileTable, "path"> & Pick<SessionTable, "created">;

/** The touches of one session, newest first. */
interface Group {
  fileId: number;
  /** When the newest was, in Unix milliseconds: what sessions are sorted by. */
  value: number;
  rows: TouchRow[];
}

/** What a cursor of these lists is made for. */
const ORDER = "touched newest";

/**
 * Which sessions read, wrote or otherwise touched the files a pattern means (see `matchingPaths`), and with which
 * entries. An entry that forks copied counts once: for the session that was begun first, of those asked for.
 *
 * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
 */
export async function filesTouched(
  db: Kysely<Schema>,
  scope: Scope,
  pattern: string,
  options: FilesOptions,
): Promise<FileTouchList> {
  const parsed = parseOptions(FilesOptions, options);
  const after = parsed.cursor === undefined ? undefined : decodeCursor(parsed.cursor, ORDER);
  // Several questions, so one transaction: a sync in between could take away what the first one found.
  return db.transaction().execute(async (snapshot) => {
    const rows = await touchRows(snapshot, scope, await matchingPaths(snapshot, pattern), parsed);
    const holders = await holdersOf(snapshot, rows);
    const { owned, alsoIn } = withoutCopies(rows, holders);
    const groups = bySession(owned, holders);
    const ahead = after ? groups.filter((group) => byNewest(after, group) < 0) : groups;
    const page = ahead.slice(0, parsed.limit);
    const sessions = await answers(snapshot, page, parsed.touches, alsoIn);
    const list: FileTouchList = { sessions, total: groups.length, touchCount: owned.length };
    const last = page.at(-1);
    if (last && ahead.length > page.length) {
      list.next = encodeCursor({ order: ORDER, value: last.value, fileId: last.fileId });
    }
    return list;
  });
}

/** All touches of the paths. CROSS JOIN keeps SQLite from starting anywhere but at these. */
async function touchRows(
  db: Kysely<Schema>,
  scope: Scope,
  pathIds: readonly number[],
  options: z.output<typeof FilesOptions>,
): Promise<TouchRow[]> {
  const conditions: RawBuilder<SqlBool>[] = [
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
  ];
  if (options.action) conditions.push(sql`touch.action IN (${sql.join(options.action)})`);
  const { rows } = await sql<TouchRow>`
    SELECT touch.entry, touch.ordinal, touch.path_id, touch.action,
      entry.file_id, entry.entry_id, entry.type, entry.line, entry.timestamp
    FROM json_each(${JSON.stringify(pathIds)}) AS wanted
      CROSS JOIN touch ON touch.path_id = wanted.value CROSS JOIN entry ON entry.id = touch.entry
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${allOf(conditions)}`.execute(db);
  return rows;
}

async function holdersOf(db: Kysely<Schema>, rows: readonly TouchRow[]): Promise<Map<number, Holder>> {
  const ids = JSON.stringify([...new Set(rows.map(({ file_id }) => file_id))]);
  const { rows: found } = await sql<Holder & { id: number }>`
    SELECT file.id, file.path, session.created FROM json_each(${ids}) AS wanted
      CROSS JOIN file ON file.id = wanted.value CROSS JOIN session ON session.file_id = file.id`.execute(db);
  return new Map(found.map(({ id, ...holder }) => [id, holder]));
}

/**
 * The touches without those that forks only copied, and the paths of the files that hold copies of an entry. A whole
 * entry goes with its first holder: a fork in another folder means other files by the same words, but touched none.
 */
function withoutCopies(rows: readonly TouchRow[], holders: ReadonlyMap<number, Holder>) {
  const groups = new Map<number | string, TouchRow[]>();
  for (const row of rows) {
    const key = copyKey(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const owned: TouchRow[] = [];
  const alsoIn = new Map<number, string[]>();
  for (const group of groups.values()) {
    const first = group[0] as TouchRow;
    if (group.every(({ file_id }) => file_id === first.file_id)) {
      owned.push(...group);
      continue;
    }
    const files = [...new Set(group.map(({ file_id }) => file_id))];
    files.sort((a, b) => byBegin(holders.get(a) as Holder, holders.get(b) as Holder));
    const [owner, ...others] = files;
    for (const row of group) {
      if (row.file_id !== owner) continue;
      owned.push(row);
      alsoIn.set(
        row.entry,
        others.map((each) => (holders.get(each) as Holder).path),
      );
    }
  }
  return { owned, alsoIn };
}

/**
 * What copies of an entry have in common. Ids alone collide between strangers; where there is no id or no time,
 * copies cannot be told.
 */
function copyKey({ entry, entry_id, timestamp, type }: TouchRow): number | string {
  if (entry_id === null || timestamp === null) return entry;
  return JSON.stringify([entry_id, timestamp, type]);
}

/** By path where two were begun at once: rows of a new index may have other ids. */
function byBegin(a: Holder, b: Holder): number {
  const begin = ({ created }: Holder) => created ?? Number.MAX_VALUE;
  return begin(a) - begin(b) || (a.path < b.path ? -1 : 1);
}

function bySession(rows: readonly TouchRow[], holders: ReadonlyMap<number, Holder>): Group[] {
  const groups = new Map<number, TouchRow[]>();
  for (const row of rows) {
    const group = groups.get(row.file_id);
    if (group) group.push(row);
    else groups.set(row.file_id, [row]);
  }
  return [...groups]
    .map(([fileId, group]): Group => {
      const time = ({ timestamp }: TouchRow) => timestamp ?? holders.get(fileId)?.created ?? 0;
      group.sort((a, b) => time(b) - time(a) || b.line - a.line || b.ordinal - a.ordinal);
      return { fileId, value: time(group[0] as TouchRow), rows: group };
    })
    .sort(byNewest);
}

type Place = Pick<Group, "value" | "fileId">;

function byNewest(a: Place, b: Place): number {
  return b.value - a.value || b.fileId - a.fileId;
}

/** Sessions with so many of their touches. */
async function answers(
  db: Kysely<Schema>,
  groups: readonly Group[],
  most: number,
  alsoIn: ReadonlyMap<number, string[]>,
): Promise<FileTouches[]> {
  const sessions = await sessionsById(
    db,
    groups.map(({ fileId }) => fileId),
  );
  const shown = groups.flatMap(({ rows }) => rows.slice(0, most));
  const details = await detailsOf(db, shown);
  return groups.map(({ fileId, rows }) => ({
    session: sessions.get(fileId) as SessionInfo,
    touches: rows
      .slice(0, most)
      .map((row) => fileTouch(details.get(touchKey(row)) as DetailRow, alsoIn.get(row.entry) ?? [])),
    touchCount: rows.length,
    actions: actionsOf(rows),
  }));
}

/** What there is to say of a touch. */
interface DetailRow
  extends TouchTable,
    Pick<EntryTable, "entry_id" | "line" | "byte_offset" | "type" | "role" | "timestamp"> {
  path: string;
  failed: number | null;
  tool: string | null;
  current: number;
}

async function detailsOf(db: Kysely<Schema>, rows: readonly TouchRow[]): Promise<Map<string, DetailRow>> {
  const entries = JSON.stringify([...new Set(rows.map(({ entry }) => entry))]);
  // What the entry itself tells of has a result only where it is a command the user ran.
  const failed = sql`CASE WHEN touch.ordinal >= 0 THEN tool_call.is_error
    WHEN entry.role = 'bashExecution' THEN entry.failed END`;
  const { rows: found } = await sql<DetailRow>`
    SELECT touch.entry, touch.ordinal, touch.path_id, touch.action, path.path, ${failed} AS failed,
      coalesce(tool_call.name, entry.tool) AS tool, ${isCurrent} AS current,
      entry.entry_id, entry.line, entry.byte_offset, entry.type, entry.role, entry.timestamp
    FROM json_each(${entries}) AS wanted CROSS JOIN touch ON touch.entry = wanted.value
      CROSS JOIN entry ON entry.id = touch.entry CROSS JOIN path ON path.id = touch.path_id
      LEFT JOIN tool_call ON tool_call.entry = touch.entry AND tool_call.ordinal = touch.ordinal`.execute(db);
  return new Map(found.map((row) => [touchKey(row), row]));
}

function touchKey({ entry, ordinal, path_id, action }: TouchTable): string {
  return `${entry} ${ordinal} ${path_id} ${action}`;
}

function fileTouch(row: DetailRow, alsoIn: string[]): FileTouch {
  return {
    path: row.path,
    action: row.action as FileTouch["action"], // the indexer writes no others
    entryId: row.entry_id,
    line: row.line,
    byteOffset: row.byte_offset,
    type: row.type,
    role: row.role ?? undefined,
    tool: row.tool ?? undefined,
    timestamp: isoTime(row.timestamp),
    failed: row.failed === null ? undefined : row.failed === 1,
    onCurrentBranch: row.current === 1,
    alsoIn,
  };
}

function actionsOf(rows: readonly TouchRow[]): FileTouches["actions"] {
  const counts = new Map<string, number>();
  for (const { action } of rows) counts.set(action, (counts.get(action) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
