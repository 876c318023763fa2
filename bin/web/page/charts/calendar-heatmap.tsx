import { utcMonth } from "d3-time";
import { useState } from "preact/hooks";
import "./calendar-heatmap.css";
import { type ChartCursor, ChartSlider, END_STEPS } from "./chart-slider.tsx";
import { formatDay, formatIsoDate, formatMonthTick, parseDay, toDate, toDayNumber } from "./days.ts";
import "./series.css";
import { ScrollFrame } from "../shell/scroll-frame.tsx";
import { Tooltip } from "./tooltip.tsx";
import { useWidth } from "./use-width.ts";

interface Props {
  /** By date: 2026-01-31. */
  values: ReadonlyMap<string, number>;
  /** The last day displayed. */
  last: string;
  /** The first day displayed; by default about a year before the last. */
  first?: string | undefined;
  /** 0 is Sunday, as in `Date`. */
  weekStart: number;
  label: string;
  /** A formatter for values up to the largest. */
  createFormatter: (largest: number) => (value: number) => string;
  /** What is said instead of the value of a day. */
  unknown?: ReadonlyMap<string, string>;
  onChoose?: (day: string) => void;
}

const WEEKS = 53;
/** The smallest size of a day including its gap, in pixels: it fills the width available. */
const MIN_CELL = 13;
/** The width of the names of the weekdays, beside the days. */
const LEFT = 30;
const TOP = 18;
const NAMES = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/** Columns are weeks. */
const STEPS = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1, ...END_STEPS };
const LEVELS = [0, 1, 2, 3, 4];

/** A year of days, with a column per week and a row per weekday; the darker a day, the larger its value. Arrow keys move between days. */
export function CalendarHeatmap({
  values,
  last,
  weekStart,
  label,
  createFormatter,
  unknown,
  onChoose,
  ...props
}: Props) {
  const [ref, availableWidth] = useWidth<HTMLDivElement>();
  const today = parseDay(last) ?? 0;
  const [{ at: cursor, isShown }, setCursor] = useState<ChartCursor>({ isShown: false });
  const weekdayOf = (day: number) => (toDate(day).getUTCDay() - weekStart + 7) % 7;
  const first = parseDay(props.first ?? "") ?? today - weekdayOf(today) - (WEEKS - 1) * 7;
  /** The first day of the first column. */
  const origin = first - weekdayOf(first);
  const weeks = Math.max(WEEKS, Math.floor((today - origin) / 7) + 1);
  const cell = Math.max(MIN_CELL, availableWidth / weeks);
  const [gap, radius] = cell < 20 ? [2, 2] : [3, 3];
  const days = Array.from({ length: today - first + 1 }, (_, n) => first + n);
  const valueOn = (day: number) => values.get(formatIsoDate(day)) ?? 0;
  const max = days.reduce((greatest, day) => Math.max(greatest, valueOn(day)), 0);
  const write = createFormatter(max);
  const at = Math.min(today, Math.max(first, cursor ?? today));
  const valueAt = unknown?.get(formatIsoDate(at)) ?? createFormatter(valueOn(at))(valueOn(at));
  const place = (day: number) => {
    return { x: Math.floor((day - origin) / 7) * cell, y: TOP + weekdayOf(day) * cell };
  };
  const dayAt = (event: MouseEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const week = Math.floor((event.clientX - box.left) / cell);
    const weekday = Math.min(6, Math.max(0, Math.floor((event.clientY - box.top) / cell)));
    const day = origin + week * 7 + weekday;
    return day >= first && day <= today ? day : undefined;
  };
  const width = Math.max(availableWidth, weeks * cell);
  return (
    <div class="heatmap">
      <div class="heatmap-plots">
        <svg width={LEFT} height={TOP + 7 * cell} aria-hidden="true">
          {[0, 2, 4].map((row) => (
            <text key={row} class="axis" x={0} y={TOP + row * cell + (cell - gap) / 2} dy="0.35em">
              {NAMES[(weekStart + row) % 7]}
            </text>
          ))}
        </svg>
        <ScrollFrame class="heatmap-scroll" box={ref}>
          <div class="heatmap-plot" style={{ width: `${width}px` }}>
            <svg width={width} height={TOP + 7 * cell} aria-hidden="true">
              {/* Above the first week that begins in the month. Without a last month that lacks space for its name. */}
              {utcMonth.range(toDate(first), toDate(today - 19)).map((date) => (
                <text key={date.getTime()} class="axis" x={place(toDayNumber(date) + 6).x} y={11}>
                  {formatMonthTick(date)}
                </text>
              ))}
              {days.map((day) => (
                <rect
                  key={day}
                  {...place(day)}
                  width={cell - gap}
                  height={cell - gap}
                  rx={radius}
                  class={day === at && isShown ? "heatmap-at" : undefined}
                  style={{ fill: `var(--heat-${toLevel(valueOn(day), max)})` }}
                />
              ))}
            </svg>
            <ChartSlider
              class="heatmap-hand"
              style={{ left: "0", top: `${TOP}px` }}
              aria-label={label}
              aria-valuetext={`${formatDay(at)}: ${valueAt}`}
              at={at}
              min={first}
              max={today}
              placeAt={dayAt}
              onCursor={setCursor}
              onChoose={onChoose && ((day) => onChoose(formatIsoDate(day)))}
              steps={STEPS}
            />
            {isShown && (
              <Tooltip at={place(at).x + cell / 2} width={width}>
                <strong>{valueAt}</strong> · {formatDay(at)}
                {onChoose && <p class="tip-hint">Click to show this day</p>}
              </Tooltip>
            )}
          </div>
        </ScrollFrame>
      </div>
      <p class="heatmap-legend">
        <span>Less</span>
        {LEVELS.map((level) => (
          <span
            key={level}
            class="swatch"
            title={level === 0 ? write(0) : `Up to ${write(max * (level / 4) ** 2)}`}
            style={{ background: `var(--heat-${level})` }}
          />
        ))}
        <span>More: up to {write(max)} a day</span>
      </p>
    </div>
  );
}

/** Color level from 0 to 4. Few days have large values, so the square root makes the others distinguishable. */
function toLevel(value: number, max: number): number {
  if (value <= 0 || max <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil(Math.sqrt(value / max) * 4)));
}
