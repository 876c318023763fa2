/** What a search found, in the lines of a preview. */
import type { Hit } from "../../../library/index.ts";
import { safe } from "../../format/safe.ts";
import type { Theme } from "../../format/theme.ts";
import { parseStyled, type Run, runsOf, type StyledLine, styledRun } from "./styled-line.ts";

/** The texts that were found, each once, longest first. */
export function findsOf(hits: readonly Pick<Hit, "snippet">[]): string[] {
  const finds = hits.flatMap(({ snippet: { text, ranges } }) =>
    ranges.map(([start, end]) => text.slice(start, end)),
  );
  return [...new Set(finds)].filter((find) => find.trim() !== "").sort((a, b) => b.length - a.length);
}

/** A line with each find in it marked; see `markLines`, which also marks those that go on in the next line. */
export function markFinds(line: string, finds: readonly string[], theme: Theme): string {
  return markLines([line], finds, theme)[0] as string;
}

/**
 * Lines with each find in them marked, and what stands around it as it was. Capitals do not count, nor how accents are
 * written, nor how many blanks stand between words or where lines were broken.
 */
export function markLines(lines: readonly string[], finds: readonly string[], theme: Theme): string[] {
  const styled = lines.map(parseStyled);
  const folded = foldLines(styled);
  const marks = marksIn(folded, finds);
  return lines.map((line, n) => {
    const ranges = marks.get(n);
    return ranges ? marked(styled[n] as StyledLine, ranges, theme) : line;
  });
}

/** The number of the first line that holds a find, or where one begins; undefined when there is none. */
export function firstFind(lines: readonly string[], finds: readonly string[]): number | undefined {
  const { text, starts } = foldLines(lines.map(parseStyled));
  const places = wordsOf(finds).flatMap((find) => {
    const at = text.indexOf(find);
    return at === -1 ? [] : [at];
  });
  return places.length === 0 ? undefined : lineAt(starts, Math.min(...places));
}

/** A text as finds are looked for in it. */
interface Folded {
  text: string;
  /** Where each of its units stands in the text itself; undefined when that is the same place. */
  from?: number[];
  to?: number[];
}

interface FoldedLines {
  /** All lines, with a blank between each two. */
  text: string;
  /** Where each line begins in it. */
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

/** Small letters, accents composed, one blank between words and none around them. */
function fold(text: string): Folded {
  if (PLAIN.test(text)) return { text: text.toLowerCase() };
  const [from, to]: [number[], number[]] = [[], []];
  let folded = "";
  for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
    const isBlank = segment.trim() === "";
    if (isBlank && (folded === "" || folded.endsWith(" "))) continue;
    const piece = isBlank ? " " : segment.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
    for (let n = 0; n < piece.length; n++) {
      from.push(index);
      to.push(index + segment.length);
    }
    folded += piece;
  }
  return { text: folded.trimEnd(), from, to };
}

/** Finds as they are looked for. */
function wordsOf(finds: readonly string[]): string[] {
  const folded = finds.map((find) => fold(safe(find.toWellFormed()).replace(/\s+/g, " ")).text);
  return [...new Set(folded)].filter((find) => find !== "");
}

type Ranges = [from: number, to: number][];

/** What is to be marked in each line that holds finds, in order and without overlaps. */
function marksIn({ text, starts, lines }: FoldedLines, finds: readonly string[]): Map<number, Ranges> {
  const marks = new Map<number, Ranges>();
  for (const [from, to] of rangesIn(text, finds)) {
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

function rangesIn(text: string, finds: readonly string[]): Ranges {
  const ranges: Ranges = [];
  for (const find of wordsOf(finds)) {
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

/** The line that holds a place. */
function lineAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

function marked(line: StyledLine, ranges: Ranges, theme: Theme): string {
  const mark = (text: string) => theme.style(["inverse", "yellow"], text);
  return runsOf(line)
    .map((run) => markedRun(run, ranges, mark))
    .join("");
}

function markedRun({ text, from, styles }: Run, ranges: Ranges, mark: (text: string) => string): string {
  let shown = "";
  let done = 0;
  for (const [start, end] of ranges) {
    const [first, last] = [Math.max(start - from, 0), Math.min(end - from, text.length)];
    if (last <= first) continue;
    shown += styledRun(text.slice(done, first), styles) + mark(text.slice(first, last));
    done = last;
  }
  return shown + styledRun(text.slice(done), styles);
}
