/** Counts by day as bars: which there are, what is chosen of them, what stands below them. */
import { scaleUtc } from "d3-scale";
import { numberOf, type Span, saySpan, sayTick, spansBetween, stepFor, toDate } from "./days.ts";

/** Days; `until` is the first that is no longer of it. */
export interface Days {
  since?: string | undefined;
  until?: string | undefined;
}

/** Fewer days would be bars as wide as the page. */
const LEAST_DAYS = 14;
const TICK_ROOM = 72;

export const counts = new Intl.NumberFormat("en-GB");

export type Bar = Span & { count: number };

/** The bars from the first day that is counted, or chosen, to the last: those between that have none too. */
export function barsOf(
  days: readonly { day: string; count: number }[],
  range: Days | undefined,
  most: number,
): Bar[] {
  const counted = days.flatMap(({ day, count }) => {
    const number = numberOf(day);
    return number === undefined ? [] : [{ day: number, count }];
  });
  if (counted.length === 0 || most < 1) return [];
  const since = numberOf(range?.since ?? "") ?? Number.POSITIVE_INFINITY;
  const until = numberOf(range?.until ?? "") ?? Number.NEGATIVE_INFINITY;
  let first = counted.reduce((least, { day }) => Math.min(least, day), since);
  const last = counted.reduce((most, { day }) => Math.max(most, day), until - 1);
  first = Math.min(first, last - LEAST_DAYS + 1);
  const step = stepFor(last - first + 1, most);
  const bars: Bar[] = spansBetween(first, last, step).map((span) => ({ ...span, count: 0 }));
  for (const { day, count } of counted) {
    const bar = bars.findLast(({ from }) => from <= day);
    if (bar) bar.count += count;
  }
  return bars;
}

export function spanOf(range: Days | undefined, whole: Span): Span | undefined {
  if (range?.since === undefined && range?.until === undefined) return undefined;
  const from = numberOf(range.since ?? "") ?? whole.from;
  const until = numberOf(range.until ?? "") ?? whole.until;
  return { from: Math.max(from, whole.from), until: Math.min(until, whole.until) };
}

export function ticks(whole: Span, width: number): { at: number; label: string }[] {
  const time = scaleUtc()
    .domain([toDate(whole.from), toDate(whole.until)])
    .range([0, width]);
  const most = Math.max(1, Math.floor(width / TICK_ROOM));
  return time
    .ticks(most)
    .filter((date) => date.getUTCHours() === 0)
    .map((date) => ({ at: Math.round(time(date)), label: sayTick(date) }))
    .filter(({ at }) => at <= width - TICK_ROOM / 2);
}

export function summary(bars: readonly Bar[], what: string): string {
  const sum = bars.reduce((all, { count }) => all + count, 0);
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
  return `${counts.format(sum)} ${what}; most, ${counts.format(most.count)}, in ${saySpan(most)}`;
}
