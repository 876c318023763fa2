import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { UsageDimension } from "../../../../library/index.ts";
import { formatCount } from "../../../format/safe.ts";
import { countSeries, type DataPoint, hasOthers, toSeries } from "../charts/series.ts";
import type { TimeSlot } from "../charts/slot-ticks.ts";
import { StackedBars } from "../charts/stacked-bars.tsx";
import type { AmountFormatter } from "./amounts.ts";
import { ChartFrame } from "./chart-frame.tsx";
import { UNRECORDED_HINTS } from "./hints.ts";
import { createNameFormatter, getRestName, type Row } from "./names.ts";
import { type LocalRange, toSessionsUrl } from "./session-links.ts";
import { ShowAll, useOpened } from "./show-all.tsx";
import { createTimeline } from "./timeline.ts";
import type { UsageResult } from "./usage-query.tsx";
import type { Period, UsageState } from "./usage-state.ts";
import type { Figures } from "./usage-table.tsx";

interface Props extends UsageResult {
  choice: UsageState;
  /** The rows of all time, the costliest first: they choose the colors. */
  ranked: readonly Row[];
  measured: (figures: Figures) => number;
  createFormatter: AmountFormatter;
  /** Shown if there is no usage in the range. */
  empty: ComponentChildren;
}

/** The chart of cost or tokens by period. */
export function OverTime({ usage, params, choice, ranked, measured, createFormatter, empty }: Props) {
  const { rows, groups, otherGroups } = usage;
  const { since, until, measure } = choice;
  // From the response, which may still be the previous one.
  const [period, by] = usage.by as [Period, UsageDimension];
  const [isOpen] = useOpened("series");
  const { route } = useLocation();
  const { slots, series, untimed, seriesCount } = useMemo(() => {
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
    const series = toSeries(points, timeline.slots.length, { isOpen, ranked: ranked.map(nameOf) });
    return { slots: timeline.slots, series, untimed, seriesCount: countSeries(points) };
  }, [rows, groups, period, by, since, until, measured, isOpen, ranked]);
  const openSessions = (slot: TimeSlot) => {
    const url = toSessionsUrl(choice, {}, toLocalRange(slot, period, { since, until }));
    if (url !== undefined) route(url);
  };
  const unrecorded = UNRECORDED_HINTS.get(by);
  const title = `${measure === "cost" ? "Cost" : "Tokens"} by ${period} and ${by}`;
  return (
    <ChartFrame {...{ title, usage, params }}>
      {slots.length === 0 ? (
        empty
      ) : (
        <StackedBars
          slots={slots}
          series={series}
          label={title}
          createFormatter={createFormatter}
          onChoose={openSessions}
          hint="Click to see its sessions"
        >
          {hasOthers(seriesCount) && <ShowAll name="series" all={formatCount(seriesCount, by)} />}
        </StackedBars>
      )}
      {unrecorded !== undefined &&
        rows.some((row) => (row.key[by] ?? null) === null && measured(row) > 0) && (
          <p class="chart-note">
            {getRestName(by)}: {unrecorded}
          </p>
        )}
      {untimed > 0 && (
        <p class="chart-note">Not in the chart: {createFormatter(untimed)(untimed)} without a time.</p>
      )}
      {otherGroups && (
        <p class="chart-note">
          The chart shows only the newest {period}s. Earlier ones:{" "}
          {createFormatter(measured(otherGroups))(measured(otherGroups))}.
        </p>
      )}
    </ChartFrame>
  );
}

/** A period without the days outside of the range. */
function toLocalRange({ begins, ends }: TimeSlot, period: Period, range: LocalRange): LocalRange {
  const [since, until] = [begins, ends].map((at) => at.toISOString().slice(0, period === "hour" ? 16 : 10));
  const first = range.since !== undefined && since !== undefined && since < range.since ? range.since : since;
  const end = range.until !== undefined && until !== undefined && until > range.until ? range.until : until;
  return { since: first, until: end };
}
