import { basename } from "node:path";
import { getOrInsert } from "../src/get-or-insert.ts";
import type { OriginRow } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
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
  store: Store,
  { fileId }: ResolvedSession,
  limit: number,
): Promise<ForkLocations> {
  const entries = await store.entries();
  const { parents, children } = await readForkFamilies(store);
  const forks = (children.get(fileId) ?? [])
    .filter(({ file, subagent }) => file !== fileId && subagent === 0)
    .reverse()
    .slice(0, limit);
  const parent = parents.get(fileId);
  const files = forks.map(({ file }) => file);
  const sessions = await readSessions(store, parent === undefined ? files : [...files, parent]);
  const points: ForkLocation[] = [];
  for (const file of files) {
    const last = await entries.findLastShared(file, fileId);
    const session = sessions.get(file);
    if (last && session) points.push({ session, line: last.there, lineThere: last.here });
  }
  const above = parent === undefined ? undefined : await entries.findLastShared(fileId, parent);
  const from = parent === undefined ? undefined : sessions.get(parent);
  return {
    ...(above && from && { parent: { session: from, line: above.here, lineThere: above.there } }),
    forks: points,
  };
}

/** Parents and forks by the store's id of their file; forks in order of creation. */
export async function readForkFamilies(
  store: Store,
): Promise<{ parents: Map<number, number>; children: Map<number, OriginRow[]> }> {
  const rows = await (await store.entries()).listOrigins();
  const byPath = new Map(rows.map(({ path, file }) => [path, file]));
  const byName = Map.groupBy(rows, ({ path }) => basename(path));
  const parents = new Map<number, number>();
  const children = new Map<number, OriginRow[]>();
  for (const row of rows) {
    if (row.parent === null) continue;
    // Recorded paths are outdated after sessions were moved, but file names contain ids.
    const named = byName.get(basename(row.parent.replaceAll("\\", "/"))) ?? [];
    const parent = byPath.get(row.parent) ?? (named.length === 1 ? named[0]?.file : undefined);
    if (parent === undefined || parent === row.file) continue;
    parents.set(row.file, parent);
    getOrInsert(children, parent, () => []).push(row);
  }
  for (const forks of children.values()) forks.sort(byCreation);
  return { parents, children };
}

/** Oldest first; sessions without a date come last. */
function byCreation(a: OriginRow, b: OriginRow): number {
  const createdOrLast = ({ created }: OriginRow) => created ?? Number.MAX_VALUE;
  return createdOrLast(a) - createdOrLast(b) || (a.path < b.path ? -1 : 1);
}
