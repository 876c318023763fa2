import { basename } from "node:path";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import type { SessionInfo } from "./answers.ts";
import type { FoundSession } from "./find.ts";
import { inScope, type Scope } from "./scope.ts";
import { sessionsById } from "./session-info.ts";

/** A session that has entries in common with another one, and the last of those. */
export interface ForkPlace {
  session: SessionInfo;
  /** The line of that entry in the session that was asked about. */
  line: number;
  /** Its line in this one. */
  lineThere: number;
}

/** Where a session came off another one, and where others came off it. */
export interface ForkPlaces {
  /** The session it was forked from, where the index knows it and both still hold an entry. */
  parent?: ForkPlace;
  /** Forks of this very session, the newest first: not the forks of those, nor sessions of subagents. */
  forks: ForkPlace[];
}

/** Where a session came off the one it was forked from, and where its newest forks, `most` at the most, came off it. */
export async function forkPlaces(
  db: Reader,
  scope: Scope,
  { fileId }: FoundSession,
  most: number,
): Promise<ForkPlaces> {
  const { parents, children } = await forkFamilies(db, scope);
  const forks = (children.get(fileId) ?? [])
    .filter(({ id, subagent }) => id !== fileId && subagent === 0)
    .reverse()
    .slice(0, most);
  const parent = parents.get(fileId);
  const ids = forks.map(({ id }) => id);
  const sessions = await sessionsById(db, parent === undefined ? ids : [...ids, parent]);
  const places: ForkPlace[] = [];
  for (const id of ids) {
    const last = await lastInCommon(db, id, fileId);
    const session = sessions.get(id);
    if (last && session) places.push({ session, line: last.there, lineThere: last.here });
  }
  const above = parent === undefined ? undefined : await lastInCommon(db, fileId, parent);
  const from = parent === undefined ? undefined : sessions.get(parent);
  return {
    ...(above && from && { parent: { session: from, line: above.here, lineThere: above.there } }),
    forks: places,
  };
}

/**
 * The last entry of a fork that its source holds too, by their lines. Names, labels and pins are passed over: they stand
 * after what they are about, and nobody forks there. Looked for from the end: what a fork copies comes first.
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

/** A session that says which one it was forked from. */
interface Fork {
  id: number;
  path: string;
  parent: string | null;
  subagent: number;
}

/** Who was forked from whom, by the rows of their files; forks in order of their begin. */
export async function forkFamilies(
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
    // Where sessions were moved, the paths in them are of before; names of files hold ids.
    const named = byName.get(basename(row.parent.replaceAll("\\", "/"))) ?? [];
    const parent = byPath.get(row.parent) ?? (named.length === 1 ? named[0]?.id : undefined);
    if (parent === undefined || parent === row.id) continue;
    parents.set(row.id, parent);
    const siblings = children.get(parent);
    if (siblings) siblings.push(row);
    else children.set(parent, [row]);
  }
  return { parents, children };
}
