import type { Figures, SessionUsage, UsageDimension } from "../../library/index.ts";
import {
  formatDollars,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShortNumber,
} from "../format/numbers.ts";
import { formatCount } from "../format/safe.ts";
import type { Column } from "./table.ts";

/** A column of figures in the tables of `usage` and `spend`. */
interface FigureColumn extends Column {
  /** @param write formats counts: in full, or abbreviated on narrow terminals */
  cell(figures: Figures, write: (count: number) => string): string;
}

/** On a narrow terminal, columns with the highest `omitOrder` are omitted first. */
const COST: FigureColumn = { heading: "COST", style: "green", cell: ({ costUsd }) => formatDollars(costUsd) };
const CALLS: FigureColumn = {
  heading: "CALLS",
  omitOrder: 7,
  cell: ({ toolCalls }, write) => write(toolCalls),
};
const FAILED: FigureColumn = {
  heading: "FAILED",
  omitOrder: 8,
  cell: ({ failedToolCalls }, write) => write(failedToolCalls),
};
const COLUMNS: readonly FigureColumn[] = [
  COST,
  { heading: "MSGS", omitOrder: 1, cell: ({ messages }, write) => write(messages) },
  { heading: "IN", omitOrder: 3, cell: ({ tokens }, write) => write(tokens.input) },
  { heading: "OUT", omitOrder: 2, cell: ({ tokens }, write) => write(tokens.output) },
  { heading: "CACHE READ", omitOrder: 4, cell: ({ tokens }, write) => write(tokens.cacheRead) },
  { heading: "CACHE WRITE", omitOrder: 6, cell: ({ tokens }, write) => write(tokens.cacheWrite) },
  { heading: "HIT", omitOrder: 5, cell: ({ cacheHitRate }) => rate(cacheHitRate) },
  CALLS,
  FAILED,
];
/** Columns of breakdowns by tool: tools have calls and seldom a cost. */
const TOOL_COLUMNS: readonly FigureColumn[] = [
  { ...CALLS, omitOrder: 0 },
  { ...FAILED, omitOrder: 1 },
  { heading: "RATE", omitOrder: 3, cell: ({ toolFailureRate }) => rate(toolFailureRate) },
  { heading: "TIME", omitOrder: 2, cell: ({ toolMs }) => (toolMs > 0 ? formatDuration(toolMs) : "") },
  COST,
  { heading: "IN", omitOrder: 5, cell: ({ tokens }, write) => write(tokens.input) },
  { heading: "OUT", omitOrder: 4, cell: ({ tokens }, write) => write(tokens.output) },
];

function rate(share: number | undefined): string {
  return share === undefined ? "" : formatPercent(share);
}

function columnsBy(by: readonly UsageDimension[]): readonly FigureColumn[] {
  return by.includes("tool") ? TOOL_COLUMNS : COLUMNS;
}

/** The figure columns of a table broken down by these dimensions. */
export function figureColumns(by: readonly UsageDimension[]): Column[] {
  return columnsBy(by).map(({ cell: _, ...column }) => ({ ...column, align: "right" }));
}

/** Terminals with fewer columns show counts as `1.23M`, and short names. */
export const MIN_COLUMNS_FOR_FULL_NUMBERS = 120;

/** Figures for a terminal with this many columns, one cell for each of `figureColumns`. */
export function toFigureCells(figures: Figures, by: readonly UsageDimension[], columns: number): string[] {
  return columnsBy(by).map(({ cell }) =>
    cell(figures, columns < MIN_COLUMNS_FOR_FULL_NUMBERS ? formatShortNumber : formatNumber),
  );
}

/** Further figures as short phrases: those that the columns don't show. */
export function formatFurtherFigures(
  figures: Figures,
  stopReasons: SessionUsage["stopReasons"] = [],
): string[] {
  const { costPerMessageUsd, turns, toolFailureRate, compactions, modelMs, userMs, toolMs } = figures;
  const waits = [
    modelMs > 0 && `${formatDuration(modelMs)} for models`,
    userMs > 0 && `${formatDuration(userMs)} for users`,
    toolMs > 0 && `${formatDuration(toolMs)} for tools`,
  ].filter(Boolean);
  return [
    costPerMessageUsd !== undefined && `${formatDollars(costPerMessageUsd)}/message`,
    turns !== undefined && formatCount(turns, "turn"),
    toolFailureRate !== undefined && `${formatPercent(toolFailureRate)} of calls failed`,
    compactions > 0 && formatCount(compactions, "compaction"),
    waits.length > 0 && `waited ${waits.join(", ")}`,
    stopReasons.length > 0 && `stop reasons: ${stopReasons.map(reason).join(", ")}`,
  ].filter((fact) => fact !== false);
}

function reason({ name, count }: SessionUsage["stopReasons"][number]): string {
  return `${formatNumber(count)} ${name || "(not recorded)"}`;
}
