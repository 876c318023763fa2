import type { Io } from "./io.ts";
import { cut, fill, width } from "./text.ts";

/** A column of a table: its heading, and how it behaves. */
export interface Column {
  heading: string;
  /** Numbers stand at the right. */
  align?: "left" | "right";
  /** The one column that gives way when the terminal is narrow. */
  gives?: boolean;
  style?: Parameters<Io["style"]>[0];
}

const GAP = "  ";
/** The column that gives way is never narrower than this. */
const NARROWEST = 12;

/**
 * Rows as lines. On a terminal aligned under headings and cut to its width; else one row a line with tabs
 * between, nothing cut, no headings: what `cut` and `awk` expect.
 */
export function table(io: Io, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  if (!io.isTerminal) return rows.map((row) => `${row.join("\t").trimEnd()}\n`).join("");
  const widths = columns.map(({ heading }, n) =>
    Math.max(width(heading), ...rows.map((row) => width(row[n] ?? ""))),
  );
  const giving = columns.findIndex(({ gives }) => gives);
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  if (giving !== -1 && total > io.columns) {
    widths[giving] = Math.max(NARROWEST, (widths[giving] as number) - (total - io.columns));
  }
  const line = (cells: readonly string[], styled: (text: string, n: number) => string) =>
    `${columns
      .map(({ align }, n) => {
        const text = cut(cells[n] ?? "", widths[n] as number);
        const isLast = n === columns.length - 1 && align !== "right";
        return styled(isLast ? text : fill(text, widths[n] as number, align === "right" ? "left" : "right"), n);
      })
      .join(GAP)}\n`;
  const heading = line(columns.map(({ heading: text }) => text), (text) => io.style("dim", text));
  const body = rows.map((row) =>
    line(row, (text, n) => {
      const { style } = columns[n] as Column;
      return style ? io.style(style, text) : text;
    }),
  );
  return heading + body.join("");
}
