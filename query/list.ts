import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Schema } from "../src/database/schema.ts";
import type { SessionInfo } from "./answers.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { allOf, sessionCondition, timeCondition } from "./filter.ts";
import { ListOptions, parseOptions, type SortKey } from "./options.ts";
import type { Scope } from "./scope.ts";
import { type SessionRow, sessionColumns, sessionInfos } from "./session-info.ts";

/** A page of sessions. */
export interface SessionList {
  sessions: SessionInfo[];
  /** How many sessions meet the filters, on all pages. */
  total: number;
  /** The `cursor` of the next page, when there is one. */
  next?: string;
}

const SORT_VALUE: Record<SortKey, RawBuilder<number>> = {
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
export async function listSessions(
  db: Kysely<Schema>,
  scope: Scope,
  options: ListOptions,
): Promise<SessionList> {
  const parsed = parseOptions(ListOptions, options);
  const { sort, order, limit, cursor } = parsed;
  const value = SORT_VALUE[sort];
  const meets = allOf([sessionCondition(scope, parsed), timeCondition(SORT_VALUE.modified, parsed)]);
  const key = `${sort} ${order}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, key);
  const beyond = order === "newest" ? sql`<` : sql`>`;
  const direction = order === "newest" ? sql`DESC` : sql`ASC`;
  const page = after ? sql`(${value}, file.id) ${beyond} (${after.value}, ${after.fileId})` : sql`TRUE`;

  const { rows } = await sql<SessionRow & { sort_value: number }>`
    SELECT ${sessionColumns}, ${value} AS sort_value FROM session JOIN file ON file.id = session.file_id
    WHERE ${meets} AND ${page}
    ORDER BY ${value} ${direction}, file.id ${direction}
    LIMIT ${limit === undefined ? -1 : limit + 1}`.execute(db);
  const sessions = limit === undefined ? rows : rows.slice(0, limit);
  const last = sessions.at(-1);
  const list: SessionList = { sessions: await sessionInfos(db, sessions), total: sessions.length };
  if (rows.length > sessions.length && last) {
    list.next = encodeCursor({ order: key, value: last.sort_value, fileId: last.file_id });
  }
  if (list.next || cursor !== undefined) list.total = await countSessions(db, meets);
  return list;
}

async function countSessions(db: Kysely<Schema>, meets: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM session JOIN file ON file.id = session.file_id WHERE ${meets}`.execute(db);
  return rows[0]?.total ?? 0;
}
