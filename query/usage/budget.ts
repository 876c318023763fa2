/** How much of a budget is used, and when it will be used up. */
import type { BudgetStatus } from "./usage-answers.ts";
import type { Budget } from "./usage-options.ts";

/** The shortest time that a rate is computed from: the first minutes of a month don't predict the month. */
const MIN_ELAPSED_MS = 3_600_000;

/**
 * The state of a budget in its current period, from `from` to `until`, in which `spentUsd` was spent so far. Times are Unix
 * milliseconds.
 *
 * The projection is linear: spending continues at the average rate since `from`. In the first hour of a period the rate is
 * computed as if the hour were over; after the end of a period the projection is the amount spent.
 *
 * `exhausted` is when the projection reaches the amount. If the budget is used up already, it is an estimate in the past:
 * when the line reached the amount, at most `now`.
 */
export function computeBudget(
  { amountUsd, per }: Budget,
  { from, until }: { from: number; until: number },
  spentUsd: number,
  now: number,
): BudgetStatus {
  const whole = until - from;
  const elapsed = Math.min(whole, Math.max(now - from, MIN_ELAPSED_MS));
  const line: BudgetStatus = {
    amountUsd,
    per,
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    spentUsd,
    share: spentUsd / amountUsd,
    projectedUsd: elapsed > 0 ? spentUsd * (whole / elapsed) : spentUsd,
  };
  const reached = spentUsd > 0 ? from + elapsed * (amountUsd / spentUsd) : Number.POSITIVE_INFINITY;
  const exhausted = spentUsd >= amountUsd ? Math.max(from, Math.min(reached, now)) : reached;
  if (spentUsd >= amountUsd || exhausted < until) line.exhausted = new Date(exhausted).toISOString();
  return line;
}
