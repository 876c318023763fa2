import { ownerOrder } from "../../src/store/sqlite/owner-order.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { inScope, type Scope } from "../scope.ts";
import { startersByFolder } from "../session-info.ts";

/** A session, and who started it. */
export interface Member {
  id: number;
  path: string;
  cwd: string;
  subagent: boolean;
  /** The session of a person that it works for: itself, unless it is a subagent's whose starter is known. */
  root: number;
  /** The session that started it; its own id when nobody is known to have. */
  starter: number;
  /** The name of the subagent; null for a person's session, or where no name is told. */
  agent: string | null;
  /** The tool by which the subagent was started; null as `agent` is. */
  tool: string | null;
}

interface MemberRow {
  id: number;
  path: string;
  cwd: string;
  subagent: number;
  starter: number | null;
  agent: string | null;
  tool: string | null;
}

/**
 * The sessions of a scope with who they work for. What a subagent spent belongs to the session that started it,
 * whichever place tells of it.
 */
export async function families(db: Reader, scope: Scope): Promise<Map<number, Member>> {
  const { rows } = await sql<MemberRow>`
    SELECT file.id, file.path, session.cwd, file.subagent, NULL AS starter, NULL AS agent, NULL AS tool
    FROM session JOIN file ON file.id = session.file_id WHERE ${inScope(scope)}`.execute(db);
  const members = new Map(rows.map((row): [number, MemberRow] => [row.id, row]));
  await findStarters(db, members);
  return new Map(
    rows.map((row): [number, Member] => {
      const { id, subagent, starter } = row;
      return [id, { ...row, subagent: subagent === 1, root: rootOf(id, members), starter: starter ?? id }];
    }),
  );
}

async function findStarters(db: Reader, members: ReadonlyMap<number, MemberRow>): Promise<void> {
  // Of the sessions that tell of a run, forks among them, the one that was begun first had it.
  const { rows } = await sql<{ id: number; starter: number; agent: string | null; tool: string | null }>`
    SELECT file.id, teller.file_id AS starter, subagent_run.agent, teller.tool
    FROM run_file CROSS JOIN file ON file.path = run_file.path
      CROSS JOIN subagent_run ON subagent_run.entry = run_file.entry AND subagent_run.ordinal = run_file.ordinal
      CROSS JOIN entry AS teller ON teller.id = run_file.entry
      CROSS JOIN session ON session.file_id = teller.file_id CROSS JOIN file AS home ON home.id = teller.file_id
    WHERE teller.file_id <> file.id
    ORDER BY ${sql.raw(ownerOrder("session", "home"))}, teller.line, run_file.ordinal`.execute(db);
  for (const { id, starter, agent, tool } of rows) {
    const member = members.get(id);
    if (!member || member.starter !== null || !members.has(starter)) continue;
    Object.assign(member, { starter, agent, tool, subagent: 1 }); // wherever its session lies
  }
  const orphans = [...members.values()].filter(({ subagent, starter }) => subagent === 1 && starter === null);
  if (orphans.length === 0) return;
  const byPath = new Map([...members.values()].map(({ path, id }) => [path, id]));
  const byFolder = await startersByFolder(db, orphans);
  for (const orphan of orphans) orphan.starter = byPath.get(byFolder.get(orphan.path) ?? "") ?? null;
}

/** The sessions of subagents: those that lie where subagents' do, and those that another session tells to be a run's. */
export async function subagentFiles(db: Reader, scope: Scope): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT file.id FROM file INDEXED BY file_subagent WHERE file.subagent = 1 AND ${inScope(scope)}
    UNION SELECT file.id FROM run_file CROSS JOIN file ON file.path = run_file.path
      CROSS JOIN entry ON entry.id = run_file.entry CROSS JOIN file AS home ON home.id = entry.file_id
    WHERE entry.file_id <> file.id AND ${inScope(scope)}
      AND entry.file_id IN (SELECT file.id FROM file WHERE ${inScope(scope)})`.execute(db);
  return rows.map(({ id }) => id);
}

/** The session at the end of the chain of starters; in a circle, the one that was asked for. */
function rootOf(id: number, members: ReadonlyMap<number, MemberRow>): number {
  const seen = new Set<number>();
  let at = id;
  while (!seen.has(at)) {
    seen.add(at);
    const starter = members.get(at)?.starter;
    if (starter == null) return at;
    at = starter;
  }
  return id;
}

/** A subagent whose name nothing tells. */
export const UNNAMED_AGENT = "subagent";

/** The sessions that are among these, or were started by one of them, or by one that was. */
export function withSubagents(members: ReadonlyMap<number, Member>, ids: ReadonlySet<number>): Member[] {
  const started = Map.groupBy(members.values(), ({ starter }) => starter);
  const found = new Set<Member>();
  for (let next = [...ids].flatMap((id) => members.get(id) ?? []); next.length > 0; ) {
    for (const member of next) found.add(member);
    next = next.flatMap(({ id }) => started.get(id) ?? []).filter((member) => !found.has(member));
  }
  return [...found];
}
