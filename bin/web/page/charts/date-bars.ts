/** Counts by day as bars, the selected span and its edges, and axis ticks. */
import { scaleUtc } from "d3-scale";
import { formatInteger } from "../../../format/safe.ts";
import { toSliderSteps } from "./chart-slider.tsx";
import {
  chooseStep,
  createTickFormatter,
  type DaySpan,
  formatSpan,
  listSpans,
  parseDay,
  toDate,
} from "./days.ts";

/** A range of days. `until` is exclusive. */
export interface DayRange {
  since: string;
  until: string;
}

/** With fewer days, bars would be as wide as the page. */
const MIN_DAYS = 14;
const MIN_TICK_DISTANCE_PX = 72;
/** The width of a character of a label, and of the gap beside the label. */
const CHARACTER_PX = 7;
const GAP_PX = 12;

/** Page Up and Page Down move by four bars. */
const STEPS = toSliderSteps(4);

export type Bar = DaySpan & { count: number };

/** At most about `maxBars` bars, from the first counted or selected day to the last, including empty ones. */
export function toBars(
  days: readonly { day: string; count: number }[],
  range: Partial<DayRange> | undefined,
  maxBars: number,
): Bar[] {
  const counted = days.flatMap(({ day, count }) => {
    const number = parseDay(day);
    return number === undefined ? [] : [{ day: number, count }];
  });
  if (counted.length === 0 || maxBars < 1) return [];
  const since = parseDay(range?.since ?? "") ?? Number.POSITIVE_INFINITY;
  const until = parseDay(range?.until ?? "") ?? Number.NEGATIVE_INFINITY;
  let first = counted.reduce((earliest, { day }) => Math.min(earliest, day), since);
  const last = counted.reduce((latest, { day }) => Math.max(latest, day), until - 1);
  first = Math.min(first, last - MIN_DAYS + 1);
  const step = chooseStep(last - first + 1, maxBars);
  const bars: Bar[] = listSpans(first, last, step).map((span) => ({ ...span, count: 0 }));
  for (const { day, count } of counted) {
    const bar = bars.findLast(({ from }) => from <= day);
    if (bar) bar.count += count;
  }
  return bars;
}

/** The part of a range that lies within `whole`; undefined without a range. */
export function clipToSpan(range: Partial<DayRange> | undefined, whole: DaySpan): DaySpan | undefined {
  if (range?.since === undefined && range?.until === undefined) return undefined;
  const from = parseDay(range.since ?? "") ?? whole.from;
  const until = parseDay(range.until ?? "") ?? whole.until;
  return { from: Math.max(from, whole.from), until: Math.min(until, whole.until) };
}

/**
 * The range after a key press. Arrow keys move the focused edge by one bar, or the other edge with Shift. Undefined for other
 * keys. Edges never cross: at least one bar remains.
 */
export function moveRange(
  range: DaySpan,
  spans: readonly DaySpan[],
  edge: keyof DayRange,
  key: string,
  isShifted: boolean,
) {
  const [first, last] = [spans[0], spans.at(-1)];
  const step = STEPS[key];
  if (!first || !last || step === undefined) return undefined;
  const movesSince = (edge === "since") !== isShifted;
  const at = movesSince ? range.from : range.until;
  const edges = [...spans.map(({ from }) => from), last.until];
  const to =
    step < 0
      ? (edges.filter((day) => day < at).at(step) ?? first.from)
      : (edges.filter((day) => day > at)[step - 1] ?? last.until);
  if (movesSince) {
    const latest = edges.findLast((day) => day < range.until) ?? first.from;
    return { from: Math.min(to, latest), until: range.until };
  }
  const earliest = edges.find((day) => day > range.from) ?? last.until;
  return { from: range.from, until: Math.max(to, earliest) };
}

export function toDayTicks(whole: DaySpan, width: number): { at: number; label: string }[] {
  const time = scaleUtc()
    .domain([toDate(whole.from), toDate(whole.until)])
    .range([0, width]);
  const maxTicks = Math.max(1, Math.floor(width / MIN_TICK_DISTANCE_PX));
  const ticks: { at: number; label: string }[] = [];
  const dates = time.ticks(maxTicks).filter((date) => date.getUTCHours() === 0);
  const format = createTickFormatter(dates);
  for (const date of dates) {
    const at = Math.round(time(date));
    // Weeks and months are not equally long: some ticks are too close to the one before.
    const before = ticks.at(-1);
    if (before && at - before.at < before.label.length * CHARACTER_PX + GAP_PX) continue;
    if (at <= width - MIN_TICK_DISTANCE_PX / 2) ticks.push({ at, label: format(date) });
  }
  return ticks;
}

/** A text alternative for the chart. */
export function summarizeBars(bars: readonly Bar[], what: string): string {
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const highest = bars.reduce((a, b) => (b.count > a.count ? b : a));
  return `${formatInteger(total)} ${what}; highest: ${formatInteger(highest.count)}, ${formatSpan(highest)}`;
}
