/**
 * How events are summed up by file and quarter of an hour: what fills `spending` and `tool_use`, and what is asked where
 * those are too coarse, at the ends of a span of time.
 */
import { CALL_SUMS, NO_QUARTER, QUARTER_MS, SUMS } from "./schema.ts";

/** The quarter of an hour of a time in Unix milliseconds, or of none. */
export function quarterOf(time: number | null): number {
  return time === null ? NO_QUARTER : Math.floor(time / QUARTER_MS);
}

/** The same in SQL, which divides towards zero: up, before 1970. */
const QUARTER = `CASE WHEN event.time IS NULL THEN ${NO_QUARTER}
  ELSE (event.time - (event.time % ${QUARTER_MS} + ${QUARTER_MS}) % ${QUARTER_MS}) / ${QUARTER_MS} END`;

/** Whether the entry of an event is on the current branch of its session. */
export const ON_CURRENT_BRANCH = `coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = event.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0)`;

/** A wait that is longer is a pause: a session that was left for the night, or a clock that was wrong. */
export const LONGEST_WAIT_MS = 86_400_000;

const KEY = ["file_id", "kind", "model_id", "agent", "tool", "stop", "current", "standing"];

/** The tables of sums that are made of others, by the columns that tell their rows apart. */
export const COARSER = {
  quarter_spending: { from: "spending", key: ["quarter", "file_id", "current", "standing"], sums: SUMS },
  session_spending: { from: "spending", key: KEY, sums: SUMS },
  session_total: { from: "session_spending", key: ["file_id", "current", "standing"], sums: SUMS },
  session_tool_use: {
    from: "tool_use",
    key: ["file_id", "model_id", "tool", "stop", "current", "standing"],
    sums: CALL_SUMS,
  },
} as const;

/** Selects rows of a coarser table of sums from those of the finer one. */
export function selectCoarser(table: keyof typeof COARSER, which: string): string {
  const { from, key, sums } = COARSER[table];
  const added = sums.map((column) => `sum(${column})`);
  return `SELECT ${[...key, ...added].join(", ")} FROM ${from} WHERE ${which} GROUP BY ${key.join(", ")}`;
}

/**
 * Selects rows of `spending` from the events that meet a condition.
 *
 * @param toolUse what to select the rows of `tool_use` of the same events from
 * @param events the table `event`, or a query in parentheses with its columns
 */
export function selectSpending(which: string, toolUse: string, events = "event"): string {
  const only = (kind: string, value: string) => `CASE WHEN event.kind = '${kind}' THEN ${value} ELSE 0 END`;
  const elapsed = "coalesce(event.elapsed, 0)";
  const key = ["quarter", ...KEY];
  const sums = SUMS.map((column) => `sum(${column}) AS ${column}`);
  return `SELECT ${[...key, ...sums].join(", ")} FROM (
    SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.kind AS kind, event.model_id AS model_id,
      coalesce(event.agent, '') AS agent, coalesce(event.tool, '') AS tool, coalesce(event.stop, '') AS stop,
      ${ON_CURRENT_BRANCH} AS current, event.standing AS standing, event.billed AS billed,
      ${only("assistant", "1")} AS messages, ${only("user", "1")} AS turns,
      ${only("compaction", "1")} AS compactions, event.input AS input, event.output AS output,
      event.cache_read AS cache_read, event.cache_write AS cache_write, event.cache_write_1h AS cache_write_1h,
      event.reasoning AS reasoning, event.cost AS cost, coalesce(event.provider_cost, 0) AS provider_cost,
      ${only("assistant", elapsed)} AS model_ms, ${only("user", elapsed)} AS user_ms,
      ${CALL_SUMS.map((column) => `0 AS ${column}`).join(", ")}
    FROM ${events} AS event CROSS JOIN entry ON entry.id = event.entry WHERE ${which}
    UNION ALL
    SELECT quarter, file_id, 'assistant', model_id, '', '', stop, current, standing,
      ${SUMS.map((column) => ((CALL_SUMS as readonly string[]).includes(column) ? column : "0")).join(", ")}
    FROM ${toolUse})
    GROUP BY ${key.join(", ")}`;
}

/**
 * Selects rows of `tool_use` from the events that meet a condition, as `selectSpending` does. Calls that a script made count
 * with the answer that called the script.
 */
export function selectToolUse(which: string): string {
  // Calls before the entry: most answers have none of a script, and are not looked up for it.
  const calls = (on: string, took: string) => `
    SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.model_id AS model_id,
      substr(tool_call.name, 1, 200) AS tool, coalesce(event.stop, '') AS stop, ${ON_CURRENT_BRANCH} AS current,
      event.standing AS standing, tool_call.result AS result, tool_call.is_error AS is_error, ${took} AS took
    FROM event CROSS JOIN tool_call ON ${on} CROSS JOIN entry ON entry.id = event.entry
      LEFT JOIN entry AS result ON result.id = tool_call.result
    WHERE event.kind = 'assistant' AND ${which}`;
  return `SELECT quarter, file_id, model_id, tool, stop, current, standing, count(*) AS calls,
      count(result) AS answered, coalesce(sum(is_error), 0) AS failed,
      coalesce(sum(took) FILTER (WHERE took BETWEEN 0 AND ${LONGEST_WAIT_MS}), 0) AS tool_ms
    FROM (${calls("tool_call.entry = event.entry", "coalesce(tool_call.duration, result.timestamp - event.time)")}
      UNION ALL ${calls("tool_call.caller = event.entry", "tool_call.duration")})
    GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}
