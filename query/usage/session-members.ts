import { ownerOrderTerms } from "../../src/store/sqlite/owner-order.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../../src/store/sqlite/scope.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { findCallersByFolder } from "../session-info.ts";
import type { ScopedLedger } from "./scoped-ledger.ts";

/** A session, and the session that started it. */
export interface SessionMember {
  id: number;
  path: string;
  cwd: string;
  subagent: boolean;
  /** The main session that it works for; its own id for a main session, or if the caller is unknown. */
  mainSession: number;
  /** The session that started it; its own id if unknown. */
  caller: number;
  /** The name of the subagent; null for a main session, or if no name was recorded. */
  agent: string | null;
  /** The tool that started the subagent; null as `agent`. */
  tool: string | null;
}

/**
 * The sessions of a scope by row id, with their callers. A subagent's usage belongs to the session that started it, wherever
 * it is recorded.
 */
export async function readSessionMembers(
  db: Reader,
  { scope, isComplete }: Pick<ScopedLedger, "scope" | "isComplete">,
): Promise<Map<number, SessionMember>> {
  const isIncluded = isComplete ? sql`TRUE` : inScope(scope);
  const { rows } = await sql<{ id: number; path: string; cwd: string; subagent: number }>`
    SELECT file.id, file.path, session.cwd, file.subagent
    FROM session JOIN file ON file.id = session.file_id WHERE ${isIncluded}`.execute(db);
  const members = new Map<number, SessionMember>();
  for (const { id, path, cwd, subagent } of rows) {
    members.set(id, {
      id,
      path,
      cwd,
      subagent: subagent === 1,
      mainSession: id,
      caller: id,
      agent: null,
      tool: null,
    });
  }
  await findCallers(db, members);
  for (const member of members.values()) {
    if (member.caller !== member.id) member.mainSession = findMainSession(member.id, members);
  }
  return members;
}

async function findCallers(db: Reader, members: ReadonlyMap<number, SessionMember>): Promise<void> {
  // If several sessions record a run, such as forks, the one that was created first started it.
  const { rows } = await sql<{ id: number; caller: number; agent: string | null; tool: string | null }>`
    SELECT file.id, report.file_id AS caller, subagent_run.agent, report.tool
    FROM run_file CROSS JOIN file ON file.path = run_file.path
      CROSS JOIN subagent_run ON subagent_run.entry = run_file.entry AND subagent_run.ordinal = run_file.ordinal
      CROSS JOIN entry AS report ON report.id = run_file.entry
      CROSS JOIN session ON session.file_id = report.file_id CROSS JOIN file AS calling ON calling.id = report.file_id
    WHERE report.file_id <> file.id
    ORDER BY ${sql.raw(ownerOrderTerms("session", "calling"))}, report.line, run_file.ordinal`.execute(db);
  for (const { id, caller, agent, tool } of rows) {
    const member = members.get(id);
    if (!member || member.caller !== id || !members.has(caller)) continue;
    Object.assign(member, { caller, agent, tool, subagent: true }); // wherever its file is
  }
  const orphans = [...members.values()].filter(({ id, subagent, caller }) => subagent && caller === id);
  if (orphans.length === 0) return;
  const byPath = new Map([...members.values()].map(({ path, id }) => [path, id]));
  const byFolder = await findCallersByFolder(new SqliteStore(db, { roots: [] }), orphans);
  for (const orphan of orphans) orphan.caller = byPath.get(byFolder.get(orphan.path) ?? "") ?? orphan.id;
}

/** Row ids of subagents' files: those in subagents' folders, and those that another session records as a subagent run. */
export async function listSubagentFiles(db: Reader, scope: Scope): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT file.id FROM file INDEXED BY file_subagent WHERE file.subagent = 1 AND ${inScope(scope)}
    UNION SELECT file.id FROM run_file CROSS JOIN file ON file.path = run_file.path
      CROSS JOIN entry ON entry.id = run_file.entry
    WHERE entry.file_id <> file.id AND ${inScope(scope)}
      AND entry.file_id IN (SELECT file.id FROM file WHERE ${inScope(scope)})`.execute(db);
  return rows.map(({ id }) => id);
}

/** The session at the end of the chain of callers; `id` itself if the chain is a cycle. */
function findMainSession(id: number, members: ReadonlyMap<number, SessionMember>): number {
  const seen = new Set<number>();
  let at = id;
  while (!seen.has(at)) {
    seen.add(at);
    const caller = members.get(at)?.caller ?? at;
    if (caller === at) return at;
    at = caller;
  }
  return id;
}

/** The label of a subagent without a recorded name. */
export const UNNAMED_AGENT = "subagent";

/** The sessions with these row ids, and all sessions that they started, directly or indirectly. */
export function withSubagents(
  members: ReadonlyMap<number, SessionMember>,
  ids: ReadonlySet<number>,
): SessionMember[] {
  const started = Map.groupBy(members.values(), ({ caller }) => caller);
  const found = new Set<SessionMember>();
  for (let next = [...ids].flatMap((id) => members.get(id) ?? []); next.length > 0; ) {
    for (const member of next) found.add(member);
    next = next.flatMap(({ id }) => started.get(id) ?? []).filter((member) => !found.has(member));
  }
  return [...found];
}
