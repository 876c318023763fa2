/** Periods of usage as slots on an axis of time, those of which nothing is told among them. */
import { dateOf, numberOf, sayDay, saySpan, toDate } from "../charts/days.ts";
import type { Slot } from "../charts/stacked-bars.tsx";
import type { Period } from "./choice.ts";

export interface Timeline {
  slots: Slot[];
  /** Where the row of a period goes; undefined for one without a time. */
  slotOf(name: string | null | undefined): number | undefined;
}

/** Sessions with wrong times may be thousands of years apart: then the gaps are left out. */
const MOST_SLOTS = 3000;

/** The slots of what was told, and of all days between two where those are given. */
export function timelineOf(
  names: readonly (string | null | undefined)[],
  period: Period,
  { since, until }: { since?: string | undefined; until?: string | undefined } = {},
): Timeline {
  const told = new Map<number, string>();
  for (const name of names) {
    const place = placeOf(name, period);
    if (name && place !== undefined && !told.has(place)) told.set(place, name);
  }
  if (told.size === 0) return { slots: [], slotOf: () => undefined };
  let places = [...told.keys()].sort((a, b) => a - b);
  const [first, last] = [places[0] as number, places.at(-1) as number];
  // Which day weeks begin on is told by the rows alone.
  const from = Math.min(first, aligned(since, period, first) ?? first);
  const to = Math.max(last, aligned(until, period, first, true) ?? last);
  if (to - from < MOST_SLOTS) places = Array.from({ length: Math.round(to - from) + 1 }, (_, n) => from + n);
  const slotOfPlace = new Map(places.map((place, n) => [place, n]));
  const dates = places.map((place) => beginOf(place, period));
  return {
    slots: places.map((_, n) => ({ label: labelOf(dates[n] as Date, period), begins: dates[n] as Date })),
    slotOf(name) {
      const place = placeOf(name, period);
      return place === undefined ? undefined : slotOfPlace.get(place);
    },
  };
}

/** A number for a period, which is one more for the next. The hour that a clock goes through twice is one. */
function placeOf(name: string | null | undefined, period: Period): number | undefined {
  if (!name) return undefined;
  const [date = "", hour = "00:00"] = name.split(" ");
  const day = numberOf(period === "month" ? `${date}-01` : date);
  if (day === undefined) return undefined;
  if (period === "month") return toDate(day).getUTCFullYear() * 12 + toDate(day).getUTCMonth();
  if (period === "hour") return day * 24 + Number(hour.slice(0, 2));
  return period === "week" ? day / 7 : day;
}

/** The place of a day that the range begins with, or, `isEnd`, of the last before the one it ends with. */
function aligned(day: string | undefined, period: Period, first: number, isEnd = false): number | undefined {
  const number = day === undefined ? undefined : numberOf(day);
  if (number === undefined) return undefined;
  if (period === "hour") return isEnd ? number * 24 - 1 : number * 24;
  const at = dateOf(isEnd ? number - 1 : number);
  const place = placeOf(period === "month" ? at.slice(0, 7) : at, period);
  return period === "week" && place !== undefined ? first + Math.floor(place - first + 1e-9) : place;
}

function beginOf(place: number, period: Period): Date {
  if (period === "month") return new Date(Date.UTC(Math.floor(place / 12), ((place % 12) + 12) % 12, 1));
  if (period === "hour") return new Date(place * 3_600_000);
  return toDate(period === "week" ? Math.round(place * 7) : place);
}

function labelOf(begins: Date, period: Period): string {
  const day = Math.floor(begins.getTime() / 86_400_000);
  if (period === "hour") return `${sayDay(day)}, ${begins.toISOString().slice(11, 16)}`;
  if (period === "day") return sayDay(day);
  if (period === "week") return saySpan({ from: day, until: day + 7 });
  const { year, month } = { year: begins.getUTCFullYear(), month: begins.getUTCMonth() };
  return saySpan({ from: day, until: Math.round(Date.UTC(year, month + 1, 1) / 86_400_000) });
}
