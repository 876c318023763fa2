import { useMemo } from "preact/hooks";
import type { UsageDimension } from "../../../../library/index.ts";
import { type DataPoint, toSeries } from "../charts/series.ts";
import { StackedBars } from "../charts/stacked-bars.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import { createNameFormatter } from "./names.ts";
import { createTimeline } from "./timeline.ts";
import type { UsageResult } from "./usage-query.tsx";
import type { Period, UsageState } from "./usage-state.ts";
import type { Figures } from "./usage-table.tsx";

interface Props extends UsageResult {
  choice: UsageState;
  measured: (figures: Figures) => number;
  write: (value: number) => string;
  /** Called with the selected day. */
  onDay: (day: string) => void;
}

/** The chart of cost or tokens by period. */
export function OverTime({ usage, params, choice, measured, write, onDay }: Props) {
  const { rows, groups, otherGroups } = usage;
  const { since, until, measure } = choice;
  // From the response, which may still be the previous one.
  const [period, by] = usage.by as [Period, UsageDimension];
  const { slots, series, untimed } = useMemo(() => {
    const periods = rows.map(({ key }) => key[period]);
    const timeline = createTimeline(periods, period, { since, until });
    const nameOf = createNameFormatter(rows, by);
    const points: DataPoint[] = [];
    let untimed = 0;
    for (const row of rows) {
      const slot = timeline.slotOf(row.key[period]);
      if (slot === undefined) untimed += measured(row);
      else points.push({ slot, name: nameOf(row), value: measured(row) });
    }
    // Each period includes the rows omitted by the limit.
    for (const { key, others } of groups ?? []) {
      const slot = timeline.slotOf(key[period]);
      if (others && slot !== undefined) points.push({ slot, name: "others", value: measured(others) });
    }
    return { slots: timeline.slots, series: toSeries(points, timeline.slots.length), untimed };
  }, [rows, groups, period, by, since, until, measured]);
  const title = `${measure === "cost" ? "Cost" : "Tokens"} by ${period} and ${by}`;
  return (
    <ChartFrame {...{ title, usage, params }}>
      {slots.length === 0 ? (
        <p class="chart-empty">No usage in this range.</p>
      ) : (
        <StackedBars
          slots={slots}
          series={series}
          label={title}
          write={write}
          onChoose={period === "day" ? ({ begins }) => onDay(begins.toISOString().slice(0, 10)) : undefined}
        />
      )}
      {untimed > 0 && <p class="chart-note">Not in the chart: {write(untimed)} without a time.</p>}
      {otherGroups && (
        <p class="chart-note">
          The chart shows only the newest {period}s. Earlier ones: {write(measured(otherGroups))}.
        </p>
      )}
    </ChartFrame>
  );
}
