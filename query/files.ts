import type { SharedEntry, ShownTouchRow, TouchRow } from "../src/store/entry-reads.ts";
import type { Position } from "../src/store/position.ts";
import type { Store } from "../src/store/store.ts";
import type { FileTouch, FileTouches, HitLocation, SessionInfo } from "./answers.ts";
import { compareCreation, groupCopies } from "./copies.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { readLocationsWithCopies, toOtherLocations } from "./entry-locations.ts";
import { toSessionCondition } from "./filter.ts";
import { FilesOptions, FilesPattern, parseOptions } from "./options.ts";
import { findMatchingPaths } from "./paths.ts";
import { readSessions } from "./session-info.ts";
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
  store: Store,
  pattern: string,
  options: FilesOptions,
): Promise<FileTouchList> {
  const checkedPattern = parseOptions(FilesPattern, pattern);
  const parsed = parseOptions(FilesOptions, options);
  const after = parsed.cursor === undefined ? undefined : decodeEnd(parsed.cursor);
  // All reads see the same state: a sync between them could remove what the first one found.
  return store.snapshot(async (snapshot) => {
    const { touches, shared } = await (await snapshot.entries()).findTouches({
      paths: await findMatchingPaths(snapshot, checkedPattern),
      session: toSessionCondition(parsed),
      since: parsed.since,
      until: parsed.until,
      actions: parsed.action,
    });
    const owned = withoutCopies(touches, shared);
    const groups = bySession(owned);
    const remaining = after ? groups.filter((group) => byNewest(after, group) < 0) : groups;
    const page = remaining.slice(0, parsed.limit);
    const sessions = await toFileTouches(snapshot, page, parsed.touches);
    const list: FileTouchList = { sessions, total: groups.length, touchCount: owned.length };
    const last = page.at(-1);
    if (last && remaining.length > page.length) {
      list.next = encodeCursor([last.value, last.fileId], ORDER);
    }
    return list;
  });
}

/**
 * The touches without those that forks only copied. An entry belongs as a whole to its oldest holder: in a fork in another
 * folder its relative paths resolve to other files, but the fork did not touch them.
 */
function withoutCopies(rows: readonly TouchRow[], shared: readonly SharedEntry[]): TouchRow[] {
  const copied = new Set<Position>();
  for (const group of groupCopies(shared)) {
    const [, ...copies] = group.sort(compareCreation);
    for (const { position } of copies) copied.add(position);
  }
  return rows.filter(({ position }) => !copied.has(position));
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
interface PageEnd {
  /** Time of its newest touch. */
  value: number;
  fileId: number;
}

function decodeEnd(cursor: string): PageEnd {
  const [value, fileId] = decodeCursor(cursor, ORDER, 2) as [number, number];
  return { value, fileId };
}

function byNewest(a: PageEnd, b: PageEnd): number {
  return b.value - a.value || b.fileId - a.fileId;
}

/** Sessions with at most `limit` of their touches. */
async function toFileTouches(store: Store, groups: readonly Group[], limit: number): Promise<FileTouches[]> {
  const sessions = await readSessions(
    store,
    groups.map(({ fileId }) => fileId),
  );
  const shown = groups.flatMap(({ rows }) => rows.slice(0, limit));
  const positions = [...new Set(shown.map(({ position }) => position))];
  const touches = await (await store.entries()).getTouches(positions);
  const details = new Map(touches.map((row) => [touchKey(row), row]));
  const places = await readLocationsWithCopies(store, positions);
  return groups.map(({ fileId, rows }) => ({
    session: sessions.get(fileId) as SessionInfo,
    touches: rows
      .slice(0, limit)
      .map((row) =>
        fileTouch(
          details.get(touchKey(row)) as ShownTouchRow,
          toOtherLocations(row.position, places.get(row.position) ?? []),
        ),
      ),
    touchCount: rows.length,
    actions: sumByName(rows.map(({ action }) => ({ name: action, count: 1 }))),
  }));
}

function touchKey({ position, ordinal, path_id, action }: TouchRow | ShownTouchRow): string {
  return `${position} ${ordinal} ${path_id} ${action}`;
}

function fileTouch(row: ShownTouchRow, alsoIn: HitLocation[]): FileTouch {
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
