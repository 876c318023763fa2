import type { TimeRange } from "../conditions.ts";
import type { CallRow } from "../entry-reads.ts";
import { sql } from "../sql.ts";
import { positionSql } from "./positions.ts";
import type { Runner } from "./runner.ts";
import { timeSql } from "./session-conditions.ts";

/** See `EntryReads`. */
export async function listCalls(
  db: Runner,
  shelves: readonly number[],
  files: readonly number[],
  range: TimeRange,
): Promise<CallRow[]> {
  const { rows } = await sql<CallRow>`
    SELECT entry.file_id, entry.line, ${positionSql} AS position, tool_call.ordinal, tool_call.name AS tool,
      result.position AS result, tool_call.result AS result_line, tool_call.is_error AS failed, tool_call.duration AS recorded,
      result.timestamp - entry.timestamp AS waited,
      (SELECT min(touch.path_id) FROM touch WHERE touch.shelf = entry.shelf AND touch.file_id = entry.file_id
        AND touch.line = entry.line AND touch.ordinal = tool_call.ordinal AND touch.action IN ('write', 'edit')) AS changed
    FROM tool_call
      JOIN entry ON entry.shelf = tool_call.shelf AND entry.file_id = tool_call.file_id AND entry.line = tool_call.line
      LEFT JOIN LATERAL (SELECT ${positionSql} AS position, entry.timestamp FROM entry
        WHERE entry.shelf = tool_call.shelf AND entry.file_id = tool_call.file_id AND entry.line = tool_call.result) AS result ON TRUE
    WHERE tool_call.shelf = ANY (${shelves}) AND tool_call.file_id = ANY (${files}) AND tool_call.caller IS NULL
      AND (entry.timestamp IS NULL OR ${timeSql(sql`entry.timestamp`, range)})
    ORDER BY entry.file_id, entry.line, tool_call.ordinal`.execute(db);
  return rows;
}
