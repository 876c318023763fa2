/** Wraps and cuts lines to a width. Characters that terminals draw at different widths count as the wider one. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { measureWidth, truncate } from "../../format/text.ts";
import { parseStyled, type Run, renderRun, toRuns } from "./styled-line.ts";

/** Maximum number of UTF-16 units per column: combining marks take no column. */
const UNITS_PER_COLUMN = 16;

/** Maximum length of a grapheme in UTF-16 units; longer ones are meaningless and may be split. */
const MAX_GRAPHEME_LENGTH = 64;

const ASCII = /^[\x20-\x7e]*$/;

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
  const styled = parseStyled(line);
  const runs = toRuns(styled);
  let first = 0;
  return breaks(styled.text, columns).map(([from, to]) => {
    while (first < runs.length - 1 && runEnd(runs[first] as Run) <= from) first++;
    let row = "";
    for (let n = first; n < runs.length && (runs[n] as Run).from < to; n++) {
      const run = runs[n] as Run;
      row += renderRun(run.text.slice(Math.max(0, from - run.from), to - run.from), run.styles);
    }
    return row;
  });
}

function runEnd({ from, text }: Run): number {
  return from + text.length;
}

/** A grapheme, which is never split. */
interface Cell {
  at: number;
  columns: number;
}

/** Start and end offsets of a text's rows. */
function breaks(text: string, columns: number): [from: number, to: number][] {
  const isShort = text.length <= columns * UNITS_PER_COLUMN;
  if (isShort && measureColumns(text) <= columns) return [[0, text.length]];
  const rows: [number, number][] = [];
  const cells = ASCII.test(text) ? undefined : toCells(text, columns);
  const count = cells?.length ?? text.length;
  const at = (n: number) => (n >= count ? text.length : cells ? (cells[n] as Cell).at : n);
  const columnsAt = (n: number) => (cells ? (cells[n] as Cell).columns : 1);
  const isBlank = (n: number) => text[at(n)] === " " && at(n + 1) === at(n) + 1;
  let from = 0;
  while (from < count) {
    let to = from;
    let used = 0;
    let afterWord = -1; // end of the last word in this row that is followed by a space
    while (
      to < count &&
      used + columnsAt(to) <= columns &&
      at(to + 1) - at(from) <= columns * UNITS_PER_COLUMN
    ) {
      if (isBlank(to) && to > from && !isBlank(to - 1)) afterWord = to;
      used += columnsAt(to);
      to++;
    }
    if (to === from) to++;
    if (to < count && !isBlank(to) && afterWord > from) to = afterWord;
    rows.push([at(from), at(to)]);
    // Skips spaces at a line break, which would start the next row.
    if (to < count) while (to < count && isBlank(to)) to++;
    from = to;
  }
  return rows;
}

function toCells(text: string, columns: number): Cell[] {
  const widths = new Map<string, number>();
  const cells: Cell[] = [];
  for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
    let width = widths.get(segment);
    if (width === undefined) {
      width = measureColumns(segment);
      widths.set(segment, width);
    }
    if (width <= columns && segment.length <= MAX_GRAPHEME_LENGTH) cells.push({ at: index, columns: width });
    else cells.push(...splitGrapheme(segment, index));
  }
  return cells;
}

/** Splits a grapheme that is too long or too wide into its characters. */
function splitGrapheme(segment: string, index: number): Cell[] {
  const cells: Cell[] = [];
  let at = index;
  for (const character of segment) {
    cells.push({ at, columns: 2 }); // at most
    at += character.length;
  }
  return cells;
}
