import type { Figures, Spend, UsageDimension } from "../../library/index.ts";
import { dollars, duration, number, percent, shortNumber } from "../format/numbers.ts";
import { counted } from "../format/safe.ts";
import type { Column } from "./table.ts";

/** A column of figures in the tables of `usage` and `spend`. */
interface FigureColumn extends Column {
  /** @param write formats counts: in full, or abbreviated on narrow terminals */
  cell(figures: Figures, write: (count: number) => string): string;
}

/** On a narrow terminal, columns with the highest `spare` are omitted first. */
const COST: FigureColumn = { heading: "COST", style: "green", cell: ({ costUsd }) => dollars(costUsd) };
const CALLS: FigureColumn = { heading: "CALLS", spare: 7, cell: ({ toolCalls }, write) => write(toolCalls) };
const FAILED: FigureColumn = {
  heading: "FAILED",
  spare: 8,
  cell: ({ failedToolCalls }, write) => write(failedToolCalls),
};
const COLUMNS: readonly FigureColumn[] = [
  COST,
  { heading: "MSGS", spare: 1, cell: ({ messages }, write) => write(messages) },
  { heading: "IN", spare: 3, cell: ({ tokens }, write) => write(tokens.input) },
  { heading: "OUT", spare: 2, cell: ({ tokens }, write) => write(tokens.output) },
  { heading: "CACHE READ", spare: 4, cell: ({ tokens }, write) => write(tokens.cacheRead) },
  { heading: "CACHE WRITE", spare: 6, cell: ({ tokens }, write) => write(tokens.cacheWrite) },
  { heading: "HIT", spare: 5, cell: ({ cacheHitRate }) => rate(cacheHitRate) },
  CALLS,
  FAILED,
];
/** Columns of breakdowns by tool: tools have calls and seldom a cost. */
const TOOL_COLUMNS: readonly FigureColumn[] = [
  { ...CALLS, spare: 0 },
  { ...FAILED, spare: 1 },
  { heading: "RATE", spare: 3, cell: ({ toolFailureRate }) => rate(toolFailureRate) },
  { heading: "TIME", spare: 2, cell: ({ toolMs }) => (toolMs > 0 ? duration(toolMs) : "") },
  COST,
  { heading: "IN", spare: 5, cell: ({ tokens }, write) => write(tokens.input) },
  { heading: "OUT", spare: 4, cell: ({ tokens }, write) => write(tokens.output) },
];

function rate(share: number | undefined): string {
  return share === undefined ? "" : percent(share);
}

function columnsBy(by: readonly UsageDimension[]): readonly FigureColumn[] {
  return by.includes("tool") ? TOOL_COLUMNS : COLUMNS;
}

/** The figure columns of a table broken down by these dimensions. */
export function figureColumns(by: readonly UsageDimension[]): Column[] {
  return columnsBy(by).map(({ cell: _, ...column }) => ({ ...column, align: "right" }));
}

/** Terminals with fewer columns show counts as `1.23M`, and short names. */
export const ROOMY = 120;

/** Figures for a terminal with this many columns, one cell for each of `figureColumns`. */
export function figureCells(figures: Figures, by: readonly UsageDimension[], columns: number): string[] {
  return columnsBy(by).map(({ cell }) => cell(figures, columns < ROOMY ? shortNumber : number));
}

/** Further figures as short phrases: those that the columns don't show. */
export function furtherFigures(figures: Figures, stopReasons: Spend["stopReasons"] = []): string[] {
  const { costPerMessageUsd, turns, toolFailureRate, compactions, modelMs, userMs, toolMs } = figures;
  const waits = [
    modelMs > 0 && `${duration(modelMs)} for models`,
    userMs > 0 && `${duration(userMs)} for users`,
    toolMs > 0 && `${duration(toolMs)} for tools`,
  ].filter(Boolean);
  return [
    costPerMessageUsd !== undefined && `${dollars(costPerMessageUsd)}/message`,
    turns !== undefined && counted(turns, "turn"),
    toolFailureRate !== undefined && `${percent(toolFailureRate)} of calls failed`,
    compactions > 0 && counted(compactions, "compaction"),
    waits.length > 0 && `waited ${waits.join(", ")}`,
    stopReasons.length > 0 && `stop reasons: ${stopReasons.map(reason).join(", ")}`,
  ].filter((fact) => fact !== false);
}

function reason({ name, count }: Spend["stopReasons"][number]): string {
  return `${number(count)} ${name || "(not recorded)"}`;
}
