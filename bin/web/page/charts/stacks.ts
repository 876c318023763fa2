/** What stacked bars show: the greatest series, and the rest as one; each has a value in every slot. */

/** Series that have a colour of their own. */
const MOST_SERIES = 7;

export interface Series {
  name: string;
  /** One a slot. */
  values: number[];
  total: number;
  /** Which colour of the series' it has: 1 to 8. */
  colour: number;
}

/** One value: in which slot, of which series. */
export interface Piece {
  slot: number;
  name: string;
  value: number;
}

/** The seven greatest series, greatest first, and what others come to. */
export function stacksOf(pieces: readonly Piece[], slots: number): Series[] {
  const totals = new Map<string, number>();
  for (const { name, value } of pieces) totals.set(name, (totals.get(name) ?? 0) + value);
  const greatest = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
  // One that is left over is named rather than called "others".
  const kept = greatest.length <= MOST_SERIES + 1 ? greatest : greatest.slice(0, MOST_SERIES);
  const left = greatest.length - kept.length;
  const names = left > 0 ? [...kept, `${left} others`] : kept;
  const place = new Map(kept.map((name, n) => [name, n]));
  const series = names.map((name, n): Series => {
    return { name, values: new Array<number>(slots).fill(0), total: 0, colour: n + 1 };
  });
  for (const { name, slot, value } of pieces) {
    if ((totals.get(name) ?? 0) <= 0) continue;
    const one = series[place.get(name) ?? series.length - 1];
    if (!one || slot < 0 || slot >= slots) continue;
    one.values[slot] = (one.values[slot] ?? 0) + value;
    one.total += value;
  }
  return series;
}
