import { useMemo } from "preact/hooks";
import type { UsageDimension } from "../../../../library/index.ts";
import { StackedBars } from "../charts/stacked-bars.tsx";
import { type Piece, stacksOf } from "../charts/stacks.ts";
import type { Answered } from "./ask.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import type { Choice, Period } from "./choice.ts";
import { namesOf } from "./names.ts";
import { timelineOf } from "./timeline.ts";
import type { Figures } from "./usage-table.tsx";

interface Props extends Answered {
  choice: Choice;
  measured: (figures: Figures) => number;
  write: (value: number) => string;
  /** A day was chosen. */
  onDay: (day: string) => void;
}

/** What was spent in each period, and by what. */
export function OverTime({ usage, asked, choice, measured, write, onDay }: Props) {
  const { rows, groups, otherGroups } = usage;
  const { since, until, measure } = choice;
  // What was answered, which may be to the question before.
  const [period, by] = usage.by as [Period, UsageDimension];
  const { slots, series, untimed } = useMemo(() => {
    const timeline = timelineOf(
      rows.map(({ key }) => key[period]),
      period,
      { since, until },
    );
    const nameOf = namesOf(rows, by);
    const pieces: Piece[] = [];
    let untimed = 0;
    for (const row of rows) {
      const slot = timeline.slotOf(row.key[period]);
      if (slot === undefined) untimed += measured(row);
      else pieces.push({ slot, name: nameOf(row), value: measured(row) });
    }
    // A period that is drawn is drawn whole.
    for (const { key, others } of groups ?? []) {
      const slot = timeline.slotOf(key[period]);
      if (others && slot !== undefined) pieces.push({ slot, name: "others", value: measured(others) });
    }
    return { slots: timeline.slots, series: stacksOf(pieces, timeline.slots.length), untimed };
  }, [rows, groups, period, by, since, until, measured]);
  const title = `${measure === "cost" ? "Cost" : "Tokens"} by ${period} and ${by}`;
  return (
    <ChartFrame {...{ title, usage, asked }}>
      {slots.length === 0 ? (
        <p class="chart-empty">Nothing was spent in this range.</p>
      ) : (
        <StackedBars
          slots={slots}
          series={series}
          label={title}
          write={write}
          {...(period === "day" && {
            onChoose: (slot: number) => {
              const begins = slots[slot]?.begins;
              if (begins) onDay(begins.toISOString().slice(0, 10));
            },
          })}
        />
      )}
      {untimed > 0 && <p class="chart-note">Not in the chart: {write(untimed)} of acts without a time.</p>}
      {otherGroups && (
        <p class="chart-note">
          Only the newest {period}s are drawn; {write(measured(otherGroups))} were spent before.
        </p>
      )}
    </ChartFrame>
  );
}
