import { firstLines, truncateText } from "./bounded-text.ts";

/** A diff of lines. */
export interface LineDiff {
  /** Each begins with `-`, `+` or a space. */
  lines: string[];
  added: number;
  removed: number;
}

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;

/** Texts with more pairs of lines to compare are shown as removed and added in full, because a diff would take too long. */
const MAX_LINE_PAIRS = 1_000_000;

/** UTF-16 units of both texts together. Of longer texts the first lines are shown, and all are counted. */
const MAX_DIFF_UNITS = 400_000;

/**
 * The diff of two texts by lines, with context.
 *
 * @param share the number of diffs that share the time limit of one
 */
export function diffLines(before: string, after: string, share = 1): LineDiff {
  if (before.length + after.length > MAX_DIFF_UNITS) return bothWhole(before, after);
  const old = splitLines(before);
  const now = splitLines(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [oldRest, newRest] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const isTooMuch = oldRest.length * newRest.length > MAX_LINE_PAIRS / share;
  const changes = isTooMuch ? [...removed(oldRest), ...added(newRest)] : diffSequences(oldRest, newRest);
  const all = [
    ...kept(old.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...changes,
    ...kept(old.slice(old.length - end, old.length - end + CONTEXT_LINES)),
  ];
  return {
    lines: aroundChanges(all),
    added: changes.filter((line) => line.startsWith("+")).length,
    removed: changes.filter((line) => line.startsWith("-")).length,
  };
}

function bothWhole(before: string, after: string): LineDiff {
  const [old, now] = [truncateText(before), truncateText(after)];
  const left = (more: string) => (more === "" ? [] : [` ${more}`]);
  return {
    lines: [
      ...removed(splitLines(old.start)),
      ...left(old.more),
      ...added(splitLines(now.start)),
      ...left(now.more),
    ],
    added: countLines(after),
    removed: countLines(before),
  };
}

function countLines(text: string): number {
  return firstLines(text, 0).more;
}

function removed(lines: readonly string[]): string[] {
  return lines.map((line) => `-${line}`);
}

function added(lines: readonly string[]): string[] {
  return lines.map((line) => `+${line}`);
}

function kept(lines: readonly string[]): string[] {
  return lines.map((line) => ` ${line}`);
}

/** The lines of a text. A trailing line end starts no line. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/**
 * The shortest way from one sequence to another, such as lines of texts or words of lines. Each part begins with `-`, `+` or a space.
 * Takes time and memory for each pair of parts.
 */
export function diffSequences(old: readonly string[], now: readonly string[]): string[] {
  const rest = longestCommon(old, now);
  const columns = now.length + 1;
  const lines: string[] = [];
  let [n, m] = [0, 0];
  while (n < old.length || m < now.length) {
    const oldLine = old[n];
    const newLine = now[m];
    if (oldLine !== undefined && oldLine === newLine) {
      lines.push(` ${oldLine}`);
      n++;
      m++;
    } else if (
      oldLine !== undefined &&
      (newLine === undefined || lengthAt(rest, (n + 1) * columns + m) >= lengthAt(rest, n * columns + m + 1))
    ) {
      lines.push(`-${oldLine}`);
      n++;
    } else {
      lines.push(`+${newLine}`);
      m++;
    }
  }
  return lines;
}

/** The length of the longest common subsequence from each pair of lines to the ends. */
function longestCommon(old: readonly string[], now: readonly string[]): Uint16Array {
  // Lines are compared by number: comparing long strings repeatedly would take most of the time.
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  const [a, b] = [old.map(numberOf), now.map(numberOf)];
  const columns = b.length + 1;
  // 16 bits suffice: with at most `MAX_LINE_PAIRS` pairs, the shorter text has at most 1,000 lines.
  const lengths = new Uint16Array((a.length + 1) * columns);
  for (let n = a.length - 1; n >= 0; n--) {
    for (let m = b.length - 1; m >= 0; m--) {
      const at = n * columns + m;
      lengths[at] =
        a[n] === b[m]
          ? lengthAt(lengths, at + columns + 1) + 1
          : Math.max(lengthAt(lengths, at + columns), lengthAt(lengths, at + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: Uint16Array, at: number): number {
  return lengths[at] as number;
}

/** The changed lines with context, and `…` for omitted lines. */
function aroundChanges(lines: readonly string[]): string[] {
  const shown = new Uint8Array(lines.length);
  lines.forEach((line, n) => {
    if (!line.startsWith(" ")) shown.fill(1, Math.max(0, n - CONTEXT_LINES), n + CONTEXT_LINES + 1);
  });
  return lines.flatMap((line, n) => {
    if (shown[n]) return [line];
    return shown[n - 1] && n + 1 < lines.length && shown.includes(1, n) ? [" …"] : [];
  });
}
