import { isAbsolute, sep } from "node:path";
import { PidexError } from "../src/errors.ts";
import { expandPath, isSessionFileName } from "../src/session/locations.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { SessionInfo } from "./answers.ts";
import { endOfPrefix, inScope, inScopeOneByOne, type Scope } from "./scope.ts";
import { type SessionRow, sessionColumns, sessionInfos } from "./session-info.ts";

/** A session as other queries take it: its file's row, and what is needed to read entries back. */
export interface FoundSession {
  fileId: number;
  version: number;
  info: SessionInfo;
}

/**
 * Finds the one session that is meant: by the path of its file, by its id, by a prefix of an id that no other
 * has, or `@last` for the one that was active last.
 *
 * @throws PidexError `NOT_FOUND`, or `AMBIGUOUS` with the candidates in its hint
 */
export async function findSession(db: Reader, scope: Scope, session: string): Promise<FoundSession> {
  if (session === "") throw notFound(session);
  if (session === "@last") {
    const last = await select(db, sql`${inScopeOneByOne(scope)} AND file.subagent = 0`, 1);
    return one(last, session);
  }
  if (isSessionFileName(session) || isAbsolute(session) || session.includes(sep)) {
    return one(await select(db, sql`${inScope(scope)} AND file.path = ${expandPath(session)}`, 1), session);
  }
  const exact = await select(db, sql`${inScope(scope)} AND session.id = ${session}`, 10);
  if (exact.length > 0) return one(exact, session);
  const like = sql<SqlBool>`session.id >= ${session} AND session.id < ${endOfPrefix(session)}`;
  return one(await select(db, sql`${inScope(scope)} AND ${like}`, 10), session);
}

async function select(db: Reader, condition: Sql<unknown>, limit: number): Promise<FoundSession[]> {
  const { rows } = await sql<SessionRow & { version: number }>`
    SELECT ${sessionColumns}, file.version FROM session JOIN file ON file.id = session.file_id
    WHERE ${condition} ORDER BY session.modified DESC, session.file_id DESC LIMIT ${limit}`.execute(db);
  const infos = await sessionInfos(db, rows);
  return rows.map((row, n) => ({
    fileId: row.file_id,
    version: row.version,
    info: infos[n] as SessionInfo,
  }));
}

/** OpenClaw's copy of a session as it was, under the session's own id. */
const CHECKPOINT = /\.checkpoint\.[^.]+\.jsonl$/;

function one(all: FoundSession[], asked: string): FoundSession {
  const found = all.filter(
    (each) =>
      !CHECKPOINT.test(each.info.path) ||
      all.every((other) => other.info.id !== each.info.id || CHECKPOINT.test(other.info.path)),
  );
  const [first, second] = found;
  if (!first) throw notFound(asked);
  if (!second) return first;
  const paths = found.map(({ info }) => info.path).join("\n  ");
  throw new PidexError(
    "AMBIGUOUS",
    `"${asked}" is more than one session`,
    `Give one of these paths:\n  ${paths}`,
  );
}

function notFound(asked: string): PidexError {
  const message = asked === "@last" ? "there is no session yet" : `there is no session "${asked}"`;
  return new PidexError(
    "NOT_FOUND",
    message,
    "Give a path, an id, the start of one, or @last; pidex list shows them.",
  );
}
