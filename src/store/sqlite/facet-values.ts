import type { Position } from "../position.ts";
import type { FacetValues, ValueRow } from "../search-reads.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import type { Reader } from "./reader.ts";

export async function readFacetValues(
  db: Reader,
  fileIds: ReadonlySet<number>,
  positions: readonly Position[],
): Promise<FacetValues> {
  const files = sql.list(fileIds);
  const [ofCalls, ofEntries] = await selectEntries(db, files, positions);
  const { rows: projects } = await sql<ValueRow<number>>`
    SELECT session.file_id AS key, session.cwd AS value FROM session
    WHERE session.file_id IN ${files} AND session.cwd <> ''`.execute(db);
  const { rows: models } = await sql<ValueRow<number>>`
    SELECT file_id AS key, provider || '/' || model AS value FROM session_model
    WHERE file_id IN ${files} AND provider || model <> ''`.execute(db);
  const { rows: tags } = await sql<ValueRow<number>>`
    SELECT file_id AS key, tag AS value FROM tag WHERE file_id IN ${files}`.execute(db);
  const { rows: tools } = await sql<ValueRow<Position>>`
    SELECT entry AS key, name AS value FROM tool_call WHERE ${ofCalls}
    UNION ALL SELECT id, tool FROM entry WHERE ${ofEntries} AND tool IS NOT NULL`.execute(db);
  return { projects, models, tags, tools };
}

/** Minimum fraction of hits in an id range, or in their files, for which all of it is read: that takes a third of the time. */
const DENSE = 0.25;

/** Conditions on `tool_call` and on `entry` that select these entries, and possibly others beside them. */
async function selectEntries(
  db: Reader,
  files: Sql,
  positions: readonly Position[],
): Promise<[ofCalls: Sql<SqlBool>, ofEntries: Sql<SqlBool>]> {
  const ids = positions as readonly number[];
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  const range = last - first;
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(entry_count), 0) AS count FROM session WHERE file_id IN ${files}`.execute(db);
  const inFiles = rows[0]?.count ?? 0;
  if (ids.length > DENSE * inFiles && inFiles < range)
    return [sql<SqlBool>`file_id IN ${files}`, sql<SqlBool>`file_id IN ${files}`];
  if (ids.length > DENSE * range)
    return [sql<SqlBool>`entry BETWEEN ${first} AND ${last}`, sql<SqlBool>`id BETWEEN ${first} AND ${last}`];
  const list = sql.list(ids);
  return [sql<SqlBool>`entry IN ${list}`, sql<SqlBool>`id IN ${list}`];
}
