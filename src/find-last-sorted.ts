/**
 * The last item of a sorted list that satisfies a condition, which all items up to some point satisfy. A binary search, for lists of
 * thousands.
 */
export function findLastSorted<T>(sorted: readonly T[], isUpTo: (item: T) => boolean): T | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isUpTo(sorted[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}
