import { dollars, percent } from "../../../format/numbers.ts";
import { timesIn } from "../../../format/times.ts";
import type { Report } from "./usage-table.tsx";

/** What is spent of a budget, and where that leads. */
export function Budget({ usage }: { usage: Report }) {
  const { budget, timeZone } = usage;
  if (!budget) return null;
  const { amountUsd, per, spentUsd, share, projectedUsd, until, exhausted } = budget;
  const time = timesIn(timeZone);
  const dayOf = (moment: string | number) => time(new Date(moment)).slice(0, 10);
  const most = Math.max(amountUsd, spentUsd, projectedUsd);
  const part = (value: number) => `${(value / most) * 100}%`;
  const state = share >= 1 ? "over" : projectedUsd > amountUsd ? "soon" : "within";
  return (
    <section class="card budget" aria-label="Budget" data-spent={spentUsd} data-projected={projectedUsd}>
      <p class="budget-words">
        <strong>
          {dollars(spentUsd)} of {dollars(amountUsd)}
        </strong>{" "}
        this {per} ({percent(share)}), projected <strong>{dollars(projectedUsd)}</strong> by{" "}
        {dayOf(Date.parse(until) - 1)}
        {exhausted !== undefined &&
          `, ${share >= 1 ? "used up" : "to be used up"} about ${per === "day" ? time(new Date(exhausted)) : dayOf(exhausted)}`}
      </p>
      <div class={`budget-bar budget-${state}`} aria-hidden="true">
        <span class="budget-projected" style={{ width: part(projectedUsd) }} />
        <span class="budget-spent" style={{ width: part(spentUsd) }} />
        <span class="budget-limit" style={{ left: part(amountUsd) }} />
      </div>
    </section>
  );
}
