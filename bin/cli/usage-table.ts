import { addFigures, type UsageDimension, type UsageReport, type UsageRow } from "../../index.ts";
import { dollars, plainDollars } from "../wording/numbers.ts";
import { counted, field } from "../wording/safe.ts";
import { csvOf, figureCells, figureColumns, RAW_FIGURES, rawFigures } from "./figures.ts";
import type { Io } from "./io.ts";
import { type Column, table } from "./table.ts";
import { keyLabels, rawKey } from "./usage-keys.ts";

const RUNNING: Column = { heading: "RUNNING", align: "right", spare: 2 };

/** Usage as a terminal shows it: rows, the rest of them, and the sum; of two dimensions grouped by the first. */
export function usageTable(io: Io, usage: UsageReport, withRunning: boolean): string {
  const { rows, by, others, total, rowCount } = usage;
  const heading = by.map((each) => each.toUpperCase()).join(" / ");
  const running = ({ runningCostUsd }: UsageRow) =>
    withRunning ? [runningCostUsd === undefined ? "" : dollars(runningCostUsd)] : [];
  const cells = (label: string, figures: UsageReport["total"], more: string[] = withRunning ? [""] : []) => {
    return [label, ...figureCells(figures, by, io.columns), ...more];
  };
  const lines: { cells: string[]; strong?: boolean }[] = [];
  const [first, second] = by as [UsageDimension, UsageDimension?];
  const labelOf = keyLabels(rows, first, io.columns);
  if (second === undefined) {
    for (const row of rows) lines.push({ cells: cells(labelOf(row), row, running(row)) });
  } else {
    const innerLabel = keyLabels(rows, second, io.columns);
    for (const group of Map.groupBy(rows, ({ key }) => key[first] ?? null).values()) {
      const label = labelOf(group[0] as UsageRow);
      lines.push({ cells: cells(label, addFigures(group)), strong: true });
      for (const row of group) lines.push({ cells: cells(`  ${innerLabel(row)}`, row) });
    }
  }
  if (others) lines.push({ cells: cells(counted(rowCount - rows.length, "other"), others) });
  lines.push({ cells: cells("TOTAL", total), strong: true });
  const columns = [{ heading, gives: true }, ...figureColumns(by), ...(withRunning ? [RUNNING] : [])];
  return table(
    io,
    columns,
    lines.map((line) => line.cells),
    (n) => lines[n]?.strong === true,
  );
}

/** One row a line, tabs between: what it is of, its figures, and the running total. */
export function usageForPipes(usage: UsageReport, withRunning: boolean): string {
  return rawRows(usage, withRunning)
    .map((cells) => `${cells.map(field).join("\t")}\n`)
    .join("");
}

/** The same as CSV, under a header. */
export function usageCsv(usage: UsageReport, withRunning: boolean): string {
  const header = [...usage.by, ...RAW_FIGURES, ...(withRunning ? ["runningCostUsd"] : [])];
  return [header, ...rawRows(usage, withRunning)].map(csvOf).join("");
}

/** Rows, and what `--limit` left out in one more, so that they come to the total. */
function rawRows({ rows, by, others }: UsageReport, withRunning: boolean): string[][] {
  const all = rows.map((row) => [
    ...by.map((each) => rawKey(row, each)),
    ...rawFigures(row),
    ...(withRunning ? [plainDollars(Math.round((row.runningCostUsd ?? 0) * 1e9))] : []),
  ]);
  if (!others) return all;
  const names = by.map((_, n) => (n === 0 ? "others" : ""));
  return [...all, [...names, ...rawFigures(others), ...(withRunning ? [""] : [])]];
}
