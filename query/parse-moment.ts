const UNITS: Record<string, number> = { m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3, y: 365 * 86400e3 };

/** The accepted formats. `Date.parse` alone accepts many other texts. */
const ISO_TIME = /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

/**
 * Converts a moment to Unix milliseconds: a Date, Unix milliseconds, an ISO date or time (`2026`, `2026-01-31`,
 * `2026-01-31T09:30`), or an age (`7d`, `12h`, `30m`, `2w`, `1y`). Returns undefined for anything else.
 */
export function parseMoment(moment: Date | number | string): number | undefined {
  if (typeof moment === "number") return Number.isFinite(moment) ? moment : undefined;
  if (moment instanceof Date) return Number.isNaN(moment.getTime()) ? undefined : moment.getTime();
  const age = /^(\d{1,6})([mhdwy])$/.exec(moment.trim());
  if (age) return Date.now() - Number(age[1]) * (UNITS[age[2] as string] as number);
  if (!ISO_TIME.test(moment)) return undefined;
  // A date without a time is in the local time zone, not in UTC.
  const [, year, month = "-01", day] = /^(\d{4})(-\d{2})?(-\d{2})?$/.exec(moment) ?? [];
  const local = year ? `${year}${month}${day ?? "-01"}T00:00` : moment;
  const time = Date.parse(local);
  // Date.parse accepts 31 February as 3 March.
  const isDay = !day || new Date(time).getDate() === Number(day.slice(1));
  return Number.isNaN(time) || !isDay ? undefined : time;
}
