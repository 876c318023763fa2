import { getOrInsert } from "../src/get-or-insert.ts";
import type { SessionCondition } from "../src/store/conditions.ts";
import type { ForkRow, SessionRow } from "../src/store/session-reads.ts";
import type { Store } from "../src/store/store.ts";
import type { SessionInfo } from "./answers.ts";
import { parseListOptions, type SessionList, toSessionPage } from "./list.ts";
import type { ListOptions } from "./options.ts";
import { parsePlainListOptions } from "./parse-plain-options.ts";
import { addCosts } from "./session-costs.ts";
import { toSessionInfos } from "./session-info.ts";

/**
 * Lists the newest sessions and all listed sessions of their threads, in the order of `listSessions`. A thread is a session with its forks
 * and theirs.
 *
 * @param options.limit number of sessions before those that complete their threads
 * @throws PidexError `BAD_OPTION`
 */
export async function listThreads(
  store: Store,
  options: ListOptions & { limit: number },
): Promise<SessionList> {
  const params = parsePlainListOptions(options) ?? (await parseListOptions(options));
  const page = { ...(await toSessionPage(store, params)), sort: "modified" as const };
  const newest: SessionRow[] = await store.sessions.list(page);
  let rows = newest;
  if (newest.length > options.limit) {
    const more = await findRelatives(store, newest, page.condition);
    rows = sortAsListed([...newest, ...more]);
  }
  const total = newest.length > options.limit ? await store.sessions.count(page.condition) : rows.length;
  const sessions = await toSessionInfos(store, rows);
  if (params.costs)
    await addCosts(store, new Map(rows.map(({ file_id }, n) => [file_id, sessions[n] as SessionInfo])));
  return { sessions, total };
}

/** The other listed sessions of the threads that sessions belong to. */
async function findRelatives(
  store: Store,
  sessions: readonly SessionRow[],
  condition: SessionCondition,
): Promise<SessionRow[]> {
  const forks = await store.sessions.listForks(condition);
  const { files, roots } = findMissing(sessions, forks);
  if (files.length + roots.length === 0) return [];
  const isRelative: SessionCondition = {
    kind: "any",
    of: [{ kind: "file", files }, ...roots.map((path): SessionCondition => ({ kind: "path", path }))],
  };
  const found = files.length + roots.length;
  return store.sessions.find({ kind: "all", of: [condition, isRelative] }, found);
}

/** Files of forks, and paths of sessions that may be roots of a thread, which are not among these sessions but related to one. */
function findMissing(sessions: readonly SessionRow[], forks: readonly ForkRow[]) {
  const byPath = new Map(forks.map((fork) => [fork.path, fork]));
  const children = new Map<string, string[]>();
  for (const { path, parent } of forks) getOrInsert(children, parent, () => []).push(path);
  const seen = new Set(sessions.map(({ path }) => path));
  const known = new Set(seen);
  const waiting = [...seen];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const parent = byPath.get(path)?.parent;
    for (const related of [...(parent === undefined ? [] : [parent]), ...(children.get(path) ?? [])]) {
      if (seen.has(related)) continue;
      seen.add(related);
      waiting.push(related);
    }
  }
  const missing = [...seen].filter((path) => !known.has(path));
  return {
    files: missing.flatMap((path) => byPath.get(path)?.file ?? []),
    roots: missing.filter((path) => !byPath.has(path)),
  };
}

/** Pinned sessions first, then the newest, as in lists. */
function sortAsListed(rows: readonly SessionRow[]): SessionRow[] {
  return rows.toSorted((a, b) => b.pinned - a.pinned || b.modified - a.modified || b.file_id - a.file_id);
}
