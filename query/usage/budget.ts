/** How much of a budget is used, and when it will be used up. */

import type { BudgetLimit } from "./parse-budget.ts";
import { projectSpending } from "./projection.ts";
import type { BudgetStatus } from "./usage-answers.ts";

/**
 * The state of a budget in its current period, from `from` to `until`, in which `spentUsd` was spent so far. Times are Unix
 * milliseconds.
 *
 * `exhausted` is when the projection reaches the amount. If the budget is used up already, it is an estimate in the past:
 * when the line reached the amount, at most `now`.
 */
export function computeBudget(
  { amountUsd, per, project }: BudgetLimit,
  { from, until }: { from: number; until: number },
  spentUsd: number,
  now: number,
): BudgetStatus {
  const { projectedUsd, reaches } = projectSpending({ from, until }, spentUsd, now);
  const line: BudgetStatus = {
    amountUsd,
    per,
    ...(project !== undefined && { project }),
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    spentUsd,
    share: spentUsd / amountUsd,
    projectedUsd,
  };
  const reached = reaches(amountUsd);
  const exhausted = spentUsd >= amountUsd ? Math.max(from, Math.min(reached, now)) : reached;
  if (spentUsd >= amountUsd || exhausted < until) line.exhausted = new Date(exhausted).toISOString();
  return line;
}
