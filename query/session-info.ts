import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { memoize } from "../src/memoize.ts";
import { detectAgent } from "../src/session/agents.ts";
import { ownerOrderTerms } from "../src/store/sqlite/owner-order.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import type { FileTable, SessionTable } from "../src/store/sqlite/schema.ts";
import { type Sql, sql } from "../src/store/sqlite/sql.ts";
import type { SessionInfo } from "./answers.ts";
import { toUnreadableError } from "./unreadable-error.ts";

/** Shown as the first message of a session without messages. */
export const NO_MESSAGES_TEXT = "(no messages)";

/** A session as SQL returns it, before it becomes a `SessionInfo`. */
export interface SessionRow
  extends Omit<SessionTable, "last_message">,
    Pick<FileTable, "path" | "size" | "subagent"> {
  label_count: number;
  /** JSON array; null if no session has tags. */
  tags: string | null;
  problem_count: number;
  started_by: string | null;
}

/** The columns of a `SessionRow`, for a query on `file` joined with `session`. */
export const sessionColumns: Sql<SessionRow> = sql`
  file.id AS file_id, file.path, file.size, file.subagent,
  session.id, session.cwd, session.name, session.parent_session, session.internal, session.created,
  session.modified, session.first_message, session.provider, session.model, session.entry_count,
  session.message_count, session.user_count, session.assistant_count, session.pinned, session.archived,
  (SELECT count(*) FROM label WHERE label.file_id = file.id) AS label_count,
  CASE WHEN EXISTS (SELECT 1 FROM tag) THEN (
    SELECT json_group_array(ordered.tag) FROM (SELECT tag.tag FROM tag
    WHERE tag.file_id = file.id ORDER BY tag.ordinal) AS ordered
  ) END AS tags,
  (SELECT count(*) FROM problem WHERE problem.file_id = file.id) AS problem_count,
  CASE WHEN file.subagent = 1 THEN (
    SELECT caller.path FROM run_file
      JOIN entry ON entry.id = run_file.entry JOIN file AS caller ON caller.id = entry.file_id
      JOIN session AS caller_session ON caller_session.file_id = caller.id
     WHERE run_file.path = file.path AND caller.id <> file.id
     ORDER BY ${sql.raw(ownerOrderTerms("caller_session", "caller"))} LIMIT 1
  ) END AS started_by`;

/**
 * Converts rows to `SessionInfo`. `startedBy` of a subagent's session is the session with the tool result that names its
 * file, else the one with the folder that contains it, else the parent in its header. It is resolved here, not when files are
 * indexed, so that indexing order does not matter.
 */
export async function toSessionInfos(db: Reader, rows: readonly SessionRow[]): Promise<SessionInfo[]> {
  const unresolved = rows.filter((row) => row.subagent === 1 && row.started_by === null);
  const callers = unresolved.length > 0 ? await findCallersByFolder(db, unresolved) : undefined;
  const parents = unresolved.length > 0 ? await callersByHeader(db, unresolved) : undefined;
  return rows.map((row) =>
    toSessionInfo(row, row.started_by ?? callers?.get(row.path) ?? parents?.get(row.path)),
  );
}

/** The parent sessions that subagents' headers name, by subagent's path, if they are indexed. */
async function callersByHeader(
  db: Reader,
  rows: readonly Pick<SessionRow, "path" | "parent_session">[],
): Promise<Map<string, string>> {
  const named = rows.flatMap(({ path, parent_session }) =>
    parent_session && parent_session !== path ? [{ path, parent: parent_session }] : [],
  );
  if (named.length === 0) return new Map();
  const { rows: found } = await sql<{ path: string }>`
    SELECT path FROM file WHERE path IN ${sql.list(named.map(({ parent }) => parent))}`.execute(db);
  const indexed = new Set(found.map(({ path }) => path));
  return new Map(named.flatMap(({ path, parent }) => (indexed.has(parent) ? [[path, parent] as const] : [])));
}

/** Sessions by file id. */
export async function readSessionsByFileId(
  db: Reader,
  fileIds: readonly number[],
): Promise<Map<number, SessionInfo>> {
  if (fileIds.length === 0) return new Map();
  const { rows } = await sql<SessionRow>`
    SELECT ${sessionColumns} FROM session JOIN file ON file.id = session.file_id
    WHERE file.id IN ${sql.list(fileIds)}`.execute(db);
  const infos = await toSessionInfos(db, rows);
  return new Map(rows.map((row, n) => [row.file_id, infos[n] as SessionInfo]));
}

/** The caller of `<project>/<session>/<run>/x.jsonl`: the session `<project>/<session>.jsonl`, or the one with that id. */
export async function findCallersByFolder(
  db: Reader,
  rows: readonly Pick<SessionRow, "path">[],
): Promise<Map<string, string>> {
  const folders = rows.flatMap(({ path }) => {
    const folder = dirname(path);
    return [folder, dirname(folder)].map((above) => ({ path, above }));
  });
  const paths = sql.list(new Set(folders.map(({ above }) => `${above}.jsonl`)));
  const ids = sql.list(new Set(folders.map(({ above }) => basename(above))));
  const { rows: found } = await sql<{ path: string; id: string }>`
    SELECT file.path, session.id FROM session JOIN file ON file.id = session.file_id
    WHERE file.subagent = 0 AND (file.path IN ${paths} OR session.id IN ${ids})
    ORDER BY file.path DESC`.execute(db);
  // Of several sessions with the same id the first path is kept: the last entry set wins.
  const byFolder = new Map(found.map(({ path, id }) => [join(dirname(path), id), path]));
  const byPath = new Set(found.map(({ path }) => path));
  const callers = new Map<string, string>();
  for (const { path, above } of folders) {
    const caller = byPath.has(`${above}.jsonl`) ? `${above}.jsonl` : byFolder.get(above);
    if (caller && !callers.has(path)) callers.set(path, caller);
  }
  return callers;
}

/** Converts one row to a `SessionInfo`. */
export function toSessionInfo(row: SessionRow, startedBy: string | undefined): SessionInfo {
  const info = {
    path: row.path,
    id: row.id,
    cwd: row.cwd,
    agent: detectAgent(row.path),
    name: row.name ?? undefined,
    parentSessionPath: row.parent_session ?? undefined,
    created: new Date(row.created ?? Number.NaN),
    modified: new Date(row.modified),
    messageCount: row.message_count,
    firstMessage: row.first_message ?? NO_MESSAGES_TEXT,
    entryCount: row.entry_count,
    userMessageCount: row.user_count,
    assistantMessageCount: row.assistant_count,
    provider: row.provider ?? undefined,
    model: row.model ?? undefined,
    size: row.size,
    labelCount: row.label_count,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    tags: row.tags === null || row.tags === "[]" ? [] : (JSON.parse(row.tags) as string[]), // generated by SQLite
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

/** Shared by all: with a getter each, V8 would give every object its own hidden class. */
const LAZY_TEXT = {
  get(this: SessionInfo): string {
    return allMessagesText(this.path);
  },
  enumerable: false,
};

/** Loaded on first use. A getter cannot await, so it is a CommonJS `require` of a separate output file. */
const reader = memoize((): typeof import("./session-text.ts") => {
  const file = import.meta.url.endsWith(".ts") ? "./session-text.ts" : "../session-text.js";
  return createRequire(import.meta.url)(file);
});

/** @throws PidexError `FILE_UNREADABLE` */
function allMessagesText(path: string): string {
  try {
    return reader().readSessionText(path);
  } catch (error) {
    throw toUnreadableError(path, error);
  }
}
