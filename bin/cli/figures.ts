import type { Figures, SessionUsage, UsageDimension, UsageReport, UsageRow } from "../../library/index.ts";
import {
  formatDollars,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShortNumber,
} from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { measureWidth, wrap } from "../format/text.ts";
import { getUnrecordedLabel } from "../format/usage-csv.ts";
import type { Io } from "./io.ts";
import { printNotice } from "./run.ts";
import type { Column } from "./table.ts";

/** Formats a figure; `write` formats counts for the width of the terminal. */
type Cell = (figures: Figures, write: (count: number) => string) => string;

/** Figures in the tables of `usage` and `spend`, by their headings. */
const CELLS = {
  COST: ({ costUsd }) => formatDollars(costUsd),
  ESTIMATED: ({ estimatedUsd }) => (estimatedUsd ? `~${formatDollars(estimatedUsd)}` : ""),
  RESPONSES: ({ messages }, write) => write(messages),
  IN: ({ tokens }, write) => write(tokens.input),
  OUT: ({ tokens }, write) => write(tokens.output),
  "CACHE READ": ({ tokens }, write) => write(tokens.cacheRead),
  "CACHE WRITE": ({ tokens }, write) => write(tokens.cacheWrite),
  "CACHE HIT": ({ cacheHitRate }) => rate(cacheHitRate),
  CALLS: ({ toolCalls }, write) => write(toolCalls),
  FAILED: ({ failedToolCalls }, write) => write(failedToolCalls),
  RATE: ({ toolFailureRate }) => rate(toolFailureRate),
  TIME: ({ toolMs }) => (toolMs > 0 ? formatDuration(toolMs) : ""),
} satisfies Record<string, Cell>;

type OmitOrders = { [heading in keyof typeof CELLS]?: number };

/** On a narrow terminal, columns with the highest number are omitted first, and those with 0 never. */
const COLUMNS: OmitOrders = {
  COST: 0,
  ESTIMATED: 0,
  RESPONSES: 1,
  IN: 3,
  OUT: 2,
  "CACHE READ": 4,
  "CACHE WRITE": 6,
  "CACHE HIT": 5,
  CALLS: 7,
  FAILED: 8,
};
/** Columns of breakdowns by tool: tools have calls and seldom a cost. */
const TOOL_COLUMNS: OmitOrders = {
  CALLS: 0,
  FAILED: 1,
  RATE: 3,
  TIME: 2,
  COST: 0,
  ESTIMATED: 0,
  IN: 5,
  OUT: 4,
};

function rate(share: number | undefined): string {
  return share === undefined ? "" : formatPercent(share);
}

/** Columns of breakdowns by tool that only tools with usage of their own have. */
const USAGE_HEADINGS: readonly string[] = ["COST", "ESTIMATED", "IN", "OUT"];

function columnsBy(by: readonly UsageDimension[], rows: readonly Figures[]) {
  const isShown = ([heading]: [string, number]) =>
    heading !== "ESTIMATED" || rows.some(({ estimatedUsd }) => estimatedUsd !== undefined);
  if (!by.includes("tool")) {
    return (Object.entries(COLUMNS) as [keyof typeof CELLS, number][]).filter(isShown);
  }
  const columns = (Object.entries(TOOL_COLUMNS) as [keyof typeof CELLS, number][]).filter(isShown);
  return rows.some(hasUsage) ? columns : columns.filter(([heading]) => !USAGE_HEADINGS.includes(heading));
}

function hasUsage({ costUsd, tokens }: Figures): boolean {
  return costUsd > 0 || Object.values(tokens).some((count) => count > 0);
}

/**
 * The figure columns of a table broken down by these dimensions.
 *
 * @param rows all rows of the table, or its total
 */
export function figureColumns(by: readonly UsageDimension[], rows: readonly Figures[]): Column[] {
  return columnsBy(by, rows).map(([heading, omitOrder]) => {
    const style = heading === "COST" ? "green" : undefined;
    return { heading, omitOrder, align: "right", style };
  });
}

/** Terminals with fewer columns show counts as `1.23M`, and short names. */
export const MIN_COLUMNS_FOR_FULL_NUMBERS = 120;

/** Figures for a terminal with this many columns, one cell for each of `figureColumns` with the same dimensions and rows. */
export function toFigureCells(
  figures: Figures,
  by: readonly UsageDimension[],
  rows: readonly Figures[],
  columns: number,
): string[] {
  const write = columns < MIN_COLUMNS_FOR_FULL_NUMBERS ? formatShortNumber : formatNumber;
  const hasBlanks = by.includes("tool") && !hasUsage(figures);
  return columnsBy(by, rows).map(([heading]) => {
    const cell: Cell = CELLS[heading];
    return hasBlanks && USAGE_HEADINGS.includes(heading) ? "" : cell(figures, write);
  });
}

/** Why tools have no cost; "" if some do, and for other breakdowns. */
export function formatToolCostNote(io: Io, by: readonly UsageDimension[], rows: readonly UsageRow[]): string {
  const tools = by.includes("tool") ? rows.filter(({ key }) => key.tool !== null) : [];
  if (tools.length === 0 || tools.some(hasUsage)) return "";
  const note = "Tool calls cost nothing themselves: cost and tokens are those of the model responses.";
  return wrap(note, io.columns)
    .map((line) => `${io.style("dim", line)}\n`)
    .join("");
}

/** Further figures as short phrases for a terminal: those that the columns don't show. */
export function formatFurtherFigures(
  io: Io,
  figures: Figures,
  stopReasons: SessionUsage["stopReasons"] = [],
): string {
  const { costPerMessageUsd, turns, toolFailureRate, compactions, modelMs, userMs, toolMs } = figures;
  const waits = [
    modelMs > 0 && `${formatDuration(modelMs)} for models`,
    userMs > 0 && `${formatDuration(userMs)} for users`,
    toolMs > 0 && `${formatDuration(toolMs)} for tools`,
  ].filter(Boolean);
  const facts = [
    costPerMessageUsd !== undefined && `${formatDollars(costPerMessageUsd)}/response`,
    turns !== undefined && formatCount(turns, "turn"),
    toolFailureRate !== undefined && `${formatPercent(toolFailureRate)} of calls failed`,
    compactions > 0 && formatCount(compactions, "compaction"),
    waits.length > 0 && `waited ${waits.join(", ")}`,
    stopReasons.length > 0 && `stop reasons: ${stopReasons.map(reason).join(", ")}`,
  ].filter((fact) => fact !== false);
  return joinFacts(facts.map(toOneLine), io.columns)
    .map((line) => `${io.style("dim", line)}\n`)
    .join("");
}

/**
 * What is recorded and what is estimated, apart from each other, and which models have no price. Empty without estimates.
 *
 * @param unpriced the models, if they are known
 */
export function formatEstimate(
  io: Io,
  { costUsd, estimatedUsd, unpricedTokens = 0 }: Figures,
  unpriced: UsageReport["unpricedModels"] = [],
): string {
  if (estimatedUsd === undefined) return "";
  const lines = wrap(
    `${formatDollars(costUsd)} recorded, about ${formatDollars(estimatedUsd)} estimated`,
    io.columns,
  );
  if (unpricedTokens > 0) {
    const names = unpriced.map(
      ({ model, tokens }) => `${toOneLine(model ?? "(model not recorded)")} ${formatShortNumber(tokens)}`,
    );
    const shown = [...names.slice(0, MAX_UNPRICED), ...(names.length > MAX_UNPRICED ? ["…"] : [])];
    const list = shown.length > 0 ? `: ${shown.join(", ")}` : "";
    lines.push(...wrap(`no price known for ${formatShortNumber(unpricedTokens)} tokens${list}`, io.columns));
  }
  return lines.map((line) => `${io.style("dim", line)}\n`).join("");
}

/** Models without a price that are named. */
const MAX_UNPRICED = 8;

/** Lines of facts, broken between facts where possible. */
function joinFacts(facts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const joined = lines.length > 0 ? `${lines.at(-1)} · ${fact}` : fact;
    if (lines.length > 0 && measureWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(fact);
  }
  return lines.flatMap((line) => wrap(line, width));
}

function reason({ name, count }: SessionUsage["stopReasons"][number]): string {
  return `${formatNumber(count)} ${name || getUnrecordedLabel("stop")}`;
}

/** Notes that usage figures are incomplete. */
export function notePartialUsage(io: Io, { unreadFiles }: Pick<UsageReport, "unreadFiles">): void {
  if (unreadFiles === 0) return;
  const files = formatCount(unreadFiles, "file is", "files are");
  printNotice(io, `${files} not fully indexed by this version of pidex yet; their cost is not included`);
}
