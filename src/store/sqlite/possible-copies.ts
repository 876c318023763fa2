import type { Position } from "../position.ts";
import { type Sql, sql } from "../sql.ts";

/**
 * Selects the ids of other entries that may be copies of these. Looks up each entry id once, because all sessions of version 1 have
 * the same ids.
 */
export function possibleCopies(positions: readonly Position[]): Sql<unknown> {
  const these = sql.list(positions);
  return sql`SELECT equal.id
    FROM (SELECT DISTINCT entry_id FROM entry WHERE id IN ${these}) AS known
      CROSS JOIN entry AS equal ON equal.entry_id = known.entry_id
    WHERE equal.id NOT IN ${these} AND equal.timestamp IN (SELECT timestamp FROM entry WHERE id IN ${these})`;
}
