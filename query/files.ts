import type { ShownTouchRow, TouchConditions, TouchRow, TouchSum } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import type { FileTouch, FileTouches, HitLocation, SessionInfo } from "./answers.ts";
import { findCopiedPositions } from "./copies.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { readLocationsWithCopies, toOtherLocations } from "./entry-locations.ts";
import { toSessionCondition } from "./filter.ts";
import { toIsoTime } from "./iso-time.ts";
import type { FilesOptions } from "./options.ts";
import { parsePlainFilesOptions } from "./parse-plain-options.ts";
import { findMatchingPaths } from "./paths.ts";
import { readSessions } from "./session-info.ts";
import { sumByName } from "./stats.ts";

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

/** The number of touches in a session. */
interface SessionTouches {
  fileId: number;
  /** Time of the newest touch in Unix milliseconds; sessions are sorted by it. */
  value: number;
  count: number;
  sums: TouchSum[];
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
  const plain = typeof pattern === "string" ? parsePlainFilesOptions(options) : undefined;
  const parsed = plain ?? (await parseFilesOptions(pattern, options));
  const after = parsed.cursor === undefined ? undefined : decodeEnd(parsed.cursor);
  // All reads see the same state: a sync between them could remove what the first one found.
  return store.snapshot(async (snapshot) => {
    const entries = await snapshot.entries();
    const conditions: TouchConditions = {
      paths: await findMatchingPaths(snapshot, pattern),
      session: toSessionCondition(parsed),
      since: parsed.since,
      until: parsed.until,
      actions: parsed.action,
    };
    const { sums, shared } = await entries.sumTouches(conditions);
    const copied = findCopiedPositions(shared);
    const isOwned = ({ position }: Pick<TouchSum, "position">) => position === null || !copied.has(position);
    const all = bySession(sums.filter(isOwned));
    const remaining = after ? all.filter((touches) => byNewest(after, touches) < 0) : all;
    const page = remaining.slice(0, parsed.limit);
    const rows = await entries.listTouches(
      conditions,
      page.map(({ fileId }) => fileId),
    );
    const sessions = await toFileTouches(snapshot, page, rows.filter(isOwned), parsed);
    const list: FileTouchList = { sessions, total: all.length, touchCount: sum(all) };
    const last = page.at(-1);
    if (last && remaining.length > page.length) {
      list.next = encodeCursor([last.value, last.fileId], ORDER);
    }
    return list;
  });
}

async function parseFilesOptions(pattern: string, options: FilesOptions) {
  const { FilesOptions, FilesPattern, parseOptions } = await import("./options.ts");
  parseOptions(FilesPattern, pattern);
  return parseOptions(FilesOptions, options);
}

/** Sums by session, most recently touched first. */
function bySession(sums: readonly TouchSum[]): SessionTouches[] {
  return [...Map.groupBy(sums, ({ file_id }) => file_id)]
    .map(([fileId, ofSession]) => ({
      fileId,
      value: ofSession.reduce((value, { newest }) => Math.max(value, newest), Number.NEGATIVE_INFINITY),
      count: sum(ofSession),
      sums: ofSession,
    }))
    .sort(byNewest);
}

function sum(counted: readonly { count: number }[]): number {
  return counted.reduce((total, { count }) => total + count, 0);
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

/** Sessions with at most `limit` of their touches, newest first. */
async function toFileTouches(
  store: Store,
  page: readonly SessionTouches[],
  rows: readonly TouchRow[],
  { touches: limit, costs }: { touches: number; costs: boolean },
): Promise<FileTouches[]> {
  const sessions = await readSessions(
    store,
    page.map(({ fileId }) => fileId),
  );
  if (costs) await (await import("./session-costs.ts")).addCosts(store, sessions);
  const newest = new Map(
    [...Map.groupBy(rows, ({ file_id }) => file_id)].map(([fileId, ofSession]) => [
      fileId,
      ofSession.sort(byTime).slice(0, limit),
    ]),
  );
  const positions = [
    ...new Set([...newest.values()].flatMap((shown) => shown.map(({ position }) => position))),
  ];
  const touches = await (await store.entries()).getTouches(positions);
  const details = new Map(touches.map((row) => [touchKey(row), row]));
  const places = await readLocationsWithCopies(store, positions);
  return page.map(({ fileId, count, sums }) => ({
    session: sessions.get(fileId) as SessionInfo,
    touches: (newest.get(fileId) ?? []).map((row) =>
      fileTouch(
        details.get(touchKey(row)) as ShownTouchRow,
        toOtherLocations(row.position, places.get(row.position) ?? []),
      ),
    ),
    touchCount: count,
    actions: sumByName(sums.map(({ action, count }) => ({ name: action, count }))),
  }));
}

/** Newest first. */
function byTime(a: TouchRow, b: TouchRow): number {
  const time = ({ time, created }: TouchRow) => time ?? created ?? 0;
  return time(b) - time(a) || b.line - a.line || b.ordinal - a.ordinal;
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
