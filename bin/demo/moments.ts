/** When the sessions of the demo ended. */
import type { Random } from "./random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 300;

/**
 * So many moments before `now`, in Unix milliseconds: the first an hour ago, the last some ten months ago, denser
 * towards now, and mostly in the hours and on the days people work.
 */
export function momentsBefore(now: number, count: number, random: Random): number[] {
  const latest = now - HOUR;
  const moments = Array.from({ length: count }, (_, index) => {
    if (index === 0) return latest;
    if (index === count - 1) return latest - DAYS * DAY;
    const age = DAYS * DAY * (index / count) ** 1.5;
    return Math.min(workingHour(latest - age, random), latest - HOUR - random.between(0, 90 * 60_000));
  });
  return moments.sort((a, b) => b - a);
}

/** A moment of the same day, or of the Friday before. */
function workingHour(moment: number, random: Random): number {
  const day = moment - (moment % DAY);
  const weekday = new Date(day).getUTCDay();
  const back = random.float() < 0.8 ? { 6: 1, 0: 2 }[weekday] : undefined;
  return day - (back ?? 0) * DAY + random.between(8 * 60, 19 * 60) * 60_000 + random.between(0, 59_999);
}
