/** Lines made to fit a pane: what terminals take different widths for is taken for the wider. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { cut, width } from "../../format/text.ts";
import { parseStyled, type Run, runsOf, styledRun } from "./styled-line.ts";

/** UTF-16 units that one column may hold, in marks that take no column of their own. */
const UNITS_A_COLUMN = 16;

/** No character that a person reads is longer, in UTF-16 units. */
const LONGEST_GRAPHEME = 64;

const ASCII = /^[\x20-\x7e]*$/;

/** How many columns a text may take: terminals and the libraries that know them differ on a few characters. */
export function columnsOf(text: string): number {
  return ASCII.test(text) ? text.length : Math.max(width(text), visibleWidth(text));
}

/** A text of one line, cut to so many columns. */
export function cutTo(text: string, columns: number): string {
  let row = cut(text, columns);
  for (let room = columns - 1; room > 0 && columnsOf(row) > columns; room--) row = cut(text, room);
  return row;
}

/**
 * A line, which may hold styles, as rows of at most so many columns each, broken between words where that can be. Each row
 * ends the styles it begins, and none holds any other escape sequence.
 */
export function rowsOf(line: string, columns: number): string[] {
  const styled = parseStyled(line);
  const runs = runsOf(styled);
  let first = 0;
  return breaks(styled.text, columns).map(([from, to]) => {
    while (first < runs.length - 1 && endOf(runs[first] as Run) <= from) first++;
    let row = "";
    for (let n = first; n < runs.length && (runs[n] as Run).from < to; n++) {
      const run = runs[n] as Run;
      row += styledRun(run.text.slice(Math.max(0, from - run.from), to - run.from), run.styles);
    }
    return row;
  });
}

function endOf({ from, text }: Run): number {
  return from + text.length;
}

/** What is not parted: a character as a reader sees it. */
interface Cell {
  at: number;
  columns: number;
}

/** Where the rows of a text begin and end. */
function breaks(text: string, columns: number): [from: number, to: number][] {
  const isShort = text.length <= columns * UNITS_A_COLUMN;
  if (isShort && columnsOf(text) <= columns) return [[0, text.length]];
  const rows: [number, number][] = [];
  const cells = ASCII.test(text) ? undefined : cellsOf(text, columns);
  const count = cells?.length ?? text.length;
  const at = (n: number) => (n >= count ? text.length : cells ? (cells[n] as Cell).at : n);
  const columnsAt = (n: number) => (cells ? (cells[n] as Cell).columns : 1);
  const isBlank = (n: number) => text[at(n)] === " " && at(n + 1) === at(n) + 1;
  let from = 0;
  while (from < count) {
    let to = from;
    let used = 0;
    let afterWord = -1; // where a word ended last in this row, and blanks follow
    while (
      to < count &&
      used + columnsAt(to) <= columns &&
      at(to + 1) - at(from) <= columns * UNITS_A_COLUMN
    ) {
      if (isBlank(to) && to > from && !isBlank(to - 1)) afterWord = to;
      used += columnsAt(to);
      to++;
    }
    if (to === from) to++;
    if (to < count && !isBlank(to) && afterWord > from) to = afterWord;
    rows.push([at(from), at(to)]);
    // Blanks where a line is broken would stand at the next one's start.
    if (to < count) while (to < count && isBlank(to)) to++;
    from = to;
  }
  return rows;
}

function cellsOf(text: string, columns: number): Cell[] {
  const known = new Map<string, number>();
  const cells: Cell[] = [];
  for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
    let taken = known.get(segment);
    if (taken === undefined) {
      taken = columnsOf(segment);
      known.set(segment, taken);
    }
    if (taken <= columns && segment.length <= LONGEST_GRAPHEME) cells.push({ at: index, columns: taken });
    else cells.push(...parted(segment, index));
  }
  return cells;
}

/** A cluster of characters that is longer than any that means something: it may be parted anywhere. */
function parted(segment: string, index: number): Cell[] {
  const cells: Cell[] = [];
  let at = index;
  for (const character of segment) {
    cells.push({ at, columns: 2 }); // at most
    at += character.length;
  }
  return cells;
}
