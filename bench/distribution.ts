/** The median and range of measurements. */
export interface Distribution {
  median: number;
  lowest: number;
  highest: number;
}

export function toDistribution(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: median(sorted), lowest: sorted[0] ?? Number.NaN, highest: sorted.at(-1) ?? Number.NaN };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** The smallest number that is at least as large as 95 % of them. */
export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}
