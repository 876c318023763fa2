import { WEEKDAYS } from "../../../format/weekdays.ts";
import { CalendarHeatmap } from "../charts/calendar-heatmap.tsx";
import type { AmountFormatter } from "./amounts.ts";
import { ChartFrame } from "./chart-frame.tsx";
import { isCostUnknown } from "./unknown-cost.ts";
import type { UsageResult } from "./usage-query.tsx";
import type { UsageState } from "./usage-state.ts";
import { addDays, formatZonedDate } from "./zone-days.ts";

interface Props extends UsageResult {
  choice: UsageState;
  /** By date: 2026-01-31. */
  values: ReadonlyMap<string, number>;
  /** The first day with usage. */
  firstDay: string | undefined;
  createFormatter: AmountFormatter;
  onDay: (day: string) => void;
  /** Undefined is the last twelve months. */
  onYear: (year: number | undefined) => void;
}

/** Cost or tokens by day: the last twelve months, or an earlier year. */
export function Calendar({ choice, values, firstDay, createFormatter, onDay, onYear, ...answered }: Props) {
  const today = formatZonedDate(choice.timeZone, Date.now());
  const thisYear = toYear(today);
  // The calendar keeps its year while days of it are selected.
  const isEarlier = choice.until !== undefined && choice.until <= addDays(today, -360);
  const year = choice.year ?? (isEarlier && choice.until ? toYear(addDays(choice.until, -1)) : undefined);
  const isPast = year !== undefined && year < thisYear;
  const span = isPast ? String(year) : "last 12 months";
  const title = `${choice.measure === "cost" ? "Cost" : "Tokens"} by day, ${span}`;
  const previous = (isPast ? year : thisYear) - 1;
  const hasPrevious = firstDay !== undefined && toYear(firstDay) <= previous;
  const unknown = new Map(
    choice.measure === "cost"
      ? answered.usage.rows.filter(isCostUnknown).map(({ key }) => [key.day ?? "", "No cost recorded"])
      : [],
  );
  const step = (label: string, sign: string, isEnabled: boolean, to: number | undefined) => (
    <button
      type="button"
      class="button button-step"
      aria-label={label}
      title={label}
      disabled={!isEnabled}
      onClick={() => onYear(to)}
    >
      {sign}
    </button>
  );
  const next = isPast && year + 1 < thisYear ? year + 1 : undefined;
  return (
    <ChartFrame
      {...answered}
      title={title}
      caption="By day, all time"
      controls={
        <>
          {step("Previous year", "‹", hasPrevious, previous)}
          {step("Next year", "›", isPast, next)}
        </>
      }
    >
      <CalendarHeatmap
        key={span}
        values={values}
        first={isPast ? `${year}-01-01` : undefined}
        last={isPast ? `${year}-12-31` : today}
        weekStart={(WEEKDAYS.indexOf(choice.weekStart) + 1) % 7}
        label={title}
        createFormatter={createFormatter}
        unknown={unknown}
        onChoose={onDay}
      />
    </ChartFrame>
  );
}

function toYear(day: string): number {
  return Number(day.slice(0, 4));
}
