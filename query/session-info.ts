import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { memoize } from "../src/memoize.ts";
import { detectAgent } from "../src/session/agents.ts";
import type { SessionRow } from "../src/store/session-reads.ts";
import type { Store } from "../src/store/store.ts";
import { toUnreadableError } from "../src/unreadable-error.ts";
import type { SessionInfo } from "./answers.ts";

/** Shown as the first message of a session without messages. */
export const NO_MESSAGES_TEXT = "(no messages)";

/**
 * Converts rows to `SessionInfo`. `startedBy` of a subagent's session is the session with the tool result that names its
 * file, else the one with the folder that contains it, else the parent in its header. It is resolved here, not when files are
 * indexed, so that indexing order does not matter.
 */
export async function toSessionInfos(store: Store, rows: readonly SessionRow[]): Promise<SessionInfo[]> {
  const unresolved = rows.filter((row) => row.subagent === 1 && row.started_by === null);
  const callers = unresolved.length > 0 ? await findCallersByFolder(store, unresolved) : undefined;
  const parents = unresolved.length > 0 ? await callersByHeader(store, unresolved) : undefined;
  const agents = new Map<string, string | undefined>();
  return rows.map((row) => {
    const startedBy = row.started_by ?? callers?.get(row.path) ?? parents?.get(row.path);
    return toSessionInfo(row, startedBy, detectAgentByFolder(agents, row.path));
  });
}

/** Agents are detected once per folder: over 10,000 sessions, once per path takes longer than reading the rows. */
function detectAgentByFolder(agents: Map<string, string | undefined>, path: string): string | undefined {
  const folder = path.slice(0, path.search(/[^/\\]*$/));
  if (!agents.has(folder)) agents.set(folder, detectAgent(path));
  return agents.get(folder);
}

/** The parent sessions that subagents' headers name, by subagent's path, if they are indexed. */
async function callersByHeader(
  store: Store,
  rows: readonly Pick<SessionRow, "path" | "parent_session">[],
): Promise<Map<string, string>> {
  const named = rows.flatMap(({ path, parent_session }) =>
    parent_session && parent_session !== path ? [{ path, parent: parent_session }] : [],
  );
  if (named.length === 0) return new Map();
  const found = await store.sessions.filterIndexed(named.map(({ parent }) => parent));
  const indexed = new Set(found);
  return new Map(named.flatMap(({ path, parent }) => (indexed.has(parent) ? [[path, parent] as const] : [])));
}

/** Sessions by the store's id of their file. */
export async function readSessions(
  store: Store,
  files: readonly number[],
): Promise<Map<number, SessionInfo>> {
  const rows = await store.sessions.get(files);
  const infos = await toSessionInfos(store, rows);
  return new Map(rows.map((row, n) => [row.file_id, infos[n] as SessionInfo]));
}

/** The caller of `<project>/<session>/<run>/x.jsonl`: the session `<project>/<session>.jsonl`, or the one with that id. */
export async function findCallersByFolder(
  store: Store,
  rows: readonly Pick<SessionRow, "path">[],
): Promise<Map<string, string>> {
  const folders = rows.flatMap(({ path }) => {
    const folder = dirname(path);
    return [folder, dirname(folder)].map((above) => ({ path, above }));
  });
  const found = await store.sessions.findMainPaths(
    new Set(folders.map(({ above }) => `${above}.jsonl`)),
    new Set(folders.map(({ above }) => basename(above))),
  );
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
export function toSessionInfo(
  row: Omit<SessionRow, "version">,
  startedBy: string | undefined,
  agent = detectAgent(row.path),
): SessionInfo {
  const info = {
    path: row.path,
    id: row.id,
    cwd: row.cwd,
    agent,
    name: row.name ?? undefined,
    parentSessionPath: row.parent_session ?? undefined,
    created: new Date(row.created ?? Number.NaN),
    modified: new Date(row.modified),
    messageCount: row.message_count,
    firstMessage: row.first_message ?? NO_MESSAGES_TEXT,
    titleMessage: row.title_message ?? undefined,
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
  // Only sessions of a hub have these, so that lists of local ones don't get larger.
  if (row.machine !== undefined) Object.assign(info, { machine: row.machine, person: row.person });
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
