/** Calendar days as numbers, and the spans that bars cover. Without time zones: a day is a date. */
import { type TimeInterval, utcDay, utcMonday, utcMonth, utcYear } from "d3-time";
import { DAY_MS } from "../../../format/times.ts";

/** The length of a bar: a number of days, weeks or months. */
export interface BarStep {
  unit: "day" | "week" | "month";
  count: number;
}

/** From fine to coarse. The last ones are for clocks that were far off. */
const STEPS: readonly BarStep[] = [
  { unit: "day", count: 1 },
  { unit: "week", count: 1 },
  { unit: "month", count: 1 },
  { unit: "month", count: 3 },
  { unit: "month", count: 12 },
  { unit: "month", count: 120 },
  { unit: "month", count: 1200 },
];
const DAYS_IN = { day: 1, week: 7, month: 30.4 };

/** The number of days from 1970-01-01 to a date; undefined for other text, and for years outside 0000 to 9999. */
export function parseDay(day: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(day)) return undefined;
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : Math.round(time / DAY_MS);
}

/** The day number of a moment, in UTC. */
export function toDayNumber(date: Date): number {
  return Math.floor(date.getTime() / DAY_MS);
}

/** The ISO date of a day number: 2026-01-31. */
export function formatIsoDate(day: number): string {
  return toDate(day).toISOString().slice(0, 10);
}

export function toDate(day: number): Date {
  return new Date(day * DAY_MS);
}

/** The finest step that covers `days` with at most `maxBars` bars. */
export function chooseStep(days: number, maxBars: number): BarStep {
  const fits = ({ unit, count }: BarStep) => days / (DAYS_IN[unit] * count) <= Math.max(1, maxBars);
  return STEPS.find(fits) ?? (STEPS.at(-1) as BarStep);
}

/** The d3 interval of a step. Weeks start on Monday. */
function toInterval({ unit, count }: BarStep): TimeInterval {
  if (unit === "day") return utcDay;
  if (unit === "week") return utcMonday;
  return (count < 12 ? utcMonth.every(count) : utcYear.every(count / 12)) ?? utcMonth;
}

/** The first day of the span that contains a day. */
export function floorToStep(day: number, step: BarStep): number {
  return toDayNumber(toInterval(step).floor(toDate(day)));
}

/** The first day of the next span. */
function nextStart(start: number, step: BarStep): number {
  return toDayNumber(toInterval(step).ceil(toDate(start + 1)));
}

/** Days from `from` to `until`, which is exclusive. */
export interface DaySpan {
  from: number;
  until: number;
}

/** The spans that cover the days from `first` to `last`, both inclusive. */
export function listSpans(first: number, last: number, step: BarStep): DaySpan[] {
  const spans: DaySpan[] = [];
  for (let from = floorToStep(first, step); from <= last; ) {
    const until = nextStart(from, step);
    spans.push({ from, until });
    from = until;
  }
  return spans;
}

// The page is in English, whatever the browser's language.
const LONG = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const SHORT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const MONTH_OF_YEAR = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** A day as text: 3 Mar 2026. */
export function formatDay(day: number): string {
  return LONG.format(toDate(day));
}

/** A span as text: a day, a month, or its first and last day. */
export function formatSpan({ from, until }: DaySpan): string {
  if (until - from <= 1) return formatDay(from);
  const first = toDate(from);
  const isMonth = first.getUTCDate() === 1 && nextStart(from, { unit: "month", count: 1 }) === until;
  if (isMonth) return MONTH_OF_YEAR.format(first);
  const last = toDate(until - 1);
  const isSameYear = first.getUTCFullYear() === last.getUTCFullYear();
  return `${isSameYear ? SHORT.format(first) : LONG.format(first)} – ${LONG.format(last)}`;
}

/** An axis label for a moment in UTC: the year on 1 January, the month on the first day of others, else the day. */
export function formatTick(date: Date): string {
  if (date.getUTCDate() !== 1) return SHORT.format(date);
  return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : MONTH.format(date);
}
