/** Moves ranges of days to earlier and later ones. Days are dates such as 2026-01-31; `until` is exclusive. */
import { DAY_MS } from "../../../format/times.ts";
import { formatRange } from "../charts/days.ts";
import type { Params } from "../shell/address.ts";
import { addDays } from "./zone-days.ts";

export interface DayRange {
  since: string;
  until: string;
}

interface OpenRange {
  since?: string | undefined;
  until?: string | undefined;
}

/** Length of a suggested range if the selected one has no beginning or no end. */
const DEFAULT_DAYS = 30;

/** The range before (-1) or after (1) this one, of the same length: in months, if it is whole months. */
export function shiftRange({ since, until }: DayRange, steps: -1 | 1, today: string): DayRange {
  const months = countMonths({ since, until }, today);
  if (months === undefined) {
    const days = steps * countDays({ since, until });
    return { since: addDays(since, days), until: addDays(until, days) };
  }
  const first = addMonths(since, steps * months);
  return { since: first, until: addMonths(first, months) };
}

/** What a range is compared with: the same days of the month before for the current month, else the range of the same length before it. */
export function findEarlierRange({ since, until }: DayRange, isMonthToDate: boolean): DayRange {
  if (!isMonthToDate) return shiftRange({ since, until }, -1, until);
  const first = addMonths(startOfMonth(since), -1);
  const end = addDays(first, countDays({ since, until }));
  return { since: first, until: end < since ? end : since };
}

/** When an earlier range was, after a value: `in the 30 days before`, `in January 2026`, `on the same days of January`. */
export function describeEarlierRange({ since, until }: DayRange, isMonthToDate: boolean): string {
  if (since.endsWith("-01") && until.endsWith("-01")) return `in ${formatRange(since, until)}`;
  if (isMonthToDate)
    return `on the same days of ${formatRange(since, addMonths(since, 1)).replace(/ \d+$/, "")}`;
  const days = countDays({ since, until });
  return days === 1 ? "on the day before" : `in the ${days} days before`;
}

/** The range of the same length that ends with the last day of usage before the end of this one, or else with the first day after it. */
export function findNearestRange(
  days: readonly string[],
  range: OpenRange,
  today: string,
): DayRange | undefined {
  const { since, until } = range;
  const sorted = days.toSorted();
  const day = sorted.findLast((each) => until === undefined || each < until) ?? sorted[0];
  if (day === undefined) return undefined;
  const isBounded = since !== undefined && until !== undefined;
  if (isBounded && countMonths({ since, until }, today) === 1) {
    const first = startOfMonth(day);
    return { since: first, until: addMonths(first, 1) };
  }
  const length = isBounded ? countDays({ since, until }) : DEFAULT_DAYS;
  const end = addDays(day, 1);
  return { since: addDays(end, -length), until: end };
}

/** A range as parameters of the address: by its name, if it has one. */
export function toRangeParams({ since, until }: DayRange, today: string): Params {
  const thisMonth = startOfMonth(today);
  if (since === thisMonth && until > today) return { range: "month", since: "", until: "" };
  if (until === thisMonth && since === addMonths(thisMonth, -1))
    return { range: "last-month", since: "", until: "" };
  return { range: "", since, until };
}

export function startOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

/** The first day of a month moved by a number of months. */
export function addMonths(first: string, months: number): string {
  const date = new Date(`${first}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}

function countDays({ since, until }: DayRange): number {
  return Math.max(1, Math.round((Date.parse(until) - Date.parse(since)) / DAY_MS));
}

/** The number of months, if it is whole months; the current one counts as whole. */
function countMonths({ since, until }: DayRange, today: string): number | undefined {
  const end = until === addDays(today, 1) && startOfMonth(today) === since ? addMonths(since, 1) : until;
  if (!since.endsWith("-01") || !end.endsWith("-01") || end <= since) return undefined;
  const [from, to] = [since, end].map((day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)));
  return (to as number) - (from as number);
}
