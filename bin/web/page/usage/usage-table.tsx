import { useMemo, useState } from "preact/hooks";
import { createCostFormatter, formatPercent } from "../../../format/numbers.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { isBlank } from "../../../format/usage-csv.ts";
import type { Answers } from "../../api/answers.ts";
import { NoCost } from "../shell/no-cost.tsx";
import { NumbersTable } from "../shell/numbers-table.tsx";
import type { Order } from "../shell/sort-header.tsx";
import { TableScroll } from "../shell/table-scroll.tsx";
import { HINTS } from "./hints.ts";
import { createNameFormatter, type Row, toHeading } from "./names.ts";
import { isCostUnknown } from "./unknown-cost.ts";
import { PERIODS } from "./usage-state.ts";

export type Report = Answers["usage"]["usage"];
export type Figures = Report["total"];

const MAX_ROWS = 500;

interface Column {
  name: string;
  hint?: string;
  /** Undefined if it is unknown: such rows come last. */
  getValue: (figures: Figures) => number | undefined;
  format: (value: number) => string;
}

const getKnownCost = (figures: Figures) => (isCostUnknown(figures) ? undefined : figures.costUsd);
const COST: Column = { name: "Cost", getValue: getKnownCost, format: formatInteger };
const COLUMNS: readonly Column[] = [
  COST,
  toColumn("Model responses", ({ messages }) => messages, HINTS.responses),
  toColumn("Input", ({ tokens }) => tokens.input, HINTS.input),
  toColumn("Output", ({ tokens }) => tokens.output, HINTS.output),
  toColumn("Cache read", ({ tokens }) => tokens.cacheRead, HINTS.cacheRead),
  toColumn("Cache write", ({ tokens }) => tokens.cacheWrite, HINTS.cacheWrite),
  {
    name: "Cache hits",
    getValue: ({ cacheHitRate }) => cacheHitRate,
    format: formatPercent,
    hint: HINTS.cacheHits,
  },
  toColumn("Tool calls", ({ toolCalls }) => toolCalls),
  toColumn("Failed", ({ failedToolCalls }) => failedToolCalls, HINTS.failed),
];

function toColumn(name: string, getValue: Column["getValue"], hint?: string): Column {
  return { name, getValue, format: formatInteger, ...(hint !== undefined && { hint }) };
}

/** A breakdown as a table with the same columns as its CSV. Each column sorts the rows. */
export function UsageTable({ usage, caption }: { usage: Report; caption: string }) {
  const { by, rows, rowCount, others, total } = usage;
  const [sort, setSort] = useState<{ by: string; order: Order }>();
  const names = useMemo(() => by.map((each) => createNameFormatter(rows, each)), [by, rows]);
  const filled = useMemo(() => rows.filter((row) => !by.some((each) => isBlank(row, each))), [by, rows]);
  const sorted = useMemo(() => {
    const column = COLUMNS.find(({ name }) => name === sort?.by);
    const at = by.findIndex((each) => toHeading(each) === sort?.by);
    const period = PERIODS.find((each) => each === by[at]);
    const nameOf = (row: Row) => (period ? row.key[period] : names[at]?.(row));
    return sort ? sortRows(filled, column?.getValue ?? nameOf, sort.order) : filled;
  }, [filled, names, by, sort]);
  const shown = sorted.slice(0, MAX_ROWS);
  const omitted = filled.length - shown.length;
  const columns = [
    ...by.map((each) => ({ name: toHeading(each), isNumber: false })),
    ...COLUMNS.map(({ name, hint }) => ({ name, isNumber: true, hint })),
  ];
  // Reports are sorted by time, others by cost.
  const [first = ""] = by;
  const isOverTime = PERIODS.some((period) => period === first);
  const current =
    sort ?? (isOverTime ? { by: toHeading(first), order: "asc" } : { by: "Cost", order: "desc" });
  const formatCost = createCostFormatter(filled.reduce((max, { costUsd }) => Math.max(max, costUsd), 0));
  return (
    <>
      <TableScroll label={caption}>
        <NumbersTable
          caption={caption}
          columns={columns}
          sorting={{ ...current, onSort: (by, order) => setSort({ by, order }) }}
        >
          <tbody>
            {shown.map((row) => (
              <tr key={by.map((each) => row.key[each] ?? "").join("\n")} data-cost={row.costNanoUsd}>
                {names.map((nameOf, n) =>
                  n === 0 ? (
                    <th key={by[n]} scope="row">
                      {nameOf(row)}
                    </th>
                  ) : (
                    <td key={by[n]}>{nameOf(row)}</td>
                  ),
                )}
                <Cells figures={row} formatCost={formatCost} />
              </tr>
            ))}
            {others && (
              <tr data-cost={others.costNanoUsd}>
                <th scope="row" colSpan={by.length}>
                  {formatCount(rowCount - rows.length, "other")}
                </th>
                <Cells figures={others} formatCost={formatCost} />
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={by.length}>
                Total
              </th>
              <Cells figures={total} formatCost={formatCost} />
            </tr>
          </tfoot>
        </NumbersTable>
      </TableScroll>
      {omitted > 0 && <p class="chart-note">{formatCount(omitted, "more row")} in the CSV.</p>}
    </>
  );
}

function sortRows(
  rows: readonly Row[],
  getValue: (row: Row) => number | string | null | undefined,
  order: Order,
): Row[] {
  const sign = order === "asc" ? 1 : -1;
  return rows.toSorted((rowA, rowB) => {
    const [a, b] = [getValue(rowA) ?? undefined, getValue(rowB) ?? undefined];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en");
  });
}

interface CellsProps {
  figures: Figures;
  formatCost: (costUsd: number) => string;
}

function Cells({ figures, formatCost }: CellsProps) {
  return (
    <>
      {COLUMNS.map((column) => {
        const value = column.getValue(figures);
        return (
          <td key={column.name} class="number">
            {value !== undefined && (column === COST ? formatCost : column.format)(value)}
            {column === COST && value === undefined && <NoCost />}
          </td>
        );
      })}
    </>
  );
}
