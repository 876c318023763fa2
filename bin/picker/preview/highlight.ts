/** Highlights search matches in rendered lines. */
import type { Hit } from "../../../library/index.ts";
import { toSafe } from "../../format/safe.ts";
import type { Theme } from "../../format/theme.ts";
import { parseStyled, type Run, renderRun, type StyledLine } from "./styled-line.ts";

/** The distinct matched texts of hits, longest first. */
export function extractMatches(hits: readonly Pick<Hit, "snippet">[]): string[] {
  const finds = hits.flatMap(({ snippet: { text, ranges } }) =>
    ranges.map(([start, end]) => text.slice(start, end)),
  );
  return [...new Set(finds)].filter((find) => find.trim() !== "").sort((a, b) => b.length - a.length);
}

/**
 * Highlights matches in lines, including matches across line breaks, and keeps all other styles. Ignores case, Unicode composition, and
 * the amount of white space.
 */
export function highlightLines(lines: readonly string[], finds: readonly string[], theme: Theme): string[] {
  const styled = lines.map(parseStyled);
  const folded = foldLines(styled);
  const marks = findMarks(folded, finds);
  return lines.map((line, n) => {
    const ranges = marks.get(n);
    return ranges ? markLine(styled[n] as StyledLine, ranges, theme) : line;
  });
}

/** Index of the line in which the first match starts; undefined if there is none. */
export function findFirstMatch(lines: readonly string[], finds: readonly string[]): number | undefined {
  const { text, starts } = foldLines(lines.map(parseStyled));
  const offsets = normalizeFinds(finds).flatMap((find) => {
    const at = text.indexOf(find);
    return at === -1 ? [] : [at];
  });
  return offsets.length === 0 ? undefined : lineAt(starts, Math.min(...offsets));
}

/** A text normalized for matching. */
interface Folded {
  text: string;
  /** Start and end offsets in the original text by UTF-16 unit; undefined if the offsets are the same. */
  from?: number[];
  to?: number[];
}

interface FoldedLines {
  /** All lines, joined by spaces. */
  text: string;
  /** Offset of each line in `text`. */
  starts: number[];
  lines: Folded[];
}

function foldLines(styled: readonly StyledLine[]): FoldedLines {
  const lines = styled.map(({ text }) => fold(text));
  const starts: number[] = [];
  let length = 0;
  for (const { text } of lines) {
    starts.push(length);
    length += text.length + 1;
  }
  return { text: lines.map(({ text }) => text).join(" "), starts, lines };
}

const PLAIN = /^(?! )(?!.* {2})(?!.* $)[\x20-\x7e]*$/;

/** Normalizes a text: lower case, NFC, single spaces, trimmed. */
function fold(text: string): Folded {
  if (PLAIN.test(text)) return { text: text.toLowerCase() };
  const [from, to]: [number[], number[]] = [[], []];
  let folded = "";
  for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
    const isBlank = segment.trim() === "";
    if (isBlank && (folded === "" || folded.endsWith(" "))) continue;
    const normalized = isBlank ? " " : segment.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
    for (let n = 0; n < normalized.length; n++) {
      from.push(index);
      to.push(index + segment.length);
    }
    folded += normalized;
  }
  return { text: folded.trimEnd(), from, to };
}

/** The distinct normalized finds. */
function normalizeFinds(finds: readonly string[]): string[] {
  const folded = finds.map((find) => fold(toSafe(find.toWellFormed()).replace(/\s+/g, " ")).text);
  return [...new Set(folded)].filter((find) => find !== "");
}

type Ranges = [from: number, to: number][];

/** The ranges to highlight by line index, in order and without overlaps. */
function findMarks({ text, starts, lines }: FoldedLines, finds: readonly string[]): Map<number, Ranges> {
  const marks = new Map<number, Ranges>();
  for (const [from, to] of findRanges(text, finds)) {
    for (let n = lineAt(starts, from); n < lines.length && (starts[n] as number) < to; n++) {
      const line = lines[n] as Folded;
      const first = Math.max(0, from - (starts[n] as number));
      const last = Math.min(line.text.length, to - (starts[n] as number)) - 1;
      if (last < first) continue;
      const range: [number, number] = [line.from?.[first] ?? first, line.to?.[last] ?? last + 1];
      marks.set(n, [...(marks.get(n) ?? []), range]);
    }
  }
  return marks;
}

function findRanges(text: string, finds: readonly string[]): Ranges {
  const ranges: Ranges = [];
  for (const find of normalizeFinds(finds)) {
    for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + 1))
      ranges.push([at, at + find.length]);
  }
  ranges.sort(([a], [b]) => a - b);
  const joined: Ranges = [];
  for (const [from, to] of ranges) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** Index of the line that contains an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  return starts.findLastIndex((start) => start <= offset);
}

function markLine({ runs }: StyledLine, ranges: Ranges, theme: Theme): string {
  const mark = (text: string) => theme.style(["inverse", "yellow"], text);
  return runs.map((run) => markRun(run, ranges, mark)).join("");
}

function markRun({ text, from, styles }: Run, ranges: Ranges, mark: (text: string) => string): string {
  let shown = "";
  let done = 0;
  for (const [start, end] of ranges) {
    const [first, last] = [Math.max(start - from, 0), Math.min(end - from, text.length)];
    if (last <= first) continue;
    shown += renderRun(text.slice(done, first), styles) + mark(text.slice(first, last));
    done = last;
  }
  return shown + renderRun(text.slice(done), styles);
}
