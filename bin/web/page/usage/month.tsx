import { createCostFormatter, formatDollars, formatPercent } from "../../../format/numbers.ts";
import { CumulativeChart } from "../charts/cumulative-chart.tsx";
import { formatDay, formatDayTick, parseDay, toDate } from "../charts/days.ts";
import "../charts/stacked-bars.css";
import { ChartFrame } from "./chart-frame.tsx";
import { EmptyRange } from "./empty-range.tsx";
import { forecastMonth } from "./forecast.ts";
import { addMonths, startOfMonth } from "./ranges.ts";
import type { UsageResult } from "./usage-query.tsx";
import { addDays, formatZonedDate } from "./zone-days.ts";

interface Props extends UsageResult {
  /** The budget per month in dollars, if there is one. */
  budgetUsd: number | undefined;
  timeZone: string;
  /** The days with usage of any range; undefined until they are known. */
  usedDays: readonly string[] | undefined;
}

/** The cost of this month so far, the forecast for its end, and the budget. */
export function Month({ usage, params, budgetUsd, timeZone, usedDays }: Props) {
  const now = Date.now();
  const today = formatZonedDate(timeZone, now);
  const forecast = forecastMonth(usage.rows, { now, today, timeZone, budgetUsd });
  const { days, dayCount, elapsedDays, spentUsd, projectedUsd, usedUpOn } = forecast;
  if (spentUsd === 0 && budgetUsd === undefined) return null; // the other charts say where usage is
  const first = startOfMonth(today);
  if (spentUsd === 0)
    return (
      <ChartFrame title="Cost of this month" usage={usage} params={params}>
        <EmptyRange choice={{ since: first, until: addMonths(first, 1), timeZone }} days={usedDays} />
      </ChartFrame>
    );
  const dayOf = (step: number) => parseDay(addDays(first, step)) ?? 0;
  const state =
    budgetUsd === undefined
      ? "none"
      : spentUsd >= budgetUsd
        ? "over"
        : projectedUsd > budgetUsd
          ? "soon"
          : "within";
  const describe = (step: number) => {
    const name = formatDay(dayOf(step));
    const known = days[step];
    if (known)
      return {
        name,
        value: `${formatDollars(known.sumUsd)} so far, ${formatDollars(known.costUsd)} on this day`,
      };
    const expected =
      spentUsd + ((projectedUsd - spentUsd) * (step + 1 - elapsedDays)) / (dayCount - elapsedDays);
    return { name, value: `${formatDollars(expected)} expected` };
  };
  const end = formatDay(dayOf(dayCount - 1));
  const limit =
    budgetUsd === undefined ? undefined : { value: budgetUsd, label: `Budget ${formatDollars(budgetUsd)}` };
  return (
    <ChartFrame title="Cost of this month" usage={usage} params={{ ...params, running: true }}>
      <p class={`month-words month-${state}`} data-spent={spentUsd} data-projected={projectedUsd}>
        <strong>
          On course for {formatDollars(projectedUsd)}
          {budgetUsd !== undefined && ` of ${formatDollars(budgetUsd)}`}
        </strong>{" "}
        by {end}: {formatDollars(spentUsd)} so far
        {budgetUsd !== undefined && ` (${formatPercent(spentUsd / budgetUsd)} of the budget)`}
        {usedUpOn !== undefined &&
          `, ${state === "over" ? "used up on" : "will be used up about"} ${formatDay(parseDay(usedUpOn) ?? 0)}`}
        .
      </p>
      <CumulativeChart
        sums={days.map(({ sumUsd }) => sumUsd)}
        stepCount={dayCount}
        elapsed={elapsedDays}
        projected={projectedUsd}
        limit={limit}
        label="Cost of this month by day, cumulative"
        createFormatter={createCostFormatter}
        toTick={(step) => (step % 7 === 0 && step < dayCount - 1 ? formatDayTick(toDate(dayOf(step))) : "")}
        describe={describe}
      />
      <p class="chart-note">
        Forecast (dashed): the mean of the {elapsedDays < 1 ? "first day" : `${elapsedDays.toFixed(1)} days`}{" "}
        so far, {formatDollars(projectedUsd / dayCount)} per day, for all {dayCount} days.
        {budgetUsd === undefined &&
          " To compare with a budget, enter one under More, or run pidex config set budget 200/month."}
      </p>
    </ChartFrame>
  );
}
