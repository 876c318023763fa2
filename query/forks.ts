import { basename } from "node:path";
import { getOrInsert } from "../src/get-or-insert.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { SessionInfo } from "./answers.ts";
import type { ResolvedSession } from "./resolve-session.ts";
import { readSessions } from "./session-info.ts";

/** A session that shares entries with another one, and the last shared entry. */
export interface ForkLocation {
  session: SessionInfo;
  /** Line of that entry in the session of the request. */
  line: number;
  /** Line of that entry in `session`. */
  lineThere: number;
}

/** Where a session was forked from its parent, and where its forks begin. */
export interface ForkLocations {
  /** The parent, if it is indexed and still shares an entry. */
  parent?: ForkLocation;
  /** Direct forks, newest first. Subagents' sessions are not included. */
  forks: ForkLocation[];
}

/** Returns where a session was forked from its parent, and where its `limit` newest forks begin. */
export async function findForkLocations(
  db: Reader,
  scope: Scope,
  { fileId }: ResolvedSession,
  limit: number,
): Promise<ForkLocations> {
  const { parents, children } = await readForkFamilies(db, scope);
  const forks = (children.get(fileId) ?? [])
    .filter(({ id, subagent }) => id !== fileId && subagent === 0)
    .reverse()
    .slice(0, limit);
  const parent = parents.get(fileId);
  const ids = forks.map(({ id }) => id);
  const sessions = await readSessions(
    new SqliteStore(db, scope),
    parent === undefined ? ids : [...ids, parent],
  );
  const points: ForkLocation[] = [];
  for (const id of ids) {
    const last = await lastInCommon(db, id, fileId);
    const session = sessions.get(id);
    if (last && session) points.push({ session, line: last.there, lineThere: last.here });
  }
  const above = parent === undefined ? undefined : await lastInCommon(db, fileId, parent);
  const from = parent === undefined ? undefined : sessions.get(parent);
  return {
    ...(above && from && { parent: { session: from, line: above.here, lineThere: above.there } }),
    forks: points,
  };
}

/**
 * Finds the last entry that a fork shares with its source, by line. Names, labels and custom entries are skipped: they follow the
 * entries that they describe. Searches from the end, because a fork begins with what it copied.
 */
async function lastInCommon(
  db: Reader,
  fork: number,
  source: number,
): Promise<{ here: number; there: number } | undefined> {
  const { rows } = await sql<{ here: number; there: number | null }>`
    SELECT copy.line AS here, (
      SELECT max(entry.line) FROM entry
       WHERE entry.entry_id = copy.entry_id AND entry.file_id = ${source}
         AND entry.timestamp IS copy.timestamp AND entry.type = copy.type AND entry.text_hash IS copy.text_hash
    ) AS there
    FROM entry AS copy
    WHERE copy.file_id = ${fork} AND copy.entry_id IS NOT NULL
      AND copy.type NOT IN ('label', 'session_info', 'custom') AND there IS NOT NULL
    ORDER BY copy.id DESC LIMIT 1`.execute(db);
  const [row] = rows;
  return row && row.there !== null ? { here: row.here, there: row.there } : undefined;
}

/** A session's row with the parent named in its header. */
interface Fork {
  id: number;
  path: string;
  parent: string | null;
  subagent: number;
}

/** Parents and forks by file id; forks in order of creation. */
export async function readForkFamilies(
  db: Reader,
  scope: Scope,
): Promise<{ parents: Map<number, number>; children: Map<number, Fork[]> }> {
  const { rows } = await sql<Fork>`
    SELECT file.id, file.path, file.subagent, session.parent_session AS parent
    FROM session JOIN file ON file.id = session.file_id
    WHERE ${inScope(scope)} ORDER BY session.created IS NULL, session.created, file.path`.execute(db);
  const byPath = new Map(rows.map(({ path, id }) => [path, id]));
  const byName = Map.groupBy(rows, ({ path }) => basename(path));
  const parents = new Map<number, number>();
  const children = new Map<number, Fork[]>();
  for (const row of rows) {
    if (row.parent === null) continue;
    // Recorded paths are outdated after sessions were moved, but file names contain ids.
    const named = byName.get(basename(row.parent.replaceAll("\\", "/"))) ?? [];
    const parent = byPath.get(row.parent) ?? (named.length === 1 ? named[0]?.id : undefined);
    if (parent === undefined || parent === row.id) continue;
    parents.set(row.id, parent);
    getOrInsert(children, parent, () => []).push(row);
  }
  return { parents, children };
}
