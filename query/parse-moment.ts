import { findNamedDay, findNamedMonth, isMonthName } from "./named-date.ts";
import { WEEKDAYS, type Weekday } from "./weekdays.ts";
import { DAY_MS, ZoneClock } from "./zone-clock.ts";

/** How moments are written, for error messages. */
export const MOMENT_HINT =
  "Write a date (2026-01-31, 2026-01, 2026-01-31T09:30), an age (7d, 12h, 2w, 3 days ago), or today, yesterday 5pm, monday, oct 12, october, this week, last month.";

/** What dates refer to. */
export interface Calendar {
  /** Default: the time zone of the process. An invalid one is a RangeError. */
  timeZone?: string | undefined;
  /** Default: `PIDEX_WEEK_START`, else Monday. */
  weekStart?: Weekday | undefined;
  /** Unix milliseconds. Default: now. */
  now?: number;
}

const MINUTE_MS = 60_000;
const AGES: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  y: 365 * DAY_MS,
};

/** A number joined to a word: `3weeks`, `last 10days`, not `12th`. */
const COUNTED_WORD = /^((?:last[\s_-]+)?\d{1,6})([a-z]{3,})/;

/** The accepted formats. `Date.parse` alone accepts many other texts. */
const ISO_TIME =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

/**
 * Converts a moment to Unix milliseconds: a Date, Unix milliseconds, or a text:
 * - an ISO date or time, `2026`, `2026-01`, `2026-01-31`, `2026-01-31T09:30`: the start of that year, month, day or minute;
 * - an age, `7d`, `12h`, `30m`, `2w`, `1mo`, `1y`, `3 days ago`, `3 days`, `3days`, `last 7 days`, `2 months ago`: that long before now, to the millisecond;
 * - `today`, `yesterday`, `this week`, `last month`, `monday` and so on: the start of that day, week, month or year. A weekday is the
 *   latest one, which may be today; `last monday` is before today. Words may be joined by hyphens: `last-week`;
 * - `oct 12`, `12 October 2026`, `2026/10/12`, `october`, `oct 2026`: the start of that day or month, without a year the latest one;
 * - a day and a time, `yesterday 5pm`, `monday 17:30`.
 *
 * @returns undefined for anything else
 */
export function parseMoment(moment: Date | number | string, calendar: Calendar = {}): number | undefined {
  if (typeof moment === "number") return Number.isFinite(moment) ? moment : undefined;
  if (moment instanceof Date) return Number.isNaN(moment.getTime()) ? undefined : moment.getTime();
  const { now = Date.now() } = calendar;
  const text = moment.trim().toLowerCase().replace(COUNTED_WORD, "$1 $2");
  const [, count, unit = ""] = /^(\d{1,6})(mo|[mhdwy])$/.exec(text) ?? [];
  if (unit === "mo") return goBack(now, count as string, "month", calendar);
  if (count !== undefined) return now - Number(count) * (AGES[unit] as number);
  if (ISO_TIME.test(text)) return parseIso(text, calendar);
  const [, year, month = "", day = ""] = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
  if (year !== undefined)
    return parseIso(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`, calendar);
  return parseDayAndTime(text, calendar, now) ?? parseWords(text, calendar, now);
}

const AGE = /^\s*(?:\d+(?:mo|[mhdwy])|now|.*\bago|(?:last[\s_-]+)?\d+[\s_-]*([a-z]+))\s*$/i;

/** Whether a moment depends on the time to the millisecond: `7d`, `3 hours ago`, `now`. */
export function isAge(moment: string): boolean {
  const found = AGE.exec(moment);
  return found !== null && !isMonthName(found[1] ?? ""); // `12 october` is a date
}

/**
 * Options with the dates in `since` and `until` as ISO times with a time zone: dates are those of the options' time zone and first day of the
 * week, if these are valid. Ages, and what is invalid, stay as they are.
 */
export function resolveDates<Options>(options: Options): Options {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return options;
  const resolved: Record<string, unknown> = { ...(options as object) };
  for (const name of ["since", "until"]) {
    const moment = resolved[name];
    if (typeof moment !== "string" || isAge(moment)) continue;
    const time = parseMoment(moment, toCalendar(resolved));
    const iso = time === undefined ? "" : new Date(time).toISOString();
    if (iso.length === ISO_LENGTH) resolved[name] = iso;
  }
  return resolved as Options;
}

/** Of years with four digits. */
const ISO_LENGTH = "2026-01-31T09:30:00.000Z".length;

function toCalendar({ timeZone, weekStart }: Record<string, unknown>): Calendar {
  return {
    ...(typeof timeZone === "string" && isTimeZone(timeZone) && { timeZone }),
    ...(typeof weekStart === "string" && { weekStart: toWeekday(weekStart) }),
  };
}

/** The last valid name: Intl takes a third of a millisecond to check one. */
let known: string | undefined;

/** Whether Intl has a time zone of this name. */
export function isTimeZone(name: string): boolean {
  if (name === known) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    known = name;
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false; // Intl's error for an unknown zone
    throw error;
  }
}

function parseIso(text: string, calendar: Calendar): number | undefined {
  const [, year, month = "01", day = "01", time = "00:00", zone] = ISO_TIME.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const local = Date.parse(`${date}T${time}Z`);
  // Date.parse accepts 31 February as 3 March.
  if (Number.isNaN(local) || !new Date(Date.parse(`${date}T00:00Z`)).toISOString().startsWith(date))
    return undefined;
  if (zone !== undefined) return toValid(Date.parse(`${date}T${time}${zone}`));
  if (calendar.timeZone !== undefined) return clockOf(calendar.timeZone).toMoment(local);
  return toValid(Date.parse(`${date}T${time}`));
}

/** A day with a time: `yesterday 5pm`, `oct 12 at 17:30`. */
function parseDayAndTime(text: string, calendar: Calendar, now: number): number | undefined {
  const [, name = "", hours, minutes, half] =
    /^(.+?)[\s_-]+(?:at[\s_-]+)?(\d{1,2})(?::(\d{2}))?[\s_-]*([ap]m)?$/.exec(text) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return undefined;
  const day = findDay(name, calendar, now);
  const hourOfDay = half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0);
  return day === undefined ? undefined : toMoment(day + (60 * hourOfDay + minute) * MINUTE_MS, calendar);
}

/** The day that words name. */
function findDay(text: string, calendar: Calendar, now: number): number | undefined {
  const words = text
    .replaceAll(",", " ")
    .trim()
    .split(/[\s_-]+/);
  const today = localDay(now, calendar);
  const [first = "", second = ""] = words;
  const ago = ["today", "yesterday"].indexOf(first);
  if (words.length === 1 && ago !== -1) return today - ago * DAY_MS;
  const isLast = words.length === 2 && first === "last";
  const weekday = words.length === 1 || isLast ? toWeekday(isLast ? second : first) : undefined;
  return weekday ? latest(weekday, today - (isLast ? DAY_MS : 0)) : findNamedDay(words, today);
}

function parseWords(text: string, calendar: Calendar, now: number): number | undefined {
  const words = text
    .replaceAll(",", " ")
    .trim()
    .split(/[\s_-]+/);
  const today = localDay(now, calendar);
  const named = findNamedMonth(words, today) ?? findNamedDay(words, today);
  if (named !== undefined) return toMoment(named, calendar);
  const [first = "", second = "", third = ""] = words;
  if (words.length === 3 && third === "ago") return goBack(now, first, second, calendar);
  if (words.length === 3 && first === "last" && isCount(second)) return goBack(now, second, third, calendar);
  if (words.length === 2 && isCount(first)) return goBack(now, first, second, calendar);
  if (words.length > 2) return undefined;
  if (words.length === 2) {
    const isLast = first === "last" || first === "previous";
    if (!isLast && first !== "this" && first !== "current") return undefined;
    if (PERIODS.includes(second)) return startOf(second, isLast ? 1 : 0, calendar, now);
    return isLast ? startOfWeekday(second, 1, calendar, now) : undefined;
  }
  if (first === "now") return now;
  const days = ["today", "yesterday"].indexOf(first);
  if (days !== -1) return startOf("day", days, calendar, now);
  return first === "tomorrow" ? startOf("day", -1, calendar, now) : startOfWeekday(first, 0, calendar, now);
}

const PERIODS = ["day", "week", "month", "year"];

function isCount(word: string): boolean {
  return /^\d+$/.test(word);
}

/** Units before `ago`, without a final s. */
const UNITS = new Map([
  ["minute", "m"],
  ["min", "m"],
  ["hour", "h"],
  ["hr", "h"],
  ["day", "d"],
  ["week", "w"],
]);

/** The time some units ago. Months and years are those of the calendar. */
function goBack(now: number, amount: string, name: string, calendar: Calendar): number | undefined {
  const count = amount === "a" || amount === "an" ? 1 : /^\d{1,6}$/.test(amount) ? Number(amount) : undefined;
  const unit = name.replace(/s$/, "");
  if (count === undefined) return undefined;
  const letter = UNITS.get(unit);
  if (letter !== undefined) return now - count * (AGES[letter] as number);
  if (unit !== "month" && unit !== "year") return undefined;
  const today = localDay(now, calendar);
  const date = new Date(today);
  const month = date.getUTCMonth() - (unit === "month" ? count : 12 * count);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), lastDay));
  return toValid(toMoment(day, calendar) + (now - toMoment(today, calendar)));
}

/** The start of a period, some periods ago. */
function startOf(period: string, ago: number, calendar: Calendar, now: number): number | undefined {
  const today = localDay(now, calendar);
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (period === "year") return toMoment(Date.UTC(year - ago, 0), calendar);
  if (period === "month") return toMoment(Date.UTC(year, month - ago), calendar);
  if (period === "day") return toMoment(today - ago * DAY_MS, calendar);
  const weekStart = calendar.weekStart ?? toWeekday(process.env.PIDEX_WEEK_START ?? "") ?? "monday";
  return toMoment(latest(weekStart, today) - 7 * ago * DAY_MS, calendar);
}

/** The start of the latest weekday, at least some days ago. */
function startOfWeekday(name: string, daysAgo: number, calendar: Calendar, now: number): number | undefined {
  const weekday = toWeekday(name);
  return weekday && toMoment(latest(weekday, localDay(now, calendar) - daysAgo * DAY_MS), calendar);
}

/** A weekday, or its first three letters or more. */
function toWeekday(name: string): Weekday | undefined {
  return name.length < 3 ? undefined : WEEKDAYS.find((weekday) => weekday.startsWith(name.toLowerCase()));
}

// Days are midnights in UTC of the local date.

/** The latest of some weekday up to a day. */
function latest(weekday: Weekday, day: number): number {
  return day - ((new Date(day).getUTCDay() + 6 - WEEKDAYS.indexOf(weekday)) % 7) * DAY_MS;
}

function localDay(now: number, { timeZone }: Calendar): number {
  if (timeZone !== undefined) {
    return Math.floor((now + clockOf(timeZone).offsetRangeAt(now).offset) / DAY_MS) * DAY_MS;
  }
  const date = new Date(now);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

/** The moment of a local time, which is written as if it were UTC: of a day, when it begins. */
function toMoment(day: number, { timeZone }: Calendar): number {
  if (timeZone !== undefined) return clockOf(timeZone).toMoment(day);
  const date = new Date(day);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return new Date(year, month, dayOfMonth, date.getUTCHours(), date.getUTCMinutes()).getTime();
}

const clockOf = (timeZone: string): ZoneClock => new ZoneClock(timeZone);

const toValid = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time);
