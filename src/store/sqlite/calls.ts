import type { TimeRange } from "../conditions.ts";
import type { CallRow } from "../entry-reads.ts";
import { sql } from "../sql.ts";
import type { Reader } from "./reader.ts";
import { timeSql } from "./session-conditions.ts";

/** See `EntryReads`. Starts at the events of model responses, which have an index by file and time. */
export async function listCalls(db: Reader, files: readonly number[], range: TimeRange): Promise<CallRow[]> {
  const { rows } = await sql<CallRow>`
    SELECT entry.file_id, entry.line, entry.id AS position, tool_call.ordinal, tool_call.name AS tool, tool_call.result,
      result.line AS result_line, tool_call.is_error AS failed, tool_call.duration AS recorded,
      result.timestamp - entry.timestamp AS waited,
      (SELECT min(touch.path_id) FROM touch
        WHERE touch.entry = entry.id AND touch.ordinal = tool_call.ordinal AND touch.action IN ('write', 'edit')) AS changed
    FROM json_each(${JSON.stringify(files)}) AS selected
      CROSS JOIN event ON event.file_id = selected.value AND event.kind = 'assistant' AND ${timeSql(sql`event.time`, range)}
      CROSS JOIN entry ON entry.id = event.entry
      CROSS JOIN tool_call ON tool_call.entry = entry.id AND tool_call.caller IS NULL
      LEFT JOIN entry AS result ON result.id = tool_call.result
    ORDER BY selected.value, entry.line, tool_call.ordinal`.execute(db);
  return rows;
}
