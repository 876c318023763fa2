import { BUCKET_MS, CALL_SUMS, NO_TIME_BUCKET, SERIES_COLUMNS, SUMS } from "../schema.ts";
import { CALL_KIND, MAX_WAIT_MS } from "../usage-rollup.ts";

/** `toBucket` in SQL, whose integer division rounds towards zero, so up before 1970. */
const QUARTER = `CASE WHEN event.time IS NULL THEN ${NO_TIME_BUCKET}
  ELSE (event.time - (event.time % ${BUCKET_MS} + ${BUCKET_MS}) % ${BUCKET_MS}) / ${BUCKET_MS} END`;

/** Whether the entry of an event is on the current branch of its session. */
export const ON_CURRENT_BRANCH = `coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = event.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0)`;

/**
 * Returns SQL that selects the sums of the events that satisfy a condition, by quarter, file and series.
 *
 * @param events the table `event`, or a query in parentheses with its columns
 */
export function selectEventSums(condition: string, events = "event"): string {
  const only = (kind: string, value: string) => `CASE WHEN event.kind = '${kind}' THEN ${value} ELSE 0 END`;
  const elapsed = "coalesce(event.elapsed, 0)";
  const values: Partial<Record<(typeof SUMS)[number], string>> = {
    messages: only("assistant", "1"),
    turns: only("user", "1"),
    compactions: only("compaction", "1"),
    provider_cost: "coalesce(event.provider_cost, 0)",
    model_ms: only("assistant", elapsed),
    user_ms: only("user", elapsed),
    ...Object.fromEntries(CALL_SUMS.map((name) => [name, "0"])),
  };
  const sums = SUMS.map((name) => `sum(${values[name] ?? `event.${name}`}) AS ${name}`);
  return `SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.kind AS kind, event.model_id AS model_id,
      coalesce(event.agent, '') AS agent, coalesce(event.tool, '') AS tool, coalesce(event.stop, '') AS stop,
      ${ON_CURRENT_BRANCH} AS current, event.context AS context, ${sums.join(", ")}
    FROM ${events} AS event CROSS JOIN entry ON entry.id = event.entry WHERE ${condition} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9`;
}

/**
 * Returns SQL that selects the sums of tool calls of the events that satisfy a condition, in the same columns: a series of kind
 * `call` has the called tool. Calls made by a script count with the model response that called the script.
 */
export function selectCallSums(condition: string): string {
  // Joins the calls before the entries: most responses have no script, so few entries are looked up.
  const calls = (on: string, took: string) => `
    SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.model_id AS model_id,
      substr(tool_call.name, 1, 200) AS tool, coalesce(event.stop, '') AS stop, ${ON_CURRENT_BRANCH} AS current,
      tool_call.result AS result, tool_call.is_error AS is_error, ${took} AS took
    FROM event CROSS JOIN tool_call ON ${on} CROSS JOIN entry ON entry.id = event.entry
      LEFT JOIN entry AS result ON result.id = tool_call.result
    WHERE event.kind = 'assistant' AND ${condition}`;
  const values: Partial<Record<(typeof SUMS)[number], string>> = {
    calls: "count(*)",
    answered: "count(result)",
    failed: "coalesce(sum(is_error), 0)",
    tool_ms: `coalesce(sum(took) FILTER (WHERE took BETWEEN 0 AND ${MAX_WAIT_MS}), 0)`,
  };
  return `SELECT quarter, file_id, '${CALL_KIND}' AS kind, model_id, '' AS agent, tool, stop, current, 0 AS context,
      ${SUMS.map((name) => `${values[name] ?? "0"} AS ${name}`).join(", ")}
    FROM (${calls("tool_call.entry = event.entry", "coalesce(tool_call.duration, result.timestamp - event.time)")}
      UNION ALL ${calls("tool_call.caller = event.entry", "tool_call.duration")})
    GROUP BY quarter, file_id, model_id, tool, stop, current`;
}

/** Returns SQL that selects both: `quarter`, the columns of the series, and the sums. */
export function selectSums(condition: string): string {
  return `SELECT quarter, ${[...SERIES_COLUMNS, ...SUMS].join(", ")}
    FROM (${selectEventSums(condition)} UNION ALL ${selectCallSums(condition)})`;
}
