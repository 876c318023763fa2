/** A session of the local index. */
export interface LocalSession {
  path: string;
  id: string;
  cwd: string;
  subagent: boolean;
  /** Time of its last message, else of its header, else of its file. */
  modified: Date;
}

/** The part of an index that pushes and pulls need. */
export interface SessionLister {
  listAll(options: { subagents: "yes"; archived: "yes" }): Promise<{ sessions: LocalSession[] }>;
}

/** All sessions of an index. Sync the index first. */
export async function listLocalSessions(index: SessionLister): Promise<LocalSession[]> {
  return (await index.listAll({ subagents: "yes", archived: "yes" })).sessions;
}
