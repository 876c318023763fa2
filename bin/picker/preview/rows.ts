/** Wraps and cuts lines to a width. Characters that terminals draw at different widths count as the wider one. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { measureWidth, truncate } from "../../format/text.ts";
import { parseStyled, type Run, renderRun } from "./styled-line.ts";

/** Maximum number of UTF-16 units per column: combining marks take no column. */
const UNITS_PER_COLUMN = 16;

/** Maximum length of a grapheme in UTF-16 units; longer ones are meaningless and may be split. */
const MAX_GRAPHEME_LENGTH = 64;

const ASCII = /^[\x20-\x7e]*$/;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Maximum width of a text in columns: terminals and width libraries disagree about some characters. */
export function measureColumns(text: string): number {
  return ASCII.test(text) ? text.length : Math.max(measureWidth(text), visibleWidth(text));
}

/** Cuts a line to `columns` columns. */
export function cutToColumns(text: string, columns: number): string {
  let row = truncate(text, columns);
  for (let room = columns - 1; room > 0 && measureColumns(row) > columns; room--) row = truncate(text, room);
  return row;
}

/**
 * Wraps a line, which may contain styles, to rows of at most `columns` columns, between words if possible. Each row ends the styles it
 * starts, and rows contain no other escape sequences.
 */
export function wrapLine(line: string, columns: number): string[] {
  const { text, runs } = parseStyled(line);
  let first = 0;
  return breaks(text, columns).map(([from, to]) => {
    while (first < runs.length - 1 && (runs[first + 1] as Run).from <= from) first++;
    let row = "";
    for (let n = first; n < runs.length && (runs[n] as Run).from < to; n++) {
      const run = runs[n] as Run;
      row += renderRun(run.text.slice(Math.max(0, from - run.from), to - run.from), run.styles);
    }
    return row;
  });
}

/** Start and end offsets of a text's rows. */
function breaks(text: string, columns: number): [from: number, to: number][] {
  const isShort = text.length <= columns * UNITS_PER_COLUMN;
  if (isShort && measureColumns(text) <= columns) return [[0, text.length]];
  const findEnd = ASCII.test(text)
    ? (from: number) => Math.min(from + columns, text.length)
    : rowEndFinder(text, columns);
  const rows: [number, number][] = [];
  for (let from = 0; from < text.length; ) {
    let to = findEnd(from);
    if (to < text.length && text[to] !== " ") {
      const afterWord = text.slice(from, to).search(/(?<=[^ ]) +[^ ]*$/);
      if (afterWord > 0) to = from + afterWord;
    }
    rows.push([from, to]);
    // Skips spaces at a line break, which would start the next row.
    if (to < text.length) while (text[to] === " ") to++;
    from = to;
  }
  return rows;
}

/** Returns what finds the end of the longest row from an offset on. It has at least one grapheme. */
function rowEndFinder(text: string, columns: number): (from: number) => number {
  const widths = new Map<string, number>();
  const measure = (segment: string) => {
    const width = widths.get(segment) ?? measureColumns(segment);
    widths.set(segment, width);
    return width;
  };
  return (from) => {
    const limit = from + columns * UNITS_PER_COLUMN;
    let to = from;
    let used = 0;
    // A few more units, which tell whether the grapheme at the limit ends there.
    for (const { segment } of GRAPHEMES.segment(text.slice(from, limit + 2))) {
      const width = measure(segment);
      const isSplit = width > columns || segment.length > MAX_GRAPHEME_LENGTH;
      for (const { length } of isSplit ? segment : [segment]) {
        used += isSplit ? 2 : width; // a character takes at most two columns
        if (to > from && (used > columns || to + length > limit)) return to;
        to += length;
      }
    }
    return to;
  };
}
