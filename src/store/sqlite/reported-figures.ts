/**
 * The figures of an event that reports several runs of subagents. Where some of these have sessions of their own, what those
 * spent counts there, and the event counts the rest.
 */

/** Tokens and money, which are subtracted one by one. */
const SPENT = [
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "cost",
] as const;

/** The columns of `event` and of `reported_sum` that change. */
export const REPORTED = ["billed", ...SPENT, "provider_cost"] as const;

export type SpentFigures = Record<(typeof SPENT)[number], number>;
export type ReportedFigures = SpentFigures & { billed: number; provider_cost: number | null };

/** What events add up to, in SQL. */
export const SELECT_SPENT = SPENT.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(", ");

/** What is left of reported figures without what sessions spent; nothing is below 0. */
export function lessSpent(reported: ReportedFigures, sessions: readonly SpentFigures[]): ReportedFigures {
  const left = { ...reported };
  for (const spent of sessions) {
    for (const name of SPENT) left[name] = Math.max(0, left[name] - spent[name]);
  }
  if (sessions.length > 0) {
    left.provider_cost = null; // a provider reports it of all of them, or of none
    left.billed = SPENT.some((name) => left[name] > 0) ? 1 : 0;
  }
  return left;
}
