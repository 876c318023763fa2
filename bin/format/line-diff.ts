import { firstLines, startOf } from "./bounded-text.ts";

/** What became of the lines of a text. */
export interface Difference {
  /** Lines of a diff: each begins with `-`, `+` or a blank. */
  lines: string[];
  added: number;
  removed: number;
}

/** Lines that stand around a change. */
const CONTEXT = 3;

/** Above this many pairs of lines all that differs is told as removed and added: it would take too long to look at. */
const MOST_PAIRS = 1_000_000;

/** Above this, in UTF-16 units, lines are counted, and the first of them shown. */
const MOST_OF_BOTH = 400_000;

/**
 * How one text became another, by lines, with some of those that stayed.
 *
 * @param share of how many such texts this is one, which together are to take no longer than one
 */
export function lineDiff(before: string, after: string, share = 1): Difference {
  if (before.length + after.length > MOST_OF_BOTH) return bothWhole(before, after);
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [oldRest, newRest] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const isTooMuch = oldRest.length * newRest.length > MOST_PAIRS / share;
  const changes = isTooMuch ? [...removed(oldRest), ...added(newRest)] : changed(oldRest, newRest);
  const all = [
    ...kept(old.slice(Math.max(0, start - CONTEXT), start)),
    ...changes,
    ...kept(old.slice(old.length - end, old.length - end + CONTEXT)),
  ];
  return {
    lines: aroundChanges(all),
    added: changes.filter((line) => line.startsWith("+")).length,
    removed: changes.filter((line) => line.startsWith("-")).length,
  };
}

function bothWhole(before: string, after: string): Difference {
  const [old, now] = [startOf(before), startOf(after)];
  const left = (more: string) => (more === "" ? [] : [` ${more}`]);
  return {
    lines: [
      ...removed(linesOf(old.start)),
      ...left(old.more),
      ...added(linesOf(now.start)),
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

/** The lines of a text; a line end at the very end begins no line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function changed(old: readonly string[], now: readonly string[]): string[] {
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

/** How many lines two texts have in common at most, in order, from each pair of lines on. */
function longestCommon(old: readonly string[], now: readonly string[]): Uint16Array {
  // Lines by number: comparing long ones again and again would take most of the time.
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  const [a, b] = [old.map(numberOf), now.map(numberOf)];
  const columns = b.length + 1;
  // 16 bits do: of so few pairs, the shorter text has at most 1,000 lines.
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

/** Lines that changed and those around them; `…` where some between are left out. */
function aroundChanges(lines: readonly string[]): string[] {
  const shown = new Uint8Array(lines.length);
  lines.forEach((line, n) => {
    if (!line.startsWith(" ")) shown.fill(1, Math.max(0, n - CONTEXT), n + CONTEXT + 1);
  });
  return lines.flatMap((line, n) => {
    if (shown[n]) return [line];
    return shown[n - 1] && n + 1 < lines.length && shown.includes(1, n) ? [" …"] : [];
  });
}
