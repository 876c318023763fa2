/** The words that differ between the old and the new version of a line. */
import type { DiffLine } from "./diff-lines.ts";
import { diffSequences } from "./line-diff.ts";

/** Start and end, in UTF-16 units of the line's text. */
export type TextRange = readonly [start: number, end: number];

/** Pairs of words to compare in one pair of lines, and in one diff. Beyond them, nothing is marked. */
const MAX_PAIRS_PER_LINE = 100_000;
const MAX_PAIRS = 2_000_000;

/** UTF-16 units. Words are not marked in longer lines, which few people would find them in. */
const MAX_LINE_LENGTH = 10_000;

/** Added lines that a removed line is compared with. */
const MAX_CANDIDATES = 5;

/** The share of the text that two versions of a line have in common, at least. */
const MIN_COMMON = 0.4;

/** The changed words of each line; undefined for lines that are not one version of a changed line. */
export function findChangedWords(lines: readonly DiffLine[]): (readonly TextRange[] | undefined)[] {
  const found: (readonly TextRange[] | undefined)[] = lines.map(() => undefined);
  const tokens = lines.map(({ kind, text }) => {
    const isCompared = (kind === "added" || kind === "removed") && text.length <= MAX_LINE_LENGTH;
    return isCompared ? tokenize(text) : undefined;
  });
  let budget = MAX_PAIRS;
  for (let start = 0; start < lines.length; ) {
    const added = endOfRun(lines, start, "removed");
    const end = endOfRun(lines, added, "added");
    let next = added;
    for (let n = start; n < added && next < end; n++) {
      for (let m = next; m < Math.min(end, next + MAX_CANDIDATES) && budget > 0; m++) {
        const words = diffWords(tokens[n], tokens[m]);
        budget -= words?.pairs ?? 0;
        if (!words?.isSimilar) continue;
        found[n] = words.old;
        found[m] = words.now;
        next = m + 1;
        break;
      }
    }
    start = Math.max(end, start + 1);
  }
  return found;
}

function endOfRun(lines: readonly DiffLine[], start: number, kind: DiffLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end;
}

/** Words, spaces, and other characters one by one; also those of scripts that write no spaces. */
const TOKEN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]\p{M}*|[\p{L}\p{M}\p{N}_]+|\s+|./gsu;

function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

interface WordDiff {
  old: TextRange[];
  now: TextRange[];
  isSimilar: boolean;
  /** Pairs of words that were compared. */
  pairs: number;
}

/** Undefined if it would take too long. */
function diffWords(
  old: readonly string[] | undefined,
  now: readonly string[] | undefined,
): WordDiff | undefined {
  if (!old || !now) return undefined;
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [oldRest, newRest] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const pairs = oldRest.length * newRest.length;
  if (pairs > MAX_PAIRS_PER_LINE) return undefined;
  const parts = diffSequences(oldRest, newRest);
  const around = lengthOf(old.slice(0, start)) + lengthOf(old.slice(old.length - end));
  const common = around + lengthOf(parts.filter((part) => part.startsWith(" ")).map((part) => part.slice(1)));
  const longest = Math.max(lengthOf(old), lengthOf(now));
  const offset = old.slice(0, start).join("").length;
  return {
    old: toRanges(parts, "-", offset),
    now: toRanges(parts, "+", offset),
    isSimilar: common >= longest * MIN_COMMON,
    pairs: pairs + old.length + now.length,
  };
}

/** The length without spaces, which lines have in common by chance. */
function lengthOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + token.trim().length, 0);
}

/** The changed parts of one side. Those with only a space between them are one. */
function toRanges(parts: readonly string[], sign: "-" | "+", offset: number): TextRange[] {
  const ranges: [start: number, end: number][] = [];
  let at = offset;
  let isNear = false;
  for (const part of parts) {
    const length = part.length - 1;
    if (part.startsWith(sign)) {
      const last = ranges.at(-1);
      if (last && isNear) last[1] = at + length;
      else ranges.push([at, at + length]);
      at += length;
      isNear = true;
    } else if (part.startsWith(" ")) {
      at += length;
      isNear &&= part.trim() === "";
    }
  }
  return ranges;
}
