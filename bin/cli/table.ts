import { toField, toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate, wrapLines } from "../format/text.ts";
import type { Io } from "./io.ts";

/** A column of a table. */
export interface Column {
  heading: string;
  /** Default: left. */
  align?: "left" | "right";
  /** The one column that shrinks first on a narrow terminal. */
  shrinksFirst?: boolean;
  /**
   * Of the column that shrinks first: columns are omitted before it gets narrower than this. Of others: they are cut to this width until the
   * column that shrinks first has half of the terminal.
   */
  comfortableWidth?: number;
  /** Whether cells are always printed in full, even past the width of the terminal: part of a number or an id misleads. */
  isNeverCut?: boolean;
  /** Columns with this number are omitted if the shrinking column has too little room; the highest first. */
  omitOrder?: number;
  style?: Parameters<Io["style"]>[0];
}

const GAP = "  ";
/** The default of the column that shrinks first. */
const COMFORTABLE_WIDTH = 20;
/** No column is cut below this width. */
const MIN_WIDTH = 4;

/** The cells of a row, or a row that is bold, such as a sum or the heading of a group. */
export type Row = readonly string[] | { strong: readonly string[] };

/** Rows for a terminal, aligned under headings and cut to its width. */
export function formatTable(io: Io, columns: readonly Column[], rows: readonly Row[]): string {
  const plain = rows.map((row) => ("strong" in row ? row.strong : row));
  const shown = columnsThatFit(columns, plain, io.columns);
  const line = (cells: readonly string[], styled: (text: string, column: Column) => string) =>
    `${shown
      .map(({ column, n, room }, position) => {
        const text = truncate(cells[n] ?? "", room);
        const isLast = position === shown.length - 1 && column.align !== "right";
        return styled(isLast ? text : pad(text, room, column.align === "right" ? "left" : "right"), column);
      })
      .join(GAP)}\n`;
  const headings = columns.map(({ heading }) => heading);
  const heading = line(headings, (text) => io.style("dim", text));
  const body = rows.map((row) =>
    "strong" in row
      ? line(row.strong, (text) => io.style("bold", text))
      : line(row, (text, { style }) => (style ? io.style(style, text) : text)),
  );
  return heading + body.join("");
}

/** Cells as a line for scripts, for `cut` and `awk`: tab-separated and uncut. */
export function formatRow(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map((cell) => toField(String(cell ?? ""))).join("\t")}\n`;
}

/** Facts by their names, one per line, without those that are undefined. */
export function formatFacts(
  io: Io,
  facts: Readonly<Record<string, string | undefined>>,
  nameWidth: number,
): string {
  return Object.entries(facts)
    .filter((fact): fact is [string, string] => fact[1] !== undefined)
    .map(([name, value]) => {
      const lines = wrapFact(io, toOneLine(value), io.columns - nameWidth);
      return `${io.style("dim", pad(name, nameWidth))}${lines.join(`\n${" ".repeat(nameWidth)}`)}\n`;
    })
    .join("");
}

/** The lines of a fact on a terminal. Paths stay whole, so that they can be copied. */
function wrapFact(io: Io, text: string, room: number): string[] {
  return io.isTerminal && !/[\\/]/.test(text)
    ? wrapLines(text, Math.max(room, MIN_FACT_COLUMNS)).split("\n")
    : [text];
}

const MIN_FACT_COLUMNS = 20;

interface Fitted {
  column: Column;
  /** Its position in the rows. */
  n: number;
  room: number;
}

/** The columns that fit, with their widths. */
function columnsThatFit(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  available: number,
): Fitted[] {
  let fitted = columns.map((column, n): Fitted => {
    const widest = rows.reduce(
      (most, row) => Math.max(most, measureWidth(row[n] ?? "")),
      measureWidth(column.heading),
    );
    return { column, n, room: widest };
  });
  const missing = (room: (each: Fitted) => number) =>
    fitted.reduce((sum, each) => sum + room(each), GAP.length * (fitted.length - 1)) - available;
  const comfortable = ({ column, room }: Fitted) =>
    Math.min(room, column.comfortableWidth ?? (column.shrinksFirst ? COMFORTABLE_WIDTH : room));
  while (missing(comfortable) > 0) {
    const least = Math.max(...fitted.map(({ column }) => column.omitOrder ?? 0));
    if (least === 0) break;
    fitted = fitted.filter(({ column }) => column.omitOrder !== least);
  }
  const giving = fitted.find(({ column }) => column.shrinksFirst);
  if (giving) {
    const wanted = Math.min(giving.room, Math.floor(available / 2));
    cutWidest(
      fitted.filter((each) => each !== giving && each.room > comfortable(each)),
      missing((each) => (each === giving ? wanted : each.room)),
      comfortable,
    );
    const over = Math.max(
      0,
      missing(({ room }) => room),
    );
    giving.room = Math.max(comfortable(giving), giving.room - over);
  }
  cutWidest(
    fitted.filter(({ column }) => !column.isNeverCut),
    missing(({ room }) => room),
    () => MIN_WIDTH,
  );
  return fitted;
}

/** Takes a number of columns from the widest of some, which keep at least their minimum. */
function cutWidest(cuttable: readonly Fitted[], count: number, minimum: (each: Fitted) => number): void {
  for (let left = count; left > 0; left--) {
    const able = cuttable.filter((each) => each.room > minimum(each));
    const widest = able.reduce<Fitted | undefined>((a, b) => (a && a.room >= b.room ? a : b), undefined);
    if (!widest) return;
    widest.room--;
  }
}
