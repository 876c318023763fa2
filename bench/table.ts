import type { Comparison, Unit } from "./comparison.ts";

export const HEADINGS = ["what", "measured", "against", "ratio", "lowest to highest"];
export const GOAL_HEADINGS = ["goal", "met"];

/** The comparisons as a table for people, with columns for goals if a row has one. */
export function formatTable(rows: readonly Comparison[]): string {
  const hasGoals = rows.some(({ goal }) => goal);
  const cells = [[...HEADINGS, ...(hasGoals ? GOAL_HEADINGS : [])], ...rows.map(toCells)];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** The cells of a row; goal columns only if it has a goal. */
export function toCells(row: Comparison): string[] {
  const { what, unit, measured, against, base, ratio, times, goal } = row;
  const cells = [
    what,
    amount(measured, unit),
    `${against}: ${amount(base, unit)}`,
    `${digits(ratio.median)} x ${times}`,
    `${digits(ratio.lowest)} to ${digits(ratio.highest)}`,
  ];
  return goal ? [...cells, goalOf(row), goal.met ? "yes" : "NO"] : cells;
}

function goalOf({ unit, goal }: Comparison): string {
  const { of, atMost, atLeast = 0 } = goal ?? { of: "ratio" };
  const limit = atMost ?? atLeast;
  return `${atMost === undefined ? ">=" : "<="} ${of === "ratio" ? `${digits(limit)} x` : amount(limit, unit)}`;
}

function amount(value: number, unit: Unit): string {
  if (unit === "lines") return `${digits(value)} ${value === 1 ? "line" : "lines"}`;
  if (unit === "bytes") return value < 1e5 ? `${digits(value)} bytes` : `${digits(value / 1e6)} MB`;
  return value < 1000 ? `${digits(value)} ms` : `${digits(value / 1000)} s`;
}

/** Formats a number with three significant digits, or all digits of larger whole numbers. */
function digits(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(3)).toString();
}
