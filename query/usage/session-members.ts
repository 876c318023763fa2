import type { Store } from "../../src/store/store.ts";
import { findCallersByFolder } from "../session-info.ts";

/** A session, and the session that started it. */
export interface SessionMember {
  /** Its file. */
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
  /** In a hub, the names of the machine with the file, and of its person. */
  machine: string | null;
  person: string | null;
}

/**
 * All sessions by file, with their callers. A subagent's usage belongs to the session that started it, wherever it is recorded.
 */
export async function readSessionMembers(store: Store): Promise<Map<number, SessionMember>> {
  const usage = await store.usage();
  const members = new Map<number, SessionMember>();
  for (const row of await usage.members()) {
    const { file: id, path, cwd, subagent, caller, agent, tool, machine = null, person = null } = row;
    members.set(id, {
      id,
      path,
      cwd,
      subagent: subagent === 1,
      mainSession: id,
      caller: caller ?? id,
      agent,
      tool,
      machine,
      person,
    });
  }
  await findUnrecordedCallers(store, members);
  for (const member of members.values()) {
    if (member.caller !== member.id) member.mainSession = findMainSession(member.id, members);
  }
  return members;
}

/** Finds the callers of subagents that no session records. */
async function findUnrecordedCallers(
  store: Store,
  members: ReadonlyMap<number, SessionMember>,
): Promise<void> {
  const orphans = [...members.values()].filter(({ id, subagent, caller }) => subagent && caller === id);
  if (orphans.length === 0) return;
  const byPath = new Map([...members.values()].map(({ path, id }) => [path, id]));
  const byFolder = await findCallersByFolder(store, orphans);
  for (const orphan of orphans) orphan.caller = byPath.get(byFolder.get(orphan.path) ?? "") ?? orphan.id;
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

/** The sessions of these files, and all sessions that they started, directly or indirectly. */
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
