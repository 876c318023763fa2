/** Matching of the lines of two versions of a file. */

/** More pairs than this are divided at lines that occur once in both versions before they are compared. */
const MAX_PAIRS = 1_000_000;

/**
 * For each line of `now` the position of the same line in `old`, or -1: a longest common subsequence. Long versions are first divided
 * at lines that occur once in both, so that the time does not grow with the product of their lengths.
 */
export function matchLines(old: readonly string[], now: readonly string[]): Int32Array {
  const matches = new Int32Array(now.length).fill(-1);
  const numbers = new Map<string, number>();
  const toNumbers = (lines: readonly string[]) =>
    Int32Array.from(lines, (line) => {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      return number;
    });
  const versions = { old: toNumbers(old), now: toNumbers(now), matches };
  const pending: Range[] = [{ oldStart: 0, oldEnd: old.length, start: 0, end: now.length }];
  for (let range = pending.pop(); range; range = pending.pop()) {
    const rest = matchEnds(versions, range);
    const [height, width] = [rest.oldEnd - rest.oldStart, rest.end - rest.start];
    if (height === 0 || width === 0) continue;
    if (height * width <= MAX_PAIRS) matchLongest(versions, rest);
    else pending.push(...divide(versions, rest));
  }
  return matches;
}

interface Versions {
  old: Int32Array;
  now: Int32Array;
  matches: Int32Array;
}

/** Lines of both versions; the ends are not included. */
interface Range {
  oldStart: number;
  oldEnd: number;
  start: number;
  end: number;
}

/** Matches the lines that both ranges begin and end with, and returns the rest. */
function matchEnds({ old, now, matches }: Versions, range: Range): Range {
  let { oldStart, oldEnd, start, end } = range;
  while (oldStart < oldEnd && start < end && old[oldStart] === now[start]) matches[start++] = oldStart++;
  while (oldStart < oldEnd && start < end && old[oldEnd - 1] === now[end - 1]) matches[--end] = --oldEnd;
  return { oldStart, oldEnd, start, end };
}

function matchLongest({ old, now, matches }: Versions, { oldStart, oldEnd, start, end }: Range): void {
  const columns = end - start + 1;
  const lengths = new Uint16Array((oldEnd - oldStart + 1) * columns);
  const at = (n: number, m: number) => lengths[(n - oldStart) * columns + (m - start)] as number;
  for (let n = oldEnd - 1; n >= oldStart; n--) {
    for (let m = end - 1; m >= start; m--) {
      lengths[(n - oldStart) * columns + (m - start)] =
        old[n] === now[m] ? at(n + 1, m + 1) + 1 : Math.max(at(n + 1, m), at(n, m + 1));
    }
  }
  for (let [n, m] = [oldStart, start]; n < oldEnd && m < end; ) {
    if (old[n] === now[m]) matches[m++] = n++;
    else if (at(n + 1, m) >= at(n, m + 1)) n++;
    else m++;
  }
}

/** Matches the longest ascending sequence of lines that occur once in both ranges, and returns the ranges between them. */
function divide({ old, now, matches }: Versions, { oldStart, oldEnd, start, end }: Range): Range[] {
  const places = new Map<number, { old: number; now: number }>();
  for (let n = oldStart; n < oldEnd; n++) {
    const number = old[n] as number;
    places.set(number, { old: places.has(number) ? -1 : n, now: -1 });
  }
  for (let m = start; m < end; m++) {
    const place = places.get(now[m] as number);
    if (place) place.now = place.now === -1 ? m : -2;
  }
  const unique = [...places.values()].filter(({ old, now }) => old >= 0 && now >= 0);
  const anchors = longestAscending(unique.sort((a, b) => a.now - b.now));
  const ranges: Range[] = [];
  let [oldFrom, from] = [oldStart, start];
  for (const anchor of anchors) {
    matches[anchor.now] = anchor.old;
    ranges.push({ oldStart: oldFrom, oldEnd: anchor.old, start: from, end: anchor.now });
    [oldFrom, from] = [anchor.old + 1, anchor.now + 1];
  }
  // Without anchors the versions have so little in common that nothing is matched.
  if (anchors.length > 0) ranges.push({ oldStart: oldFrom, oldEnd, start: from, end });
  return ranges;
}

function longestAscending<T extends { old: number }>(items: readonly T[]): T[] {
  const tails: number[] = [];
  const previous = new Int32Array(items.length).fill(-1);
  for (const [n, { old }] of items.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((items[tails[middle] as number] as T).old < old) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[n] = tails[low - 1] as number;
    tails[low] = n;
  }
  const chosen: T[] = [];
  for (let n = tails.at(-1) ?? -1; n >= 0; n = previous[n] as number) chosen.push(items[n] as T);
  return chosen.reverse();
}
