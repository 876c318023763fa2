import type { IndexCounts, NamedCount } from "../entry-reads.ts";
import { type Sql, sql } from "../sql.ts";
import type { Runner } from "./runner.ts";

/** See `EntryReads`. */
export async function countAll(db: Runner, shelves: readonly number[], limit: number): Promise<IndexCounts> {
  const isVisible = sql`shelf = ANY (${shelves})`;
  const { rows: totals } = await sql<Omit<IndexCounts, "models" | "projects" | "problems">>`
    SELECT count(*) AS files, coalesce(sum(file.cursor), 0)::bigint AS bytes, coalesce(sum(file.cursor), 0)::bigint AS indexed_bytes,
      count(session.file_id) FILTER (WHERE file.subagent = 0) AS sessions,
      count(session.file_id) FILTER (WHERE file.subagent = 1) AS subagent_sessions,
      coalesce(sum(session.entry_count), 0) AS entries, coalesce(sum(session.message_count), 0) AS messages,
      min(session.created) AS oldest, max(session.modified) AS newest
    FROM file LEFT JOIN session ON session.shelf = file.shelf AND session.file_id = file.id
    WHERE file.shelf = ANY (${shelves})`.execute(db);
  const most = sql`LIMIT ${limit}`;
  const models = await counts(
    db,
    sql`SELECT ltrim(provider || '/' || model, '/') AS name, sum(messages) AS count FROM session_model
        WHERE ${isVisible} GROUP BY 1 ORDER BY 2 DESC ${most}`,
  );
  const projects = await counts(
    db,
    sql`SELECT cwd AS name, count(*) AS count
        FROM session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
        WHERE file.subagent = 0 AND session.shelf = ANY (${shelves}) GROUP BY 1 ORDER BY 2 DESC ${most}`,
  );
  const problems = await counts(
    db,
    sql`SELECT code AS name, count(*) AS count FROM problem WHERE ${isVisible} GROUP BY 1`,
  );
  return { ...(totals[0] as (typeof totals)[0]), models, projects, problems };
}

async function counts(db: Runner, query: Sql<unknown>): Promise<NamedCount[]> {
  const { rows } = await sql<NamedCount>`
    SELECT name, count FROM (${query}) AS counted ORDER BY count DESC, name`.execute(db);
  return rows;
}
