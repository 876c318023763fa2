import { isAbsolute, sep } from "node:path";
import { PidexError } from "../src/errors.ts";
import { expandPath, isSessionFileName } from "../src/session/locations.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { SessionInfo } from "./answers.ts";
import { inScope, inScopeWithoutIndex, prefixUpperBound, type Scope } from "./scope.ts";
import { type SessionRow, sessionColumns, toSessionInfos } from "./session-info.ts";

/** A session with the row id and version needed to read its entries. */
export interface ResolvedSession {
  fileId: number;
  version: number;
  info: SessionInfo;
}

/**
 * Finds one session by the path of its file, by its id, by a unique prefix of its id, or by `@last` (most recently active).
 *
 * @throws PidexError `NOT_FOUND`, or `AMBIGUOUS` with the candidates in its hint
 */
export async function resolveSession(db: Reader, scope: Scope, session: string): Promise<ResolvedSession> {
  if (session === "") throw notFound(session);
  if (session === "@last") {
    const last = await select(db, sql`${inScopeWithoutIndex(scope)} AND file.subagent = 0`, 1);
    return expectOne(last, session);
  }
  if (isPath(session)) {
    return expectOne(
      await select(db, sql`${inScope(scope)} AND file.path = ${expandPath(session)}`, 1),
      session,
    );
  }
  const exact = await select(db, sql`${inScope(scope)} AND session.id = ${session}`, MAX_CANDIDATES);
  if (exact.length > 0) return expectOne(exact, session);
  const startsWith = sql<SqlBool>`session.id >= ${session} AND session.id < ${prefixUpperBound(session)}`;
  return expectOne(await select(db, sql`${inScope(scope)} AND ${startsWith}`, MAX_CANDIDATES), session);
}

/** Distinguishes paths from ids. */
export function isPath(session: string): boolean {
  return isSessionFileName(session) || isAbsolute(session) || session.includes(sep);
}

async function select(db: Reader, condition: Sql<unknown>, limit: number): Promise<ResolvedSession[]> {
  const { rows } = await sql<SessionRow & { version: number }>`
    SELECT ${sessionColumns}, file.version FROM session JOIN file ON file.id = session.file_id
    WHERE ${condition} ORDER BY session.modified DESC, session.file_id DESC LIMIT ${limit}`.execute(db);
  const infos = await toSessionInfos(db, rows);
  return rows.map((row, n) => ({
    fileId: row.file_id,
    version: row.version,
    info: infos[n] as SessionInfo,
  }));
}

/** Number of candidates that an `AMBIGUOUS` error lists. */
const MAX_CANDIDATES = 10;

/** OpenClaw's snapshot of a session, under the same id. */
const CHECKPOINT = /\.checkpoint\.[^.]+\.jsonl$/;

function expectOne(all: ResolvedSession[], session: string): ResolvedSession {
  const found = all.filter(
    (each) =>
      !CHECKPOINT.test(each.info.path) ||
      all.every((other) => other.info.id !== each.info.id || CHECKPOINT.test(other.info.path)),
  );
  const [first, second] = found;
  if (!first) throw notFound(session);
  if (!second) return first;
  const paths = found.map(({ info }) => info.path).join("\n  ");
  throw new PidexError(
    "AMBIGUOUS",
    `"${session}" matches ${all.length < MAX_CANDIDATES ? "" : "at least "}${found.length} sessions`,
    `Use one of these paths:\n  ${paths}`,
  );
}

function notFound(session: string): PidexError {
  const message = session === "@last" ? "there are no sessions" : `no session matches "${session}"`;
  return new PidexError(
    "NOT_FOUND",
    message,
    "Use a path, an id, a unique prefix of an id, or @last. Run pidex list to see ids.",
  );
}
