import type { z } from "zod";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { SessionInfo } from "./answers.ts";
import { decodeCursor, encodeCursor, type PageEnd } from "./cursor.ts";
import { allOf, sessionCondition, timeCondition } from "./filter.ts";
import type { ListOptions, SortKey } from "./options.ts";
import { plainListOptions } from "./plain-options.ts";
import { inScopeOneByOne, type Scope } from "./scope.ts";
import { NO_MESSAGES, type SessionRow, sessionColumns, sessionInfos } from "./session-info.ts";

/** A page of sessions. */
export interface SessionList {
  sessions: SessionInfo[];
  /** How many sessions meet the filters, on all pages. */
  total: number;
  /** The `cursor` of the next page, when there is one. */
  next?: string;
}

const SORT_VALUE: Record<SortKey, Sql<number>> = {
  modified: sql`session.modified`,
  created: sql`coalesce(session.created, 0)`,
  messages: sql`session.message_count`,
  size: sql`file.size`,
};

/**
 * Lists sessions, newest first unless asked otherwise.
 *
 * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
 */
export async function listSessions(db: Reader, scope: Scope, options: ListOptions): Promise<SessionList> {
  const asked = plainListOptions(options) ?? (await checked(options));
  const { limit, cursor, pinnedFirst } = asked;
  const { key, value, meets, ...page } = pageOf(scope, asked);
  const found = await sql<SessionRow & { sort_value: number }>`
    SELECT ${sessionColumns}, ${value} AS sort_value FROM ${page.rows}`.execute(db);
  const rows = withPinsFirst(found.rows, asked);
  const sessions = limit === undefined ? rows : rows.slice(0, limit);
  const last = sessions.at(-1);
  const list: SessionList = { sessions: await sessionInfos(db, sessions), total: sessions.length };
  if (rows.length > sessions.length && last) {
    const pinned = pinnedFirst ? last.pinned === 1 : undefined;
    list.next = encodeCursor({ order: key, value: last.sort_value, fileId: last.file_id, pinned });
  }
  if (list.next || cursor !== undefined) list.total = await countSessions(db, meets);
  return list;
}

/** What tells sessions apart, and no more. */
export type BriefSession = Pick<
  SessionInfo,
  "path" | "id" | "cwd" | "modified" | "messageCount" | "name" | "firstMessage"
>;

/** The same sessions, told briefly: a third of what it takes to tell all of thousands. @throws as `listSessions` */
export async function listBriefly(
  db: Reader,
  scope: Scope,
  options: ListOptions,
): Promise<{ sessions: BriefSession[]; next?: string }> {
  const asked = plainListOptions(options) ?? (await checked(options));
  const found = await sql<BriefRow>`
    SELECT session.pinned, file.path, session.id, session.cwd, session.modified, session.message_count AS messageCount, session.name,
      session.first_message AS firstMessage
    FROM ${pageOf(scope, asked).rows}`.execute(db);
  const rows = withPinsFirst(found.rows, asked);
  const sessions = (asked.limit === undefined ? rows : rows.slice(0, asked.limit)).map(
    ({ path, id, cwd, modified, messageCount, name, firstMessage }): BriefSession => ({
      path,
      id,
      cwd,
      modified: new Date(modified),
      messageCount,
      name: name ?? undefined,
      firstMessage: firstMessage ?? NO_MESSAGES,
    }),
  );
  return { sessions };
}

interface BriefRow extends Pick<BriefSession, "path" | "id" | "cwd" | "messageCount"> {
  pinned: number;
  modified: number;
  name: string | null;
  firstMessage: string | null;
}

/** All sessions are found in the order that an index has; to sort thousands in SQL takes as long as to find them. */
function withPinsFirst<T extends { pinned: number }>(
  rows: T[],
  { pinnedFirst, limit }: z.output<typeof ListOptions>,
): T[] {
  if (!pinnedFirst || limit !== undefined || !rows.some(({ pinned }) => pinned === 1)) return rows;
  return [...rows.filter(({ pinned }) => pinned === 1), ...rows.filter(({ pinned }) => pinned !== 1)];
}

/**
 * A page as SQL has it, with one row more where there is another: from what and in what order, and what it goes by. Without
 * a limit, pins are where the others are.
 */
function pageOf(scope: Scope, asked: z.output<typeof ListOptions>) {
  const { sort, order, limit, cursor, pinnedFirst } = asked;
  const value = SORT_VALUE[sort];
  const meets = allOf([
    sessionCondition(scope, asked, inScopeOneByOne),
    timeCondition(SORT_VALUE.modified, asked),
  ]);
  const key = `${pinnedFirst ? "pinned " : ""}${sort} ${order}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, key);
  const isNewest = order === "newest";
  // Pins come first either way, and one direction must do for all that is sorted by.
  const pins = pinnedFirst ? [isNewest ? sql`session.pinned` : sql`-session.pinned`] : [];
  const keys = [...pins, value, sql`session.file_id`];
  const direction = isNewest ? sql` DESC` : sql` ASC`;
  const inOrder = (some: readonly Sql<unknown>[]) =>
    sql`ORDER BY ${sql.join(some.map((each) => sql`${each}${direction}`))}`;
  const where = allOf([meets, ...(after ? [isBeyond(keys, after, isNewest)] : [])]);
  const most = sql`LIMIT ${sql.lit(limit === undefined ? -1 : limit + 1)}`;
  const first = (pinned: 0 | 1) => sql`
    SELECT * FROM (SELECT session.file_id AS first_id FROM session CROSS JOIN file ON file.id = session.file_id
      WHERE ${where} AND session.pinned = ${sql.lit(pinned)} ${inOrder(keys.slice(1))} ${most})`;
  // No index has pins first: of each kind the first are found by one that has the others in order, and no more are read.
  const source =
    pinnedFirst && limit !== undefined
      ? sql`(${first(1)} UNION ALL ${first(0)}) CROSS JOIN session ON session.file_id = first_id
          CROSS JOIN file ON file.id = first_id`
      : sql`session CROSS JOIN file ON file.id = session.file_id WHERE ${where}`;

  const sorted = limit === undefined ? keys.slice(pins.length) : keys;
  return { key, value, meets, rows: sql`${source} ${inOrder(sorted)} ${most}` };
}

async function checked(options: ListOptions) {
  const { ListOptions, parseOptions } = await import("./options.ts");
  return parseOptions(ListOptions, options);
}

/** That a session comes after the last one of the page before. */
function isBeyond(
  keys: readonly Sql<unknown>[],
  { pinned = false, value, fileId }: PageEnd,
  isNewest: boolean,
): Sql<SqlBool> {
  const pin = isNewest ? Number(pinned) : -Number(pinned);
  const ends = keys.length > 2 ? [pin, value, fileId] : [value, fileId];
  return sql`(${sql.join(keys)}) ${isNewest ? sql`<` : sql`>`} (${sql.join(ends)})`;
}

async function countSessions(db: Reader, meets: Sql<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM session CROSS JOIN file ON file.id = session.file_id WHERE ${meets}`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}
