import type { SessionCondition } from "../conditions.ts";
import type {
  FileStateRow,
  LargeLineRow,
  LocalEntryRow,
  LocalFile,
  LocalFileRow,
  LocalReads,
} from "../local-reads.ts";
import type { Position } from "../position.ts";
import { sql } from "../sql.ts";
import { OpenFile } from "./open-file.ts";
import type { Reader } from "./reader.ts";
import { SqliteScanReads } from "./scan-reads.ts";
import { inScope, type Scope } from "./scope.ts";
import { toSessionSql } from "./session-conditions.ts";
import { sessionColumns } from "./session-reads.ts";

export class SqliteLocalReads implements LocalReads {
  readonly scan: SqliteScanReads;
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
    this.scan = new SqliteScanReads(db, scope);
  }

  openFile(path: string): LocalFile {
    return new OpenFile(path);
  }

  async listStates(): Promise<FileStateRow[]> {
    const { rows } = await sql<FileStateRow>`
      SELECT ${sessionColumns}, file.inode, file.mtime_ns, file.ctime_ns, file.racy, file.cursor, file.extraction,
        session.file_id IS NOT NULL AS is_session,
        EXISTS (SELECT 1 FROM problem WHERE problem.file_id = file.id
          AND problem.code IN ('unreadable', 'not_a_file')) AS faulty
      FROM file LEFT JOIN session ON session.file_id = file.id
      WHERE ${inScope(this.#scope)}`.execute(this.#db);
    return rows;
  }

  async listFiles(condition: SessionCondition): Promise<LocalFileRow[]> {
    const { rows } = await sql<LocalFileRow>`
      SELECT file.id AS file, file.path, file.size, session.id AS session_id
      FROM file LEFT JOIN session ON session.file_id = file.id
      WHERE ${inScope(this.#scope)} AND ${toSessionSql(condition)}
      ORDER BY session.modified DESC, file.id DESC`.execute(this.#db);
    return rows;
  }

  async listLargeLines(minBytes: number): Promise<LargeLineRow[]> {
    const { rows } = await sql<LargeLineRow>`
      SELECT file.path, entry.line, entry.byte_offset, entry.byte_length, entry.role
      FROM entry JOIN file ON file.id = entry.file_id
      WHERE ${inScope(this.#scope)} AND entry.byte_length >= ${minBytes}
      ORDER BY entry.id`.execute(this.#db);
    return rows;
  }

  async findEntry(
    file: number,
    byteOffset: number,
    after: Position | undefined,
  ): Promise<LocalEntryRow | undefined> {
    const { rows } = await sql<LocalEntryRow>`
      SELECT id AS position, entry_id, type, role, timestamp, byte_offset FROM entry
      WHERE file_id = ${file} AND id > ${after ?? 0} AND byte_offset >= ${byteOffset}
      ORDER BY id LIMIT 1`.execute(this.#db);
    return rows[0];
  }
}
