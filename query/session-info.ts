import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { once } from "../src/once.ts";
import { agentOf } from "../src/session/agents.ts";
import { ownerOrder } from "../src/store/sqlite/owner-order.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import type { FileTable, SessionTable } from "../src/store/sqlite/schema.ts";
import { type Sql, sql } from "../src/store/sqlite/sql.ts";
import type { SessionInfo } from "./answers.ts";
import { unreadable } from "./unreadable.ts";

/** The first message of a session without any. */
export const NO_MESSAGES = "(no messages)";

/** What SQL gives of a session, before it becomes a `SessionInfo`. */
export interface SessionRow
  extends Omit<SessionTable, "last_message">,
    Pick<FileTable, "path" | "size" | "subagent"> {
  label_count: number;
  /** As JSON; null where no session has any. */
  tags: string | null;
  problem_count: number;
  started_by: string | null;
}

/** The columns of a `SessionRow`, for a query from `file` joined with `session`. */
export const sessionColumns: Sql<SessionRow> = sql`
  file.id AS file_id, file.path, file.size, file.subagent,
  session.id, session.cwd, session.name, session.parent_session, session.internal, session.created,
  session.modified, session.first_message, session.provider, session.model, session.entry_count,
  session.message_count, session.user_count, session.assistant_count, session.pinned, session.archived,
  (SELECT count(*) FROM label WHERE label.file_id = file.id) AS label_count,
  CASE WHEN EXISTS (SELECT 1 FROM tag) THEN (
    SELECT json_group_array(given.tag) FROM (SELECT tag.tag FROM tag
    WHERE tag.file_id = file.id ORDER BY tag.ordinal) AS given
  ) END AS tags,
  (SELECT count(*) FROM problem WHERE problem.file_id = file.id) AS problem_count,
  CASE WHEN file.subagent = 1 THEN (
    SELECT starter.path FROM run_file
      JOIN entry ON entry.id = run_file.entry JOIN file AS starter ON starter.id = entry.file_id
      JOIN session AS begun ON begun.file_id = starter.id
     WHERE run_file.path = file.path AND starter.id <> file.id
     ORDER BY ${sql.raw(ownerOrder("begun", "starter"))} LIMIT 1
  ) END AS started_by`;

/**
 * Rows as answers. A subagent's session says which session started it: the one whose tool result names the
 * file, else the one in whose folder it lies, else the one that its header names. That is found here and not when files are indexed, so that it
 * does not matter in which order they come and go.
 */
export async function sessionInfos(db: Reader, rows: readonly SessionRow[]): Promise<SessionInfo[]> {
  const orphans = rows.filter((row) => row.subagent === 1 && row.started_by === null);
  const starters = orphans.length > 0 ? await startersByFolder(db, orphans) : undefined;
  const parents = orphans.length > 0 ? await startersByHeader(db, orphans) : undefined;
  return rows.map((row) =>
    sessionInfo(row, row.started_by ?? starters?.get(row.path) ?? parents?.get(row.path)),
  );
}

/** The sessions that headers of subagents' sessions name as their parents, where they are here. */
async function startersByHeader(
  db: Reader,
  rows: readonly Pick<SessionRow, "path" | "parent_session">[],
): Promise<Map<string, string>> {
  const named = rows.flatMap(({ path, parent_session }) =>
    parent_session && parent_session !== path ? [{ path, parent: parent_session }] : [],
  );
  if (named.length === 0) return new Map();
  const { rows: found } = await sql<{ path: string }>`
    SELECT path FROM file WHERE path IN (SELECT value FROM json_each(${JSON.stringify(named.map(({ parent }) => parent))}))`.execute(
    db,
  );
  const here = new Set(found.map(({ path }) => path));
  return new Map(named.flatMap(({ path, parent }) => (here.has(parent) ? [[path, parent] as const] : [])));
}

/** Sessions by the row of their file. */
export async function sessionsById(
  db: Reader,
  fileIds: readonly number[],
): Promise<Map<number, SessionInfo>> {
  if (fileIds.length === 0) return new Map();
  const { rows } = await sql<SessionRow>`
    SELECT ${sessionColumns} FROM session JOIN file ON file.id = session.file_id
    WHERE file.id IN (SELECT value FROM json_each(${JSON.stringify(fileIds)}))`.execute(db);
  const infos = await sessionInfos(db, rows);
  return new Map(rows.map((row, n) => [row.file_id, infos[n] as SessionInfo]));
}

/** For `<project>/<session>/<run>/x.jsonl`: the session `<project>/<session>.jsonl`, or the one of that id. */
export async function startersByFolder(
  db: Reader,
  rows: readonly Pick<SessionRow, "path">[],
): Promise<Map<string, string>> {
  const folders = rows.flatMap(({ path }) => {
    const folder = dirname(path);
    return [folder, dirname(folder)].map((above) => ({ path, above }));
  });
  // One parameter each, however many they are: SQLite takes no more than 32,766.
  const paths = JSON.stringify([...new Set(folders.map(({ above }) => `${above}.jsonl`))]);
  const ids = JSON.stringify([...new Set(folders.map(({ above }) => basename(above)))]);
  const { rows: found } = await sql<{ path: string; id: string }>`
    SELECT file.path, session.id FROM session JOIN file ON file.id = session.file_id
    WHERE file.subagent = 0 AND (file.path IN (SELECT value FROM json_each(${paths}))
      OR session.id IN (SELECT value FROM json_each(${ids})))
    ORDER BY file.path DESC`.execute(db);
  // Of several with one id the first path stays: what is set last wins.
  const byFolder = new Map(found.map(({ path, id }) => [join(dirname(path), id), path]));
  const byPath = new Set(found.map(({ path }) => path));
  const starters = new Map<string, string>();
  for (const { path, above } of folders) {
    const starter = byPath.has(`${above}.jsonl`) ? `${above}.jsonl` : byFolder.get(above);
    if (starter && !starters.has(path)) starters.set(path, starter);
  }
  return starters;
}

/** A row as an answer. */
export function sessionInfo(row: SessionRow, startedBy: string | undefined): SessionInfo {
  const info = {
    path: row.path,
    id: row.id,
    cwd: row.cwd,
    agent: agentOf(row.path),
    name: row.name ?? undefined,
    parentSessionPath: row.parent_session ?? undefined,
    created: new Date(row.created ?? Number.NaN),
    modified: new Date(row.modified),
    messageCount: row.message_count,
    firstMessage: row.first_message ?? NO_MESSAGES,
    entryCount: row.entry_count,
    userMessageCount: row.user_count,
    assistantMessageCount: row.assistant_count,
    provider: row.provider ?? undefined,
    model: row.model ?? undefined,
    size: row.size,
    labelCount: row.label_count,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    tags: row.tags === null || row.tags === "[]" ? [] : (JSON.parse(row.tags) as string[]), // what SQLite has just made
    problemCount: row.problem_count,
    subagent: row.subagent === 1,
    internal: row.internal === 1,
    startedBy,
  };
  return withLazyText(info);
}

/** Adds `allMessagesText`, which is read when it is first used. A session that came from another thread lacks it. */
export function withLazyText(info: Omit<SessionInfo, "allMessagesText">): SessionInfo {
  return Object.defineProperty(info, "allMessagesText", LAZY_TEXT) as SessionInfo;
}

/** One for all: objects with a getter of their own each would be of as many shapes. */
const LAZY_TEXT = {
  get(this: SessionInfo): string {
    return allMessagesText(this.path);
  },
  enumerable: false,
};

/** What reads sessions is loaded by who asks for their text. A getter cannot wait, so it is a file of its own when built. */
const reader = once((): typeof import("./session-text.ts") => {
  const file = import.meta.url.endsWith(".ts") ? "./session-text.ts" : "../session-text.js";
  return createRequire(import.meta.url)(file);
});

/** @throws PidexError `FILE_UNREADABLE` */
function allMessagesText(path: string): string {
  try {
    return reader().sessionText(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}
