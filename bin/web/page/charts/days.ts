/** Calendar days as numbers, and the spans that bars cover. Without time zones: a day is a date. */
import { type TimeInterval, utcDay, utcMonday, utcMonth, utcYear } from "d3-time";
import { DAY_MS } from "../../../format/times.ts";

/** The intervals of bars from fine to coarse, and their lengths in days. The last ones are for clocks that were far off. */
const STEPS: readonly (readonly [days: number, interval: TimeInterval | null])[] = [
  [1, utcDay],
  [7, utcMonday],
  [30.4, utcMonth],
  [91, utcMonth.every(3)],
  [365, utcYear],
  [3650, utcYear.every(10)],
  [36_500, utcYear.every(100)],
];

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

/** The finest interval that covers `days` with at most `maxBars` bars. Weeks start on Monday. */
export function chooseStep(days: number, maxBars: number): TimeInterval {
  const step = STEPS.find(([length]) => days / length <= Math.max(1, maxBars)) ?? STEPS.at(-1);
  return step?.[1] ?? utcMonth;
}

/** The first day of the next span. */
function nextStart(start: number, step: TimeInterval): number {
  return toDayNumber(step.ceil(toDate(start + 1)));
}

/** Days from `from` to `until`, which is exclusive. */
export interface DaySpan {
  from: number;
  until: number;
}

/** The spans that cover the days from `first` to `last`, both inclusive. */
export function listSpans(first: number, last: number, step: TimeInterval): DaySpan[] {
  const spans: DaySpan[] = [];
  for (let from = toDayNumber(step.floor(toDate(first))); from <= last; ) {
    const until = nextStart(from, step);
    spans.push({ from, until });
    from = until;
  }
  return spans;
}

// The page is in English, whatever the browser's language. British English has the day first, but abbreviates September
// to four letters, as no other month.
const toText = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (date: Date): string => format.format(date).replace(/\bSept\b/, "Sep");
};
const toLong = toText({ dateStyle: "medium" });
const toShort = toText({ day: "numeric", month: "short" });
const toMonth = toText({ month: "short" });
const toMonthOfYear = toText({ month: "long", year: "numeric" });

/** A day as text: 3 Mar 2026. */
export function formatDay(day: number): string {
  return toLong(toDate(day));
}

/** A span as text: a day, a month, or its first and last day. */
export function formatSpan({ from, until }: DaySpan): string {
  if (until - from <= 1) return formatDay(from);
  const first = toDate(from);
  const isMonth = first.getUTCDate() === 1 && nextStart(from, utcMonth) === until;
  if (isMonth) return toMonthOfYear(first);
  const last = toDate(until - 1);
  const isSameYear = first.getUTCFullYear() === last.getUTCFullYear();
  return `${isSameYear ? toShort(first) : toLong(first)} – ${toLong(last)}`;
}

/** A range as text: `2 – 8 Feb 2026`, `2 Feb 2026, 09:00 – 10:00`, `since 2 Feb 2026`. `until` is exclusive; "" is open. */
export function formatRange(since: string, until: string): string {
  if (isTime(since) || isTime(until)) return formatTimes(since, until);
  const [from, end] = [parseDay(since), parseDay(until)];
  if (from !== undefined && end !== undefined) return formatSpan({ from, until: end });
  if (from !== undefined) return `since ${formatDay(from)}`;
  return end === undefined ? `${since} – ${until}` : `until ${formatDay(end - 1)}`;
}

/** Whether a moment is within a day: `2026-01-31T09:00`. */
function isTime(moment: string): boolean {
  return /T(?!00:00)/.test(moment);
}

function formatTimes(since: string, until: string): string {
  const format = (moment: string) => {
    const day = parseDay(moment);
    return day === undefined ? moment : `${formatDay(day)}, ${moment.slice(11, 16) || "00:00"}`;
  };
  if (since === "" || until === "")
    return since === "" ? `before ${format(until)}` : `since ${format(since)}`;
  const isSameDay = since.slice(0, 10) === until.slice(0, 10);
  return `${format(since)} – ${isSameDay ? until.slice(11, 16) : format(until)}`;
}

/** The days that a range of days or times touches. */
export function toWholeDays(since: string, until: string): { since: string; until: string } {
  const last = parseDay(until);
  const end = last !== undefined && isTime(until) ? formatIsoDate(last + 1) : until.slice(0, 10);
  return { since: since.slice(0, 10), until: end };
}

/** An axis label for a month: the year in January, else the month. */
export function formatMonthTick(month: Date): string {
  return month.getUTCMonth() === 0 ? String(month.getUTCFullYear()) : toMonth(month);
}

/** An axis label for a day: 1 Nov. */
export const formatDayTick = toShort;

/** Whether a moment is the beginning of a month, in UTC. */
export function isMonthStart(date: Date): boolean {
  return date.getTime() % DAY_MS === 0 && date.getUTCDate() === 1;
}

/** The format of an axis's labels, all alike: months and years if every date begins a month, else days. */
export function createTickFormatter(dates: readonly Date[]): (date: Date) => string {
  return dates.every(isMonthStart) ? formatMonthTick : formatDayTick;
}
