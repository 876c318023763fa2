/**
 * The figures of an event that reports several subagent runs. If some of the runs have sessions, those count their own
 * usage, and the event counts the rest.
 */

/** Token counts and cost, which are subtracted separately. */
const SPENT = [
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "cost",
] as const;

/** The figures of an event: columns of `event`, and of `reported_sum` for those that the subtraction changed. */
export const REPORTED_COLUMNS = ["billed", ...SPENT, "provider_cost"] as const;

/** SQL that inserts an event, with its figures last. */
export const INSERT_EVENT = `INSERT INTO event
  (entry, ordinal, file_id, time, key, attribution, kind, model_id, run, agent, tool, stop, elapsed, context, ${REPORTED_COLUMNS.join(", ")})
  VALUES (${Array(14 + REPORTED_COLUMNS.length)
    .fill("?")
    .join(", ")})`;

export type UsageFigures = Record<(typeof SPENT)[number], number>;
export type ReportedFigures = UsageFigures & { billed: number; provider_cost: number | null };

/** SQL for the sums of events. */
export const SELECT_USAGE_SUMS = SPENT.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(", ");

/** Subtracts the usage of sessions from reported figures. No figure gets below 0. */
export function subtractUsage(reported: ReportedFigures, sessions: readonly UsageFigures[]): ReportedFigures {
  const left = { ...reported };
  for (const spent of sessions) {
    for (const name of SPENT) left[name] = Math.max(0, left[name] - spent[name]);
  }
  if (sessions.length > 0) {
    left.provider_cost = null; // reported for all runs together, so it cannot be split
    left.billed = SPENT.some((name) => left[name] > 0) ? 1 : 0;
  }
  return left;
}
