import type { FileTable } from "../src/store/schema.ts";
import type { SessionRow } from "../src/store/session-reads.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { sessionColumns } from "../src/store/sqlite/session-reads.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { SessionInfo } from "./answers.ts";
import { toSessionInfos } from "./session-info.ts";

/** A file's recorded state, and its session. */
export interface IndexedFile extends FileState {
  /** Absent if the file is not a session or could not be read. */
  session?: SessionInfo;
}

/** A file's stat when it was indexed, and how far it was read. */
export type FileStamp = Pick<
  FileTable,
  "path" | "inode" | "size" | "mtime_ns" | "ctime_ns" | "racy" | "cursor" | "extraction"
>;

type FileState = FileStamp & {
  /** 1 if it could not be read. */
  faulty: number;
};

/** All files in a scope, including subagents' sessions and files that are not sessions. */
export async function listIndexedFiles(db: Reader, scope: Scope): Promise<IndexedFile[]> {
  const { rows } = await sql<SessionRow & FileState & { is_session: number }>`
    SELECT ${sessionColumns}, file.inode, file.mtime_ns, file.ctime_ns, file.racy, file.cursor, file.extraction,
      session.file_id IS NOT NULL AS is_session,
      EXISTS (SELECT 1 FROM problem WHERE problem.file_id = file.id
        AND problem.code IN ('unreadable', 'not_a_file')) AS faulty
    FROM file LEFT JOIN session ON session.file_id = file.id
    WHERE ${inScope(scope)}`.execute(db);
  const withSession = rows.filter((row) => row.is_session === 1);
  const sessions = await toSessionInfos(new SqliteStore(db, scope), withSession);
  const byPath = new Map(sessions.map((session) => [session.path, session]));
  return rows.map(({ path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction, faulty }) => {
    const session = byPath.get(path);
    const file = { path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction, faulty };
    return session ? { ...file, session } : file;
  });
}
