import { quarterRanges } from "./periods.ts";
import type { Period, WEEKDAYS } from "./usage-options.ts";

/** Quarters of an hour, from one to another, that lie in the same periods. */
export interface Span {
  first: number;
  last: number;
  /** The names of the periods, in the order in which these were given. */
  labels: string[];
}

/** Cuts quarters, which are distinct and ascend, where any of the periods ends. */
export function spansOf(
  quarters: readonly number[],
  periods: readonly Period[],
  where: { timeZone: string; weekStart: (typeof WEEKDAYS)[number] },
): Span[] {
  const [first, second] = periods.map((period) => quarterRanges(quarters, period, where));
  if (!first) return [];
  if (!second) return first.map(({ label, ...range }) => ({ ...range, labels: [label] }));
  const spans: Span[] = [];
  for (let a = 0, b = 0; a < first.length && b < second.length; ) {
    const [one, other] = [first[a], second[b]] as [(typeof first)[0], (typeof second)[0]];
    const span = { first: Math.max(one.first, other.first), last: Math.min(one.last, other.last) };
    if (span.first <= span.last) spans.push({ ...span, labels: [one.label, other.label] });
    if (one.last <= other.last) a++;
    if (other.last <= one.last) b++;
  }
  return spans;
}
