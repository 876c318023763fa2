/** Days where somebody is. */
import { DAY_MS } from "../charts/days.ts";

const clocks = new Map<string, Intl.DateTimeFormat>();

/** What a clock shows in a time zone, in UTC fields. */
function shownIn(timeZone: string, moment: number): number {
  let clock = clocks.get(timeZone);
  if (!clock) {
    // Sweden writes dates as ISO does.
    clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    clocks.set(timeZone, clock);
  }
  return Date.parse(`${clock.format(moment).replace(" ", "T")}Z`);
}

/** The day that it is in a time zone: 2026-01-31. */
export function dayIn(timeZone: string, moment: number): string {
  return new Date(shownIn(timeZone, moment)).toISOString().slice(0, 10);
}

/** The first moment of a day there, in Unix milliseconds; NaN for what is no day. */
export function beginOfDay(timeZone: string, day: string): number {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(wanted)) return Number.NaN;
  // Clocks change near midnight too: from the later guess back to the first moment that shows the day.
  const guesses = [wanted - DAY_MS / 2, wanted + DAY_MS / 2].map(
    (near) => wanted - (shownIn(timeZone, near) - near),
  );
  const fitting = guesses.filter((guess) => shownIn(timeZone, guess) >= wanted).sort((a, b) => a - b);
  return fitting[0] ?? Math.max(...guesses);
}

/** So many days later, or earlier. */
export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
