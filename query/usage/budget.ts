/** What a budget comes to: how much of it is used, and when it will be used up. */
import type { Budgeted } from "./usage-answers.ts";
import type { Budget } from "./usage-options.ts";

/** A rate is told from an hour at least: what the first minutes of a month cost says nothing of the month. */
const LEAST_ELAPSED_MS = 3_600_000;

/**
 * A budget in the period that `now` is in, `from` until `until`, all in Unix milliseconds, of which `spentUsd` is what
 * was spent in it.
 *
 * The projection is a straight line: it goes on as on average since `from`. In the first hour of a period it is as if that
 * hour were over, and was all that is spent in it; after the end of a period it is what was spent.
 *
 * `exhausted` is when the line reaches the amount. If it is used up already, that is a moment that has passed, and an
 * estimate too, since spending is not even: when the line reached it, but not after `now`.
 */
export function budgetLine(
  { amountUsd, per }: Budget,
  { from, until }: { from: number; until: number },
  spentUsd: number,
  now: number,
): Budgeted {
  const whole = until - from;
  const elapsed = Math.min(whole, Math.max(now - from, LEAST_ELAPSED_MS));
  const line: Budgeted = {
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
