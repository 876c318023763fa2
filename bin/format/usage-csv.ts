/** Usage as scripts have it: cells without separators, and CSV. Needs no Node: a browser writes the same. */
import type { Figures, UsageDimension, UsageReport, UsageRow } from "../../library/index.ts";
import { csvLine } from "./csv.ts";
import { plainDollars } from "./numbers.ts";
import { safe } from "./safe.ts";

/** What to call that of which nothing is recorded. */
const UNRECORDED: Partial<Record<UsageDimension, string>> = {
  hour: "(no time)",
  day: "(no time)",
  week: "(no time)",
  month: "(no time)",
  weekday: "(no time)",
  "hour-of-day": "(no time)",
  project: "(no folder)",
  tool: "(no tool)",
  agent: "(main)",
};

export function unrecorded(by: UsageDimension): string {
  return UNRECORDED[by] ?? "(not recorded)";
}

/** What a row is called in pipes and in CSV: as it is, and nothing where nothing is recorded. */
export function rawKey({ key }: UsageRow, by: UsageDimension): string {
  return key[by] ?? "";
}

/** What pipes and CSV have of figures, in this order: numbers without separators, dollars exact. */
const RAW: readonly [name: string, value: (figures: Figures) => number | string | undefined][] = [
  ["costUsd", ({ costNanoUsd }) => plainDollars(costNanoUsd)],
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

export const RAW_FIGURES: readonly string[] = RAW.map(([name]) => name);

/** Figures for scripts, a cell for each of `RAW_FIGURES`. */
export function rawFigures(figures: Figures): string[] {
  return RAW.map(([, value]) => String(value(figures) ?? ""));
}

/** A line of CSV; what is not known is empty. */
export function csvOf(cells: readonly string[]): string {
  return csvLine(cells.map((cell) => (cell === "" ? null : safe(cell))));
}

/** The same as CSV, under a header. */
export function usageCsv(usage: UsageReport, withRunning: boolean): string {
  const header = [...usage.by, ...RAW_FIGURES, ...(withRunning ? ["runningCostUsd"] : [])];
  return [header, ...usageCells(usage, withRunning)].map(csvOf).join("");
}

/** Rows, and what `--limit` left out in one more, so that they come to the total. */
export function usageCells({ rows, by, others }: UsageReport, withRunning: boolean): string[][] {
  const all = rows.map((row) => [
    ...by.map((each) => rawKey(row, each)),
    ...rawFigures(row),
    ...(withRunning ? [plainDollars(Math.round((row.runningCostUsd ?? 0) * 1e9))] : []),
  ]);
  if (!others) return all;
  const names = by.map((_, n) => (n === 0 ? "others" : ""));
  return [...all, [...names, ...rawFigures(others), ...(withRunning ? [""] : [])]];
}
