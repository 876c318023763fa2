import type { IndexCounts, NamedCount } from "../entry-reads.ts";
import { type Sql, sql } from "../sql.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";

/** See `EntryReads`. */
export async function countAll(db: Reader, scope: Scope, limit: number): Promise<IndexCounts> {
  const files = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const [totals, calls, kinds, models, projects, problems] = await Promise.all([
    countTotals(db, scope),
    countCalls(db, files),
    countKinds(db, files),
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
  return { ...totals, ...calls, kinds, models, projects, problems };
}

type Calls = Pick<IndexCounts, "tool_calls" | "failed_tool_calls">;
type Totals = Omit<IndexCounts, keyof Calls | "kinds" | "models" | "projects" | "problems">;

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

async function countCalls(db: Reader, files: Sql<unknown>): Promise<Calls> {
  const { rows } = await sql<Calls>`
    SELECT count(*) AS tool_calls, coalesce(sum(is_error), 0) AS failed_tool_calls
    FROM tool_call WHERE file_id IN ${files}`.execute(db);
  return rows[0] as Calls;
}

/** One pass over the entries. */
async function countKinds(db: Reader, files: Sql<unknown>): Promise<IndexCounts["kinds"]> {
  const { rows } = await sql<IndexCounts["kinds"][number]>`
    SELECT type, role, count(*) AS count FROM entry WHERE file_id IN ${files} GROUP BY 1, 2`.execute(db);
  return rows;
}

async function counts(db: Reader, query: Sql<unknown>): Promise<NamedCount[]> {
  const { rows } = await sql<NamedCount>`
    SELECT name, count FROM (${query}) ORDER BY count DESC, name`.execute(db);
  return rows;
}
