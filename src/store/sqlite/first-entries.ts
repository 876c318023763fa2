import type { HitConditions, SessionCondition } from "../conditions.ts";
import type { HitRow } from "../search-reads.ts";
import { sql } from "../sql.ts";
import { toNonTextSql, toTextSql } from "./entry-conditions.ts";
import { getHits } from "./hits.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import { allOf, toSessionSql } from "./session-conditions.ts";

/** For each matching session, the entry on a line, or its first user entry. */
export async function findFirstEntries(
  db: Reader,
  scope: Scope,
  session: SessionCondition,
  conditions: HitConditions,
  limit: number,
  line = -1,
): Promise<HitRow[]> {
  const condition = allOf([...toNonTextSql(conditions), ...toTextSql(conditions)]);
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM (
      SELECT session.modified, (
        SELECT entry.id FROM entry WHERE entry.file_id = file.id AND ${condition}
        ORDER BY entry.line = ${line} DESC, coalesce(entry.role, '') = 'user' DESC, entry.line LIMIT 1) AS id
      FROM file JOIN session ON session.file_id = file.id
      WHERE ${inScope(scope)} AND ${toSessionSql(session)})
    WHERE id IS NOT NULL ORDER BY modified DESC LIMIT ${sql.lit(limit)}`.execute(db);
  const ids = rows.map(({ id }) => id);
  const entries = new Map((await getHits(db, ids)).map((row) => [row.position, row]));
  return ids.flatMap((id) => entries.get(id) ?? []);
}
