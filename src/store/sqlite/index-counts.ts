import type { IndexCounts, NamedCount } from "../entry-reads.ts";
import { type Sql, sql } from "../sql.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";

/** See `EntryReads`. */
export async function countAll(db: Reader, scope: Scope, limit: number): Promise<IndexCounts> {
  const files = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const [totals, models, projects, problems] = await Promise.all([
    countTotals(db, scope),
    counts(
      db,
      sql`SELECT ltrim(provider || '/' || model, '/') AS name, sum(messages) AS count FROM session_model
          WHERE file_id IN ${files} GROUP BY 1 ORDER BY 2 DESC LIMIT ${limit}`,
    ),
    counts(
      db,
      sql`SELECT cwd AS name, count(*) AS count FROM session JOIN file ON file.id = session.file_id
          WHERE file.subagent = 0 AND file.id IN ${files} GROUP BY 1 ORDER BY 2 DESC LIMIT ${limit}`,
    ),
    counts(db, sql`SELECT code AS name, count(*) AS count FROM problem WHERE file_id IN ${files} GROUP BY 1`),
  ]);
  return { ...totals, models, projects, problems };
}

type Totals = Omit<IndexCounts, "models" | "projects" | "problems">;

async function countTotals(db: Reader, scope: Scope): Promise<Totals> {
  const { rows } = await sql<Totals>`
    SELECT count(*) AS files, coalesce(sum(file.size), 0) AS bytes, coalesce(sum(file.cursor), 0) AS indexed_bytes,
      count(session.file_id) FILTER (WHERE file.subagent = 0) AS sessions,
      count(session.file_id) FILTER (WHERE file.subagent = 1) AS subagent_sessions,
      coalesce(sum(session.entry_count), 0) AS entries, coalesce(sum(session.message_count), 0) AS messages,
      min(session.created) AS oldest, max(session.modified) AS newest
    FROM file LEFT JOIN session ON session.file_id = file.id WHERE ${inScope(scope)}`.execute(db);
  return rows[0] as Totals;
}

async function counts(db: Reader, query: Sql<unknown>): Promise<NamedCount[]> {
  const { rows } = await sql<NamedCount>`
    SELECT name, count FROM (${query}) ORDER BY count DESC, name`.execute(db);
  return rows;
}
