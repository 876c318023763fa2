/** Dates with the name of a month: `october`, `oct 2026`, `Oct 12`, `12 October 2026`. Days are midnights in UTC of the local date. */

export const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];

/** Whether a word is a month, or its first three letters or more. */
export function isMonthName(word: string): boolean {
  return findMonth(word) !== undefined;
}

/** The first day of a month; without a year, of the latest one up to today. */
export function findNamedMonth(
  [name = "", year, ...rest]: readonly string[],
  today: number,
): number | undefined {
  const month = findMonth(name);
  if (month === undefined || rest.length > 0) return undefined;
  if (year !== undefined) return YEAR.test(year) ? toDay(Number(year), month, 1) : undefined;
  return findLatest(month, 1, today);
}

/** A day of a month; without a year, the latest one up to today. */
export function findNamedDay(
  [a = "", b = "", year, ...rest]: readonly string[],
  today: number,
): number | undefined {
  const [name, number] = isMonthName(a) ? [a, b] : [b, a];
  const month = findMonth(name);
  const [, day] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(number) ?? [];
  if (month === undefined || day === undefined || rest.length > 0) return undefined;
  if (year === undefined) return findLatest(month, Number(day), today);
  return YEAR.test(year) ? toDay(Number(year), month, Number(day)) : undefined;
}

const YEAR = /^\d{4}$/;

function findMonth(word: string): number | undefined {
  const found = word.length < 3 ? -1 : MONTHS.findIndex((month) => month.startsWith(word.toLowerCase()));
  return found === -1 ? undefined : found;
}

/** 29 February may be up to eight years ago. */
const MAX_YEARS = 8;

function findLatest(month: number, day: number, today: number): number | undefined {
  const thisYear = new Date(today).getUTCFullYear();
  for (let year = thisYear; year >= thisYear - MAX_YEARS; year--) {
    const found = toDay(year, month, day);
    if (found !== undefined && found <= today) return found;
  }
  return undefined;
}

/** Undefined for days that a month doesn't have. */
function toDay(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : undefined;
}
