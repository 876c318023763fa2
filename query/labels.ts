import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import type { Label } from "./answers.ts";
import { toIsoTime } from "./tree.ts";

/** Current labels of one session or of all, newest first. */
export async function listLabels(db: Reader, scope: Scope, fileId?: number): Promise<Label[]> {
  const { rows } = await sql<{
    label: string;
    target_id: string | number;
    timestamp: number | null;
    path: string;
    session_id: string;
    line: number | null;
  }>`
    SELECT label.label, label.target_id, label.timestamp, file.path, session.id AS session_id,
      (SELECT max(entry.line) FROM entry
        WHERE entry.file_id = label.file_id AND entry.entry_id = label.target_id) AS line
    FROM label JOIN file ON file.id = label.file_id JOIN session ON session.file_id = label.file_id
    WHERE ${inScope(scope)} AND ${fileId === undefined ? sql`TRUE` : sql`file.id = ${fileId}`}
    ORDER BY label.timestamp DESC, file.path, label.target_id`.execute(db);
  return rows.map((row) => ({
    label: row.label,
    targetId: row.target_id,
    timestamp: toIsoTime(row.timestamp),
    sessionPath: row.path,
    sessionId: row.session_id,
    line: row.line ?? undefined,
  }));
}
