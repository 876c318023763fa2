/** The series of stacked bars: the largest ones, and the sum of the others. Each has a value in every slot. */

import { formatCount } from "../../../format/safe.ts";

/** Series with a color of their own. */
const MAX_NAMED_SERIES = 7;

export interface Series {
  name: string;
  /** One per slot. */
  values: number[];
  total: number;
  /** `--series-1` to `--series-8`. */
  color: number;
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
 * The seven largest series, largest first, and the sum of the others.
 *
 * @param isOpen whether the others are series of their own, in the color of their sum
 */
export function toSeries(pieces: readonly DataPoint[], slotCount: number, isOpen = false): Series[] {
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
  const series = names.map((name, n): Series => {
    return {
      name,
      values: new Array<number>(slotCount).fill(0),
      total: 0,
      color: Math.min(n, MAX_NAMED_SERIES) + 1,
    };
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
