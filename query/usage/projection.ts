/** Projects spending to the end of a period. Runs in browsers too. */

/** The shortest time that a rate is computed from: the first minutes of a month don't predict the month. */
const MIN_ELAPSED_MS = 3_600_000;

export interface Projection {
  /** The time that the rate is computed from, in milliseconds. */
  elapsed: number;
  /** Spending at the end of the period. */
  projectedUsd: number;
  /** When spending reaches an amount at this rate, in Unix milliseconds; infinite if nothing was spent. */
  reaches(amountUsd: number): number;
}

/**
 * The projection for a period from `from` to `until`, in which `spentUsd` was spent so far. Times are Unix milliseconds.
 *
 * It is linear: spending continues at the average rate since `from`. In the first hour of a period the rate is computed as if the
 * hour were over; after the end of a period the projection is the amount spent.
 */
export function projectSpending(
  { from, until }: { from: number; until: number },
  spentUsd: number,
  now: number,
): Projection {
  const whole = until - from;
  const elapsed = Math.min(whole, Math.max(now - from, MIN_ELAPSED_MS));
  return {
    elapsed,
    projectedUsd: elapsed > 0 ? spentUsd * (whole / elapsed) : spentUsd,
    reaches: (amountUsd) =>
      spentUsd > 0 ? from + elapsed * (amountUsd / spentUsd) : Number.POSITIVE_INFINITY,
  };
}
