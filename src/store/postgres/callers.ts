import { type Sql, sql } from "../sql.ts";
import type { Runner } from "./runner.ts";

/** The terms of an ORDER BY: the order of sessions that contain the same event, as `ownerOrderTerms` in the local index. */
export function ownerOrder(session: Sql<unknown>, file: Sql<unknown>): Sql<unknown> {
  return sql`${session}.created IS NULL, ${session}.created, ${file}.path ~ '[.]checkpoint[.].*[.]jsonl$', ${file}.path`;
}

/** A file, and the session that recorded it as a subagent run. */
export interface CallerRow {
  file: number;
  caller: number;
  path: string;
  agent: string | null;
  tool: string | null;
}

/** The sessions that record runs, by file: the one that started a run is first. @param files undefined for all */
export async function listCallers(
  db: Runner,
  shelves: readonly number[],
  files?: readonly number[],
): Promise<CallerRow[]> {
  const { rows } = await sql<CallerRow>`
    SELECT file.id AS file, calling.id AS caller, calling.path, run_path.agent, run_path.tool
    FROM run_path JOIN file ON file.shelf = run_path.shelf AND file.ledger_path = run_path.path
      JOIN file AS calling ON calling.shelf = run_path.shelf AND calling.id = run_path.file_id
      JOIN session ON session.shelf = run_path.shelf AND session.file_id = run_path.file_id
    WHERE run_path.shelf = ANY (${shelves}) AND run_path.file_id <> file.id
      AND ${files ? sql`file.id = ANY (${files})` : sql`TRUE`}
    ORDER BY ${ownerOrder(sql`session`, sql`calling`)}, run_path.line, run_path.ordinal`.execute(db);
  return rows;
}
