import type { BudgetStatus } from "../../../../library/index.ts";
import { formatDollars, formatPercent } from "../../../format/numbers.ts";
import { toOneLine } from "../../../format/safe.ts";
import { createTimeFormatter } from "../../../format/times.ts";
import { formatDay, parseDay } from "../charts/days.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { ErrorMessage } from "../shell/error-message.tsx";

interface Calendar {
  timeZone: string;
  weekStart: string;
}

/** The further budgets of the settings, such as those of single projects. They are of all usage, whatever the filters. */
export function FurtherBudgets({ timeZone, weekStart }: Calendar) {
  const { data, error } = useAnswer("budgets", { timeZone, weekStart }, useVersion());
  if (error !== undefined) return <ErrorMessage error={error} />;
  return (
    <>
      {data?.budgets.map((budget) => (
        <Budget
          key={`${budget.amountUsd}/${budget.per} ${budget.project}`}
          budget={budget}
          timeZone={timeZone}
        />
      ))}
    </>
  );
}

/** Spending against a budget, with a projection. */
export function Budget({ budget, timeZone }: { budget: BudgetStatus; timeZone: string }) {
  const {
    project,
    estimatedUsd = 0,
    amountUsd,
    per,
    spentUsd,
    share,
    projectedUsd,
    until,
    exhausted,
  } = budget;
  const time = createTimeFormatter(timeZone);
  const dayOf = (moment: string | number) => formatDay(parseDay(time(new Date(moment)).slice(0, 10)) ?? 0);
  const max = Math.max(amountUsd, spentUsd, projectedUsd);
  const toPercent = (value: number) => `${(value / max) * 100}%`;
  const state = share >= 1 ? "over" : projectedUsd > amountUsd ? "soon" : "within";
  return (
    <section
      class="card budget"
      aria-label={project === undefined ? "Budget" : `Budget of ${toOneLine(project)}`}
      data-spent={spentUsd}
      data-projected={projectedUsd}
    >
      <p class="budget-words">
        <strong>
          {formatDollars(spentUsd)} of {formatDollars(amountUsd)}
        </strong>{" "}
        {project !== undefined && (
          <>
            for <bdi>{toOneLine(project)}</bdi>{" "}
          </>
        )}
        {per === "day" ? "today" : `this ${per}`} ({formatPercent(share)}), projected{" "}
        <strong>{formatDollars(projectedUsd)}</strong> by {dayOf(Date.parse(until) - 1)}
        {estimatedUsd > 0 && `, including about ${formatDollars(estimatedUsd)} estimated`}
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
