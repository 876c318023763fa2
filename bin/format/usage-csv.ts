/** Usage for scripts: plain cells and CSV. Runs in browsers too. */
import type { Figures, UsageDimension, UsageReport, UsageRow } from "../../library/index.ts";
import { formatCsvLine } from "./csv.ts";
import { formatExactDollars } from "./numbers.ts";
import { toSafe } from "./safe.ts";

/** Labels of rows without a recorded value. */
const UNRECORDED: Partial<Record<UsageDimension, string>> = {
  model: "(model not recorded)",
  provider: "(provider not recorded)",
  hour: "(no time)",
  day: "(no time)",
  week: "(no time)",
  month: "(no time)",
  weekday: "(no time)",
  "hour-of-day": "(no time)",
  project: "(no folder)",
  tool: "(outside tools)",
  agent: "(main)",
};

export function getUnrecordedLabel(by: UsageDimension): string {
  return UNRECORDED[by] ?? "(not recorded)";
}

/** Whether a row has no recorded value of a dimension, and no cost, tokens, responses or calls: tables for people omit it. */
export function isBlank(
  { key, costNanoUsd, tokens, messages, toolCalls }: Figures & Pick<UsageRow, "key">,
  by: UsageDimension,
): boolean {
  const hasValue = (key[by] ?? null) !== null;
  return !hasValue && costNanoUsd === 0 && tokens.total === 0 && messages === 0 && toolCalls === 0;
}

/** The key of a row in pipes and CSV; "" if not recorded. */
export function toRawKey({ key }: UsageRow, by: UsageDimension): string {
  return key[by] ?? "";
}

/** The figures in pipes and CSV, in this order: numbers without separators, exact dollars. */
const RAW: readonly [name: string, value: (figures: Figures) => number | string | undefined][] = [
  ["costUsd", ({ costNanoUsd }) => formatExactDollars(costNanoUsd)],
  ["messages", ({ messages }) => messages],
  ["input", ({ tokens }) => tokens.input],
  ["output", ({ tokens }) => tokens.output],
  ["cacheRead", ({ tokens }) => tokens.cacheRead],
  ["cacheWrite", ({ tokens }) => tokens.cacheWrite],
  ["cacheHitRate", ({ cacheHitRate }) => cacheHitRate && Math.round(cacheHitRate * 1e6) / 1e6],
  ["toolCalls", ({ toolCalls }) => toolCalls],
  ["failedToolCalls", ({ failedToolCalls }) => failedToolCalls],
  ["turns", ({ turns }) => turns],
  ["compactions", ({ compactions }) => compactions],
  ["modelMs", ({ modelMs }) => modelMs],
  ["userMs", ({ userMs }) => userMs],
  ["toolMs", ({ toolMs }) => toolMs],
];

/** The last figure, only with estimates. */
const ESTIMATED: (typeof RAW)[number] = [
  "estimatedUsd",
  ({ estimatedUsd = 0 }) => formatExactDollars(Math.round(estimatedUsd * 1e9)),
];

function rawOf({ estimatedUsd }: Pick<Figures, "estimatedUsd">): typeof RAW {
  return estimatedUsd === undefined ? RAW : [...RAW, ESTIMATED];
}

/** The names of the figures that a row has. */
export function getRawFigures(figures: Pick<Figures, "estimatedUsd">): readonly string[] {
  return rawOf(figures).map(([name]) => name);
}

/** Figures for scripts, one cell for each of `getRawFigures`. */
export function toRawFigures(figures: Figures): string[] {
  return rawOf(figures).map(([, value]) => String(value(figures) ?? ""));
}

/** A line of CSV; unknown values are empty. */
export function formatCsvRow(cells: readonly string[]): string {
  return formatCsvLine(cells.map((cell) => (cell === "" ? null : toSafe(cell))));
}

/** A usage report as CSV with a header. */
export function formatUsageCsv(usage: UsageReport, withRunning: boolean): string {
  const header = [...usage.by, ...getRawFigures(usage.total), ...(withRunning ? ["runningCostUsd"] : [])];
  return [header, ...toUsageCells(usage, withRunning)].map(formatCsvRow).join("");
}

/** The rows, and one for those that `--limit` omits, so that the sum is the total. */
export function toUsageCells({ rows, by, others }: UsageReport, withRunning: boolean): string[][] {
  const all = rows.map((row) => [
    ...by.map((each) => toRawKey(row, each)),
    ...toRawFigures(row),
    ...(withRunning ? [formatExactDollars(Math.round((row.runningCostUsd ?? 0) * 1e9))] : []),
  ]);
  if (!others) return all;
  const names = by.map((_, n) => (n === 0 ? "others" : ""));
  return [...all, [...names, ...toRawFigures(others), ...(withRunning ? [""] : [])]];
}
