/** Days in a time zone. */
import { DAY_MS } from "../../../format/times.ts";

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Local time in a time zone, in Unix milliseconds as if it were UTC. */
function localTime(timeZone: string, moment: number): number {
  let clock = clocks.get(timeZone);
  if (!clock) {
    // The Swedish format is ISO 8601.
    clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    clocks.set(timeZone, clock);
  }
  return Date.parse(`${clock.format(moment).replace(" ", "T")}Z`);
}

/** The date of a moment in a time zone: 2026-01-31. */
export function formatZonedDate(timeZone: string, moment: number): string {
  return new Date(localTime(timeZone, moment)).toISOString().slice(0, 10);
}

/** The local time of a moment in a time zone, to the minute: 2026-01-31T09:00. */
export function formatZonedTime(timeZone: string, moment: number): string {
  return new Date(localTime(timeZone, moment)).toISOString().slice(0, 16);
}

/** The first moment of a day in a time zone, in Unix milliseconds; NaN for an invalid day. */
export function startOfDay(timeZone: string, day: string): number {
  return toMoment(timeZone, `${day}T00:00`);
}

/** The first moment at which clocks in a time zone show a local time (2026-01-31T09:00) or a later one, in Unix milliseconds. */
export function toMoment(timeZone: string, local: string): number {
  const time = Date.parse(`${local}:00Z`);
  if (Number.isNaN(time)) return Number.NaN;
  // Clocks may change near that time, so it tries the offsets of both sides and takes the first moment that fits.
  const guesses = [time - DAY_MS / 2, time + DAY_MS / 2].map(
    (near) => time - (localTime(timeZone, near) - near),
  );
  const fitting = guesses.filter((guess) => localTime(timeZone, guess) >= time).sort((a, b) => a - b);
  return fitting[0] ?? Math.max(...guesses);
}

/** A date moved by a number of days. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
