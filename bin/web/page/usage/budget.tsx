import { formatDollars, formatPercent } from "../../../format/numbers.ts";
import { createTimeFormatter } from "../../../format/times.ts";
import { formatDay, parseDay } from "../charts/days.ts";
import type { Report } from "./usage-table.tsx";

/** Spending against a budget, with a projection. */
export function Budget({ usage }: { usage: Report }) {
  const { budget, timeZone } = usage;
  if (!budget) return null;
  const { amountUsd, per, spentUsd, share, projectedUsd, until, exhausted } = budget;
  const time = createTimeFormatter(timeZone);
  const dayOf = (moment: string | number) => formatDay(parseDay(time(new Date(moment)).slice(0, 10)) ?? 0);
  const max = Math.max(amountUsd, spentUsd, projectedUsd);
  const toPercent = (value: number) => `${(value / max) * 100}%`;
  const state = share >= 1 ? "over" : projectedUsd > amountUsd ? "soon" : "within";
  return (
    <section class="card budget" aria-label="Budget" data-spent={spentUsd} data-projected={projectedUsd}>
      <p class="budget-words">
        <strong>
          {formatDollars(spentUsd)} of {formatDollars(amountUsd)}
        </strong>{" "}
        this {per} ({formatPercent(share)}), projected <strong>{formatDollars(projectedUsd)}</strong> by{" "}
        {dayOf(Date.parse(until) - 1)}
        {exhausted !== undefined &&
          `, ${share >= 1 ? "used up" : "will be used up"} about ${per === "day" ? time(new Date(exhausted)) : dayOf(exhausted)}`}
      </p>
      <div class={`budget-bar budget-${state}`} aria-hidden="true">
        <span class="budget-projected" style={{ width: toPercent(projectedUsd) }} />
        <span class="budget-spent" style={{ width: toPercent(spentUsd) }} />
        <span class="budget-limit" style={{ left: toPercent(amountUsd) }} />
      </div>
    </section>
  );
}
