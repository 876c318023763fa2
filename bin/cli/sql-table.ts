import type { SqlCell } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate } from "../format/text.ts";
import type { Io } from "./io.ts";
import { type Column, formatTable } from "./table.ts";

const GAP = 2;
/** Columns are not cut below this width. */
const MIN_COLUMN_WIDTH = 8;
/** The maximum width of column names in the block layout. */
const MAX_NAME_WIDTH = 24;

/** Rows for a terminal: a table, or one block per row if a table doesn't fit. */
export function formatSqlTable(io: Io, columns: readonly string[], rows: readonly SqlCell[][]): string {
  const headings = columns.map(toOneLine);
  const texts = rows.map((row) => row.map((cell) => toOneLine(cell === null ? "" : String(cell))));
  const needed = headings.reduce((sum, heading, n) => {
    const widest = texts.reduce(
      (most, row) => Math.max(most, measureWidth(row[n] ?? "")),
      measureWidth(heading),
    );
    return sum + Math.min(widest, MIN_COLUMN_WIDTH) + GAP;
  }, -GAP);
  if (needed > io.columns) return blocks(io, headings, texts);
  const styled = headings.map((heading, n): Column => {
    const isNumber = rows.every((row) => typeof row[n] === "number" || row[n] === null);
    return { heading, align: isNumber ? "right" : "left" };
  });
  return formatTable(io, styled, texts);
}

function blocks(io: Io, headings: readonly string[], rows: readonly string[][]): string {
  const longest = headings.reduce((most, heading) => Math.max(most, measureWidth(heading)), 0);
  const names = Math.min(longest, MAX_NAME_WIDTH, Math.floor(io.columns / 3));
  const room = Math.max(1, io.columns - names - GAP);
  return rows
    .map((row) => {
      const lines = headings.map((heading, n) => {
        const name = io.style("dim", pad(truncate(heading, names), names));
        return `${name}${" ".repeat(GAP)}${truncate(row[n] ?? "", room)}\n`;
      });
      return lines.join("");
    })
    .join("\n");
}
