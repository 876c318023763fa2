import type { FileStamp, LocalStore } from "../src/store/local-reads.ts";
import type { SessionInfo } from "./answers.ts";
import { toSessionInfos } from "./session-info.ts";

/** A file's recorded state, and its session. */
export interface IndexedFile extends FileStamp {
  /** 1 if it could not be read. */
  faulty: number;
  /** Absent if the file is not a session or could not be read. */
  session?: SessionInfo;
}

/** All files below the roots, including subagents' sessions and files that are not sessions. */
export async function listIndexedFiles(store: LocalStore): Promise<IndexedFile[]> {
  const rows = await (await store.local()).listStates();
  const withSession = rows.filter((row) => row.is_session === 1);
  const sessions = await toSessionInfos(store, withSession);
  const byPath = new Map(sessions.map((session) => [session.path, session]));
  return rows.map(({ path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction, faulty }) => {
    const session = byPath.get(path);
    const file = { path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction, faulty };
    return session ? { ...file, session } : file;
  });
}
