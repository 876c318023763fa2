/** The series of stacked bars: the largest ones, and the sum of the others. Each has a value in every slot. */

import { formatCount } from "../../../format/safe.ts";

/** Series with a color of their own. */
const MAX_NAMED_SERIES = 7;

/** Number of colors in `series.css`. */
const COLOR_COUNT = 12;

/** `--series-1` to `--series-12`, or `--series-others`. */
export type SeriesColor = number | "others";

export interface Series {
  name: string;
  /** One per slot. */
  values: number[];
  total: number;
  color: SeriesColor;
}

/** A value of one series in one slot. */
export interface DataPoint {
  slot: number;
  name: string;
  value: number;
}

/** The number of series with values. */
export function countSeries(pieces: readonly DataPoint[]): number {
  return new Set(pieces.flatMap(({ name, value }) => (value > 0 ? name : []))).size;
}

/** Whether the smallest of so many series are summed up. A single one is named instead of becoming "1 others". */
export function hasOthers(count: number): boolean {
  return count > MAX_NAMED_SERIES + 1;
}

/**
 * Colors by name. A name ranked among the first twelve has the same color in every chart. One ranked lower takes a color that is
 * free among the largest, or that of the others.
 *
 * @param names largest first
 * @param ranked the names in an order that doesn't depend on what is displayed
 */
export function chooseColors(names: readonly string[], ranked: readonly string[]): Map<string, SeriesColor> {
  const ranks = new Map(ranked.map((name, rank) => [name, rank]));
  const rankOf = (name: string) => ranks.get(name) ?? ranked.length;
  const byRank = names.toSorted((a, b) => rankOf(a) - rankOf(b));
  const largest = new Set(names.slice(0, MAX_NAMED_SERIES + 1));
  const colors = new Map<string, SeriesColor>();
  const taken = new Set<SeriesColor>();
  const take = (name: string, color: number) => {
    colors.set(name, color);
    taken.add(color);
  };
  const takeOwn = (name: string) => {
    const color = rankOf(name) + 1;
    if (color <= COLOR_COUNT && !taken.has(color)) take(name, color);
  };
  for (const name of byRank) if (largest.has(name)) takeOwn(name);
  for (const name of byRank) {
    if (!largest.has(name) || colors.has(name)) continue;
    const steps = Array.from({ length: COLOR_COUNT }, (_, n) => ((rankOf(name) + n) % COLOR_COUNT) + 1);
    take(name, steps.find((color) => !taken.has(color)) as number);
  }
  for (const name of byRank) {
    if (!colors.has(name)) takeOwn(name);
    if (!colors.has(name)) colors.set(name, "others");
  }
  return colors;
}

/**
 * The seven largest series, largest first, and the sum of the others.
 *
 * @param isOpen whether the others are series of their own
 * @param ranked the names in the order of their colors: `chooseColors`
 */
export function toSeries(
  pieces: readonly DataPoint[],
  slotCount: number,
  { isOpen = false, ranked = [] }: { isOpen?: boolean; ranked?: readonly string[] } = {},
): Series[] {
  const totals = new Map<string, number>();
  for (const { name, value } of pieces) totals.set(name, (totals.get(name) ?? 0) + value);
  const bySize = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const kept = isOpen || !hasOthers(bySize.length) ? bySize : bySize.slice(0, MAX_NAMED_SERIES);
  const otherCount = bySize.length - kept.length;
  const names = otherCount > 0 ? [...kept, formatCount(otherCount, "other")] : kept;
  const rank = new Map(kept.map((name, n) => [name, n]));
  const colors = chooseColors(bySize, ranked);
  const series = names.map((name): Series => {
    const values = new Array<number>(slotCount).fill(0);
    return { name, values, total: 0, color: colors.get(name) ?? "others" };
  });
  for (const { name, slot, value } of pieces) {
    if ((totals.get(name) ?? 0) <= 0) continue;
    const target = series[rank.get(name) ?? series.length - 1];
    if (!target || slot < 0 || slot >= slotCount) continue;
    target.values[slot] = (target.values[slot] ?? 0) + value;
    target.total += value;
  }
  return series;
}
