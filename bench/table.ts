import type { Comparison, Unit } from "./comparison.ts";

const HEADINGS = ["what", "measured", "against", "ratio", "lowest to highest"];

/** The comparisons as a table for people. */
export function table(rows: readonly Comparison[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

function cellsOf({ what, unit, measured, against, base, ratio, times }: Comparison): string[] {
  return [
    what,
    amount(measured, unit),
    `${against}: ${amount(base, unit)}`,
    `${digits(ratio.median)} x ${times}`,
    `${digits(ratio.lowest)} to ${digits(ratio.highest)}`,
  ];
}

function amount(value: number, unit: Unit): string {
  if (unit === "lines") return `${digits(value)} ${value === 1 ? "line" : "lines"}`;
  if (unit === "bytes") return value < 1e5 ? `${digits(value)} bytes` : `${digits(value / 1e6)} MB`;
  return value < 1000 ? `${digits(value)} ms` : `${digits(value / 1000)} s`;
}

/** Three digits that count; whole numbers as a whole. */
function digits(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(3)).toString();
}
