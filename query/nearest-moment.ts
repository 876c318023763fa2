import { findNearestWord } from "../src/nearest-word.ts";
import { MONTHS } from "./named-date.ts";
import { parseMoment } from "./parse-moment.ts";
import { WEEKDAYS } from "./weekdays.ts";

/** Words of moments. */
export const MOMENT_WORDS = [
  ...["today", "yesterday", "tomorrow", "this", "last", "ago", ...WEEKDAYS, ...MONTHS],
  ...["minute", "hour", "day", "week", "month", "year"].flatMap((unit) => [`${unit}s`, unit]),
];

/** The moment that mistyped words probably mean: `yesterday` for `yesterdy`, `last week` for `last wek`. */
export function findNearestMoment(text: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .split(/[\s_-]+/);
  const nearest = words.map((word) => findNearestWord(word, MOMENT_WORDS) ?? word).join(" ");
  return parseMoment(nearest) === undefined ? undefined : nearest;
}
