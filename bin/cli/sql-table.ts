import type { SqlCell } from "../../library/index.ts";
import { oneLine } from "../format/safe.ts";
import { cut, fill, width } from "../format/text.ts";
import type { Io } from "./io.ts";
import { type Column, table } from "./table.ts";

const GAP = 2;
/** Columns are not cut below this width. */
const MIN_COLUMN_WIDTH = 8;
/** The maximum width of column names in the block layout. */
const MAX_NAME_WIDTH = 24;

/** Rows for a terminal: a table, or one block per row if a table doesn't fit. */
export function sqlForPeople(io: Io, columns: readonly string[], rows: readonly SqlCell[][]): string {
  const headings = columns.map(oneLine);
  const texts = rows.map((row) => row.map((cell) => oneLine(cell === null ? "" : String(cell))));
  const needed = headings.reduce((sum, heading, n) => {
    const widest = texts.reduce((most, row) => Math.max(most, width(row[n] ?? "")), width(heading));
    return sum + Math.min(widest, MIN_COLUMN_WIDTH) + GAP;
  }, -GAP);
  if (needed > io.columns) return blocks(io, headings, texts);
  const styled = headings.map((heading, n): Column => {
    const isNumber = rows.every((row) => typeof row[n] === "number" || row[n] === null);
    return { heading, align: isNumber ? "right" : "left" };
  });
  return table(io, styled, texts);
}

function blocks(io: Io, headings: readonly string[], rows: readonly string[][]): string {
  const longest = headings.reduce((most, heading) => Math.max(most, width(heading)), 0);
  const names = Math.min(longest, MAX_NAME_WIDTH, Math.floor(io.columns / 3));
  const room = Math.max(1, io.columns - names - GAP);
  return rows
    .map((row) => {
      const lines = headings.map((heading, n) => {
        const name = io.style("dim", fill(cut(heading, names), names));
        return `${name}${" ".repeat(GAP)}${cut(row[n] ?? "", room)}\n`;
      });
      return lines.join("");
    })
    .join("\n");
}
