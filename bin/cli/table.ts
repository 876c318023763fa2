import { toField, toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate } from "../format/text.ts";
import type { Io } from "./io.ts";

/** A column of a table. */
export interface Column {
  heading: string;
  /** Default: left. */
  align?: "left" | "right";
  /** The one column that shrinks first on a narrow terminal. */
  shrinksFirst?: boolean;
  /** Whether cells are always printed in full, even past the width of the terminal: part of a number or an id misleads. */
  isNeverCut?: boolean;
  /** Columns with this number are omitted if the shrinking column has too little room; the highest first. */
  omitOrder?: number;
  style?: Parameters<Io["style"]>[0];
}

const GAP = "  ";
/** Columns are omitted before the shrinking one gets narrower than this. */
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
    .map(([name, value]) => `${io.style("dim", pad(name, nameWidth))}${toOneLine(value)}\n`)
    .join("");
}

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
    column.shrinksFirst ? Math.min(room, COMFORTABLE_WIDTH) : room;
  while (missing(comfortable) > 0) {
    const least = Math.max(...fitted.map(({ column }) => column.omitOrder ?? 0));
    if (least === 0) break;
    fitted = fitted.filter(({ column }) => column.omitOrder !== least);
  }
  const giving = fitted.find(({ column }) => column.shrinksFirst);
  if (giving) {
    const over = Math.max(
      0,
      missing(({ room }) => room),
    );
    giving.room = Math.max(comfortable(giving), giving.room - over);
  }
  const cuttable = fitted.filter(({ column }) => !column.isNeverCut);
  for (let over = missing(({ room }) => room); over > 0; over--) {
    const widest = cuttable.reduce<Fitted | undefined>((a, b) => (a && a.room >= b.room ? a : b), undefined);
    if (!widest || widest.room <= MIN_WIDTH) break;
    widest.room--;
  }
  return fitted;
}
