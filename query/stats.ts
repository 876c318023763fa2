import { statSync } from "node:fs";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Schema } from "../src/database/schema.ts";
import type { Stats } from "./answers.ts";
import { inScope, type Scope } from "./scope.ts";
import { isoTime } from "./tree.ts";

/** How many models and projects are named; the rest is left out. */
const TOP = 20;

/** What the index holds, counted. Money is counted once however many forks hold a copy of its entry. */
export async function indexStats(db: Kysely<Schema>, scope: Scope, databasePath: string): Promise<Stats> {
  const files = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const [totals, spent, calls, entryTypes, roles, models, projects, problems] = await Promise.all([
    totalsOf(db, scope),
    spentOf(db, files),
    callsOf(db, files),
    counts(db, sql`SELECT type AS name, count(*) AS count FROM entry WHERE file_id IN ${files} GROUP BY 1`),
    counts(
      db,
      sql`SELECT coalesce(role, '') AS name, count(*) AS count FROM entry
          WHERE type = 'message' AND file_id IN ${files} GROUP BY 1`,
    ),
    counts(
      db,
      sql`SELECT ltrim(provider || '/' || model, '/') AS name, sum(messages) AS count FROM session_model
          WHERE file_id IN ${files} GROUP BY 1 ORDER BY 2 DESC LIMIT ${TOP}`,
    ),
    counts(
      db,
      sql`SELECT cwd AS name, count(*) AS count FROM session JOIN file ON file.id = session.file_id
          WHERE file.subagent = 0 AND file.id IN ${files} GROUP BY 1 ORDER BY 2 DESC LIMIT ${TOP}`,
    ),
    counts(db, sql`SELECT code AS name, count(*) AS count FROM problem WHERE file_id IN ${files} GROUP BY 1`),
  ]);
  return { ...totals, ...calls, ...spent, entryTypes, roles, models, projects, problems, databasePath, databaseBytes: sizeOf(databasePath) };
}

type Totals = Pick<
  Stats,
  "sessions" | "subagentSessions" | "files" | "bytes" | "indexedBytes" | "entries" | "messages" | "oldest" | "newest"
>;

async function totalsOf(db: Kysely<Schema>, scope: Scope): Promise<Totals> {
  const { rows } = await sql<
    Omit<Totals, "oldest" | "newest"> & { oldest: number | null; newest: number | null }
  >`
    SELECT count(*) AS files, coalesce(sum(file.size), 0) AS bytes, coalesce(sum(file.cursor), 0) AS indexedBytes,
      count(session.file_id) FILTER (WHERE file.subagent = 0) AS sessions,
      count(session.file_id) FILTER (WHERE file.subagent = 1) AS subagentSessions,
      coalesce(sum(session.entry_count), 0) AS entries, coalesce(sum(session.message_count), 0) AS messages,
      min(session.created) AS oldest, max(session.modified) AS newest
    FROM file LEFT JOIN session ON session.file_id = file.id WHERE ${inScope(scope)}`.execute(db);
  const totals = rows[0] as (typeof rows)[0];
  return { ...totals, oldest: isoTime(totals.oldest), newest: isoTime(totals.newest) };
}

async function spentOf(db: Kysely<Schema>, files: RawBuilder<unknown>): Promise<Pick<Stats, "tokens" | "costUsd">> {
  // A fork copies entries with their ids and times: the same act of spending stands in each of the files.
  const { rows } = await sql<Stats["tokens"] & { cost: number }>`
    SELECT coalesce(sum(input), 0) AS input, coalesce(sum(output), 0) AS output,
      coalesce(sum(cache_read), 0) AS cacheRead, coalesce(sum(cache_write), 0) AS cacheWrite,
      coalesce(sum(reasoning), 0) AS reasoning, coalesce(sum(cost), 0) AS cost
    FROM (SELECT DISTINCT entry.entry_id, entry.timestamp, usage.ordinal, usage.source, usage.provider, usage.model,
        input, output, cache_read, cache_write, reasoning, cost
      FROM usage JOIN entry ON entry.id = usage.entry WHERE entry.file_id IN ${files})`.execute(db);
  const { cost, ...tokens } = rows[0] as (typeof rows)[0];
  return { tokens, costUsd: cost / 1e9 };
}

async function callsOf(
  db: Kysely<Schema>,
  files: RawBuilder<unknown>,
): Promise<Pick<Stats, "toolCalls" | "failedToolCalls">> {
  const { rows } = await sql<Pick<Stats, "toolCalls" | "failedToolCalls">>`
    SELECT count(*) AS toolCalls, coalesce(sum(is_error), 0) AS failedToolCalls
    FROM tool_call WHERE file_id IN ${files}`.execute(db);
  return rows[0] as (typeof rows)[0];
}

async function counts(db: Kysely<Schema>, query: RawBuilder<unknown>): Promise<{ name: string; count: number }[]> {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT name, count FROM (${query}) ORDER BY count DESC, name`.execute(db);
  return rows;
}

function sizeOf(path: string): number {
  return ["", "-wal"].reduce((sum, side) => sum + (statSync(path + side, { throwIfNoEntry: false })?.size ?? 0), 0);
}
