/** The end times of the sample sessions. */
import type { Random } from "./random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 300;

/**
 * `count` times before `now`, in Unix milliseconds, newest first: the first an hour ago, the last ten months ago, denser
 * towards now, and mostly within working hours.
 */
export function generateEndTimes(now: number, count: number, random: Random): number[] {
  const latest = now - HOUR;
  const moments = Array.from({ length: count }, (_, index) => {
    if (index === 0) return latest;
    if (index === count - 1) return latest - DAYS * DAY;
    const age = DAYS * DAY * (index / count) ** 1.5;
    return Math.min(workingHour(latest - age, random), latest - HOUR - random.between(0, 90 * 60_000));
  });
  return moments.sort((a, b) => b - a);
}

/** A time on the same day, or usually on the Friday before a weekend. */
function workingHour(moment: number, random: Random): number {
  const day = moment - (moment % DAY);
  const weekday = new Date(day).getUTCDay();
  const back = random.float() < 0.8 ? { 6: 1, 0: 2 }[weekday] : undefined;
  return day - (back ?? 0) * DAY + random.between(8 * 60, 19 * 60) * 60_000 + random.between(0, 59_999);
}
