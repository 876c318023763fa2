/** Maps the quarters of an hour of the roll-up to hours, days, weeks and months in a time zone. */
import { BUCKET_MS } from "../../src/store/schema.ts";
import { WEEKDAYS } from "../weekdays.ts";
import { DAY_MS, MAX_DATE_MS, ZoneClock } from "../zone-clock.ts";
import type { BudgetPeriod } from "./parse-budget.ts";
import type { Period } from "./usage-options.ts";

const HOUR_MS = 3_600_000;
/** `00` to `23`. */
const HOURS = Array.from({ length: 24 }, (_, hour) => twoDigits(hour));

/** The time zone and the first day of the week. `timeZone` is a name that Intl accepts. */
export interface Calendar {
  timeZone: string;
  weekStart: (typeof WEEKDAYS)[number];
}

/** A period, or a part of it. */
export interface NamedPeriod {
  /** Undefined if no Date can represent it (`NO_TIME_BUCKET`). */
  name: string | undefined;
  /** Sorts periods by time. Equal names have equal positions. */
  position: number;
  /** A quarter of an hour until which the name applies, exclusive. The name may apply to later ones too. */
  until: number;
}

/**
 * Returns a function that names the period of a quarter of an hour. Calls in chronological order are fast.
 *
 * Names: hour `2026-01-31 09:00`, day `2026-01-31`, week its first day, month `2026-01`, weekday `monday`, hour-of-day
 * `09`. Years with more than four digits follow ISO 8601: `-000001`, `+012026`. An hour that repeats, even in part, when
 * clocks are set back has its UTC offset: `2026-10-25 02:00 +02:00`. Other names may recur: weekdays, and a day if the
 * clock is set back over midnight. A quarter that is in two periods (before 1972, offsets included odd minutes and seconds)
 * belongs to that of its first millisecond.
 */
export function createPeriodNamer(
  period: Period,
  { timeZone, weekStart }: Calendar,
): (quarter: number) => NamedPeriod {
  const clock = clockOf(timeZone);
  const nameOf = namesOf(period, clock, weekStart);
  const unit = period === "hour" || period === "hour-of-day" ? HOUR_MS : DAY_MS;
  return (quarter) => {
    const moment = quarter * BUCKET_MS;
    if (Math.abs(moment) > MAX_DATE_MS) {
      const until = moment > 0 ? Number.POSITIVE_INFINITY : Math.ceil(-MAX_DATE_MS / BUCKET_MS);
      return { name: undefined, position: Number.MAX_VALUE, until };
    }
    const range = clock.offsetRangeAt(moment);
    const unitStart = Math.floor((moment + range.offset) / unit) * unit;
    const until = Math.ceil(Math.min(range.until, unitStart + unit - range.offset) / BUCKET_MS);
    return { ...nameOf(unitStart, range.offset), until };
  };
}

/**
 * The local day, week, month or year that contains a moment: from `from`, inclusive, to `until`, exclusive, in Unix
 * milliseconds. It starts when the clock first shows its first day, which is after midnight if midnight is skipped. If the
 * clock is set back over midnight, the new day continues, so that each moment is in exactly one period. The first and last
 * periods end at the limits of Date.
 */
export function findPeriod(
  moment: number,
  per: BudgetPeriod,
  { timeZone, weekStart }: Calendar,
): { from: number; until: number } {
  const clock = clockOf(timeZone);
  const held = Math.max(-MAX_DATE_MS, Math.min(moment, MAX_DATE_MS));
  const localDay = Math.floor((held + clock.offsetRangeAt(held).offset) / DAY_MS);
  let first = firstDay(localDay, per, weekStart);
  while (true) {
    const next = nextDay(first, per);
    const until = clock.toMoment(next * DAY_MS);
    if (held < until || until === MAX_DATE_MS) return { from: clock.toMoment(first * DAY_MS), until };
    first = next;
  }
}

/** The time zone of this machine; UTC, like Date, if Intl doesn't know it. */
export function getSystemTimeZone(): string {
  const name: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  // With TZ=nonsense Node returns none, with TZ= a name that Intl itself rejects.
  return name === undefined || name === "Etc/Unknown" ? "UTC" : name;
}

let lastClock: { timeZone: string; clock: ZoneClock } | undefined;

/** A zone's clock. The last one is cached: usually all calls are for one zone. */
function clockOf(timeZone: string): ZoneClock {
  if (lastClock?.timeZone !== timeZone) lastClock = { timeZone, clock: new ZoneClock(timeZone) };
  return lastClock.clock;
}

/** Returns a function that names the period of a local hour or day. */
function namesOf(
  period: Period,
  clock: ZoneClock,
  weekStart: Calendar["weekStart"],
): (local: number, offset: number) => Pick<NamedPeriod, "name" | "position"> {
  const dayOf = (local: number) => Math.floor(local / DAY_MS);
  switch (period) {
    case "hour":
      return hourNames(clock);
    case "day":
      return (local) => ({ name: dateText(dayOf(local)), position: local });
    case "week":
      return (local) => {
        const first = firstDay(dayOf(local), "week", weekStart);
        return { name: dateText(first), position: first };
      };
    case "month":
      return (local) => {
        const first = firstDay(dayOf(local), "month", weekStart);
        return { name: dateText(first).slice(0, -"-01".length), position: first };
      };
    case "weekday":
      return (local) => {
        const weekday = weekdayOf(dayOf(local));
        const position = modulo(weekday - WEEKDAYS.indexOf(weekStart), 7);
        return { name: WEEKDAYS[weekday], position };
      };
    case "hour-of-day":
      return (local) => ({ name: hourText(local), position: modulo(Math.floor(local / HOUR_MS), 24) });
  }
}

function hourNames(clock: ZoneClock): ReturnType<typeof namesOf> {
  let known: { day: number; date: string; isCalm: boolean } | undefined;
  // An hour has several starts if the clock is set forward within it.
  const positions = new Map<string, number>();
  return (local, offset) => {
    const day = Math.floor(local / DAY_MS);
    if (known?.day !== day) known = { day, date: dateText(day), isCalm: clock.hasConstantOffset(day) };
    const hour = `${known.date} ${hourText(local)}:00`;
    if (known.isCalm) return { name: hour, position: local - offset };
    const name = clock.repeats(local, local + HOUR_MS) ? `${hour} ${offsetText(offset)}` : hour;
    const position = positions.get(name) ?? local - offset;
    positions.set(name, position);
    return { name, position };
  };
}

function hourText(local: number): string {
  return HOURS[modulo(Math.floor(local / HOUR_MS), 24)] as string;
}

/** `+02:00`, `-00:44:30`. */
function offsetText(offset: number): string {
  const seconds = Math.abs(offset) / 1000;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits);
  return (offset < 0 ? "-" : "+") + (parts[2] === "00" ? parts.slice(0, 2) : parts).join(":");
}

// Days are counted from 1970-01-01. Dates are computed within one cycle of 400 years, after which the calendar repeats,
// because a local day may be outside the range of Date.
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;

function dateOf(day: number): { year: number; month: number; dayOfMonth: number } {
  const cycle = Math.floor(day / CYCLE_DAYS);
  const date = new Date((day - cycle * CYCLE_DAYS) * DAY_MS);
  return {
    year: date.getUTCFullYear() + cycle * CYCLE_YEARS,
    month: date.getUTCMonth(),
    dayOfMonth: date.getUTCDate(),
  };
}

/** The day of a date. A month of 12 is January of the next year. */
function dayOfDate(year: number, month: number, dayOfMonth: number): number {
  const cycle = Math.floor((year - 1970) / CYCLE_YEARS);
  return Date.UTC(year - cycle * CYCLE_YEARS, month, dayOfMonth) / DAY_MS + cycle * CYCLE_DAYS;
}

function dateText(day: number): string {
  const { year, month, dayOfMonth } = dateOf(day);
  const digits = String(Math.abs(year));
  const sign = year < 0 ? "-" : year > 9999 ? "+" : "";
  return `${sign}${digits.padStart(sign ? 6 : 4, "0")}-${twoDigits(month + 1)}-${twoDigits(dayOfMonth)}`;
}

/** The index of a day's weekday in `WEEKDAYS`. 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return modulo(day + 3, 7);
}

function firstDay(day: number, per: BudgetPeriod, weekStart: Calendar["weekStart"]): number {
  if (per === "day") return day;
  if (per === "week") return day - modulo(weekdayOf(day) - WEEKDAYS.indexOf(weekStart), 7);
  const { year, month } = dateOf(day);
  return dayOfDate(year, per === "month" ? month : 0, 1);
}

/** The first day of the next period. */
function nextDay(first: number, per: BudgetPeriod): number {
  if (per === "day") return first + 1;
  if (per === "week") return first + 7;
  const { year, month } = dateOf(first);
  return per === "month" ? dayOfDate(year, month + 1, 1) : dayOfDate(year + 1, 0, 1);
}

/** The remainder, never negative. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
