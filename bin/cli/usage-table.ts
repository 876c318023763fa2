import type { UsageDimension, UsageReport, UsageRow } from "../../library/index.ts";
import { formatDollars } from "../format/numbers.ts";
import { formatCount } from "../format/safe.ts";
import { isBlank, toUsageCells } from "../format/usage-csv.ts";
import { figureColumns, formatToolCostNote, toFigureCells } from "./figures.ts";
import type { Io } from "./io.ts";
import { type Column, formatRow, formatTable, type Row } from "./table.ts";
import { createKeyFormatter } from "./usage-keys.ts";

const MODEL_WIDTH = 36;
const RUNNING: Column = { heading: "RUNNING", align: "right", omitOrder: 2 };

/**
 * Usage for a terminal: rows, the sum of omitted rows, and the total. Two dimensions are grouped by the first; the sum of
 * a group includes its omitted rows.
 */
export function formatUsageTable(io: Io, usage: UsageReport, withRunning: boolean): string {
  const { rows, by, groups = [], others, otherGroups, total, rowCount } = usage;
  const isShown = (row: UsageRow) => !by.some((each) => isBlank(row, each));
  const heading = by.map((each) => each.toUpperCase()).join(" / ");
  const running = ({ runningCostUsd }: UsageRow) =>
    withRunning ? [runningCostUsd === undefined ? "" : formatDollars(runningCostUsd)] : [];
  const cells = (label: string, figures: UsageReport["total"], more: string[] = withRunning ? [""] : []) => {
    return [label, ...toFigureCells(figures, by, [total], io.columns), ...more];
  };
  const lines: Row[] = [];
  const [first, second] = by as [UsageDimension, UsageDimension?];
  const labelOf = createKeyFormatter(rows, first, io.columns);
  if (second === undefined) {
    for (const row of rows.filter(isShown)) lines.push(cells(labelOf(row), row, running(row)));
    if (others) lines.push(cells(formatCount(rowCount - rows.length, "other"), others));
  } else {
    const innerLabel = createKeyFormatter(rows, second, io.columns);
    const rowsOf = Map.groupBy(rows, ({ key }) => key[first] ?? null);
    for (const group of groups) {
      const own = rowsOf.get(group.key[first] ?? null) ?? [];
      if (isBlank(group, first)) continue;
      lines.push({ strong: cells(labelOf(group), group) });
      for (const row of own.filter(isShown)) lines.push(cells(`  ${innerLabel(row)}`, row));
      if (group.others) {
        lines.push(cells(`  ${formatCount(group.rowCount - own.length, "other")}`, group.others));
      }
    }
  }
  if (otherGroups) lines.push(cells(formatCount(otherGroups.groupCount, "other"), otherGroups));
  lines.push({ strong: cells("TOTAL", total) });
  const figures = figureColumns(by, [total]);
  // Model names differ at their ends, by version: columns are omitted before names are cut.
  const comfortableWidth = by.includes("model") ? MODEL_WIDTH : undefined;
  const columns = [
    { heading, shrinksFirst: true, ...(comfortableWidth && { comfortableWidth }) },
    ...figures,
    ...(withRunning ? [RUNNING] : []),
  ];
  return formatTable(io, columns, lines) + formatToolCostNote(io, by, rows);
}

/** One row per line, tab-separated: keys, figures, and the running total. */
export function formatUsageForScripts(usage: UsageReport, withRunning: boolean): string {
  return toUsageCells(usage, withRunning).map(formatRow).join("");
}
