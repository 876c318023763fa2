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
  const among = amongIds(positions);
  const { rows: projects } = await sql<ValueRow<number>>`
    SELECT session.file_id AS key, session.cwd AS value FROM session
    WHERE session.file_id IN ${files} AND session.cwd <> ''`.execute(db);
  const { rows: models } = await sql<ValueRow<number>>`
    SELECT file_id AS key, provider || '/' || model AS value FROM session_model
    WHERE file_id IN ${files} AND provider || model <> ''`.execute(db);
  const { rows: tools } = await sql<ValueRow<Position>>`
    SELECT entry AS key, name AS value FROM tool_call WHERE ${among(sql`entry`)}
    UNION ALL SELECT id, tool FROM entry WHERE ${among(sql`id`)} AND tool IS NOT NULL`.execute(db);
  return { projects, models, tools };
}

/** Minimum fraction of hits in an id range for which the whole range is read: that takes a third of the time. */
const DENSE = 0.25;

/** A condition that selects the ids, and possibly others in their range. */
function amongIds(positions: readonly Position[]): (column: Sql<number>) => Sql<SqlBool> {
  const ids = positions as readonly number[];
  const first = ids.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = ids.reduce((a, b) => Math.max(a, b), 0);
  if (ids.length > DENSE * (last - first)) return (column) => sql`${column} BETWEEN ${first} AND ${last}`;
  const list = sql.list(ids);
  return (column) => sql`${column} IN ${list}`;
}
