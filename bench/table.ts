import type { Comparison, Unit } from "./comparison.ts";

export const HEADINGS = ["what", "measured", "against", "ratio", "lowest to highest"];
export const GOAL_HEADINGS = ["goal", "met"];

/** Formats comparisons as aligned text, with columns for goals if a row has one. */
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
    formatValue(measured, unit),
    `${against}: ${formatValue(base, unit)}`,
    `${formatNumber(ratio.median)} x ${times}`,
    `${formatNumber(ratio.lowest)} to ${formatNumber(ratio.highest)}`,
  ];
  return goal ? [...cells, formatGoal(row), goal.met ? "yes" : "NO"] : cells;
}

function formatGoal({ unit, goal }: Comparison): string {
  const { of, atMost, atLeast = 0 } = goal ?? { of: "ratio" };
  const limit = atMost ?? atLeast;
  return `${atMost === undefined ? ">=" : "<="} ${of === "ratio" ? `${formatNumber(limit)} x` : formatValue(limit, unit)}`;
}

function formatValue(value: number, unit: Unit): string {
  if (unit === "lines") return `${formatNumber(value)} ${value === 1 ? "line" : "lines"}`;
  if (unit === "bytes")
    return value < 1e5 ? `${formatNumber(value)} bytes` : `${formatNumber(value / 1e6)} MB`;
  return value < 1000 ? `${formatNumber(value)} ms` : `${formatNumber(value / 1000)} s`;
}

/** Formats a number with three significant digits, or all digits of larger whole numbers. */
function formatNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(3)).toString();
}
