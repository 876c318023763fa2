import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import type { FileProblem } from "./answers.ts";

/** Problems in the files of one session or of all, by file and offset. */
export async function listProblems(db: Reader, scope: Scope, fileId?: number): Promise<FileProblem[]> {
  const { rows } = await sql<FileProblem>`
    SELECT file.path, problem.code, problem.line, problem.byte_offset AS byteOffset, problem.message
    FROM problem JOIN file ON file.id = problem.file_id
    WHERE ${inScope(scope)} AND ${fileId === undefined ? sql`TRUE` : sql`file.id = ${fileId}`}
    ORDER BY file.path, problem.byte_offset, problem.rowid`.execute(db);
  return rows;
}
