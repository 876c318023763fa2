/** Days of the calendar as numbers, and the spans that they are summed to. No time zone: a day is its date. */
import { type TimeInterval, utcDay, utcMonday, utcMonth, utcYear } from "d3-time";

/** So many of a unit are one bar: days, weeks, or months, which may be whole years. */
export interface Step {
  unit: "day" | "week" | "month";
  count: number;
}

/** From fine to coarse; the last is for clocks that were far off. */
const STEPS: readonly Step[] = [
  { unit: "day", count: 1 },
  { unit: "week", count: 1 },
  { unit: "month", count: 1 },
  { unit: "month", count: 3 },
  { unit: "month", count: 12 },
  { unit: "month", count: 120 },
  { unit: "month", count: 1200 },
];
const LENGTHS = { day: 1, week: 7, month: 30.4 };

export const DAY_MS = 86_400_000;

/** Which day since 1970 a date is, undefined where it is none, or of a year that no calendar of ours can go on from. */
export function numberOf(day: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(day)) return undefined;
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : Math.round(time / DAY_MS);
}

/** Which day since 1970 a moment is in, in UTC. */
export function dayOf(date: Date): number {
  return Math.floor(date.getTime() / DAY_MS);
}

/** The date of a day since 1970: 2026-01-31. */
export function dateOf(day: number): string {
  return toDate(day).toISOString().slice(0, 10);
}

export function toDate(day: number): Date {
  return new Date(day * DAY_MS);
}

/** The finest step of which no more than so many cover so many days. */
export function stepFor(days: number, most: number): Step {
  const fits = ({ unit, count }: Step) => days / (LENGTHS[unit] * count) <= Math.max(1, most);
  return STEPS.find(fits) ?? (STEPS.at(-1) as Step);
}

/** The spans of a step. Weeks begin on Monday. */
function spansOf({ unit, count }: Step): TimeInterval {
  if (unit === "day") return utcDay;
  if (unit === "week") return utcMonday;
  return (count < 12 ? utcMonth.every(count) : utcYear.every(count / 12)) ?? utcMonth;
}

/** The first day of the span that a day is in. */
export function startOf(day: number, step: Step): number {
  return dayOf(spansOf(step).floor(toDate(day)));
}

/** The first day of the span after one. */
function nextOf(start: number, step: Step): number {
  return dayOf(spansOf(step).ceil(toDate(start + 1)));
}

/** Days from `from` until `until`, which is none of it. */
export interface Span {
  from: number;
  until: number;
}

/** The spans that lie, whole or in part, between two days; both are days of them. */
export function spansBetween(first: number, last: number, step: Step): Span[] {
  const spans: Span[] = [];
  for (let from = startOf(first, step); from <= last; ) {
    const until = nextOf(from, step);
    spans.push({ from, until });
    from = until;
  }
  return spans;
}

// One language for all of the page, whatever the browser's is.
const LONG = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const SHORT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const MONTH_OF_YEAR = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** A day as people say it: 3 Mar 2026. */
export function sayDay(day: number): string {
  return LONG.format(toDate(day));
}

/** A span as people say it: a day, a month, or its first and last day. */
export function saySpan({ from, until }: Span): string {
  if (until - from <= 1) return sayDay(from);
  const first = toDate(from);
  const isMonth = first.getUTCDate() === 1 && nextOf(from, { unit: "month", count: 1 }) === until;
  if (isMonth) return MONTH_OF_YEAR.format(first);
  const last = toDate(until - 1);
  const isSameYear = first.getUTCFullYear() === last.getUTCFullYear();
  return `${isSameYear ? SHORT.format(first) : LONG.format(first)} – ${LONG.format(last)}`;
}

/** What stands below an axis at a moment in UTC: the year where one begins, else the month, or the day. */
export function sayTick(date: Date): string {
  if (date.getUTCDate() !== 1) return SHORT.format(date);
  return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : MONTH.format(date);
}
