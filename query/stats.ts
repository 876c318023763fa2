import { statSync } from "node:fs";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { type Sql, sql } from "../src/store/sqlite/sql.ts";
import type { Stats } from "./answers.ts";
import { toIsoTime } from "./tree.ts";

/** Maximum number of models and projects listed. */
const MAX_LISTED = 20;

/** Counts the contents of the index, without token usage and cost. */
export async function readIndexStats(
  db: Reader,
  scope: Scope,
  databasePath: string,
): Promise<Omit<Stats, "tokens" | "costUsd">> {
  const files = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const [totals, calls, kinds, models, projects, problems] = await Promise.all([
    countTotals(db, scope),
    countCalls(db, files),
    countKinds(db, files),
    counts(
      db,
      sql`SELECT ltrim(provider || '/' || model, '/') AS name, sum(messages) AS count FROM session_model
          WHERE file_id IN ${files} GROUP BY 1 ORDER BY 2 DESC LIMIT ${MAX_LISTED}`,
    ),
    counts(
      db,
      sql`SELECT cwd AS name, count(*) AS count FROM session JOIN file ON file.id = session.file_id
          WHERE file.subagent = 0 AND file.id IN ${files} GROUP BY 1 ORDER BY 2 DESC LIMIT ${MAX_LISTED}`,
    ),
    counts(db, sql`SELECT code AS name, count(*) AS count FROM problem WHERE file_id IN ${files} GROUP BY 1`),
  ]);
  const databaseBytes = fileSize(databasePath);
  return { ...totals, ...calls, ...kinds, models, projects, problems, databasePath, databaseBytes };
}

/** Entries by type and messages by role, in one pass over the entries. */
async function countKinds(db: Reader, files: Sql<unknown>) {
  const { rows } = await sql<{ type: string; role: string | null; count: number }>`
    SELECT type, role, count(*) AS count FROM entry WHERE file_id IN ${files} GROUP BY 1, 2`.execute(db);
  const messages = rows.filter(({ type }) => type === "message");
  return {
    entryTypes: sumByName(rows.map(({ type, count }) => ({ name: type, count }))),
    roles: sumByName(messages.map(({ role, count }) => ({ name: role ?? "", count }))),
  };
}

/** Adds up counts with the same name, greatest first. */
export function sumByName(
  counts: readonly { name: string; count: number }[],
): { name: string; count: number }[] {
  const sums = new Map<string, number>();
  for (const { name, count } of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

type Totals = Pick<
  Stats,
  "files" | "bytes" | "indexedBytes" | "sessions" | "subagentSessions" | "entries" | "messages"
>;

async function countTotals(db: Reader, scope: Scope) {
  const { rows } = await sql<Totals & { oldest: number | null; newest: number | null }>`
    SELECT count(*) AS files, coalesce(sum(file.size), 0) AS bytes, coalesce(sum(file.cursor), 0) AS indexedBytes,
      count(session.file_id) FILTER (WHERE file.subagent = 0) AS sessions,
      count(session.file_id) FILTER (WHERE file.subagent = 1) AS subagentSessions,
      coalesce(sum(session.entry_count), 0) AS entries, coalesce(sum(session.message_count), 0) AS messages,
      min(session.created) AS oldest, max(session.modified) AS newest
    FROM file LEFT JOIN session ON session.file_id = file.id WHERE ${inScope(scope)}`.execute(db);
  const { oldest, newest, ...totals } = rows[0] as (typeof rows)[0];
  return { ...totals, oldest: toIsoTime(oldest), newest: toIsoTime(newest) };
}

async function countCalls(db: Reader, files: Sql<unknown>) {
  const { rows } = await sql<Record<"toolCalls" | "failedToolCalls", number>>`
    SELECT count(*) AS toolCalls, coalesce(sum(is_error), 0) AS failedToolCalls
    FROM tool_call WHERE file_id IN ${files}`.execute(db);
  return rows[0] as (typeof rows)[0];
}

async function counts(db: Reader, query: Sql<unknown>): Promise<{ name: string; count: number }[]> {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT name, count FROM (${query}) ORDER BY count DESC, name`.execute(db);
  return rows;
}

function fileSize(path: string): number {
  return ["", "-wal"].reduce(
    (sum, side) => sum + (statSync(path + side, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
