import { formatDollars, formatPercent } from "../../../format/numbers.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { isBlank } from "../../../format/usage-csv.ts";
import type { Answers } from "../../api/answers.ts";
import { NumbersTable } from "../shell/numbers-table.tsx";
import { createNameFormatter } from "./names.ts";

export type Report = Answers["usage"]["usage"];
export type Figures = Report["total"];

const MAX_ROWS = 500;

const COLUMNS: readonly [heading: string, cell: (figures: Figures) => string][] = [
  ["Cost", ({ costUsd }) => formatDollars(costUsd)],
  ["Model responses", ({ messages }) => formatInteger(messages)],
  ["Input", ({ tokens }) => formatInteger(tokens.input)],
  ["Output", ({ tokens }) => formatInteger(tokens.output)],
  ["Cache read", ({ tokens }) => formatInteger(tokens.cacheRead)],
  ["Cache write", ({ tokens }) => formatInteger(tokens.cacheWrite)],
  ["Cache hits", ({ cacheHitRate }) => (cacheHitRate === undefined ? "" : formatPercent(cacheHitRate))],
  ["Tool calls", ({ toolCalls }) => formatInteger(toolCalls)],
  ["Failed", ({ failedToolCalls }) => formatInteger(failedToolCalls)],
];

/** A breakdown as a table with the same columns as its CSV. */
export function UsageTable({ usage, caption }: { usage: Report; caption: string }) {
  const { by, rows, rowCount, others, total } = usage;
  const names = by.map((each) => createNameFormatter(rows, each));
  const filled = rows.filter((row) => !by.some((each) => isBlank(row, each)));
  const shown = filled.slice(0, MAX_ROWS);
  const omitted = filled.length - shown.length;
  const columns = [
    ...by.map((name) => ({ name, isNumber: false })),
    ...COLUMNS.map(([name]) => ({ name, isNumber: true })),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <NumbersTable caption={caption} columns={columns}>
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
              <Cells figures={row} />
            </tr>
          ))}
          {others && (
            <tr data-cost={others.costNanoUsd}>
              <th scope="row" colSpan={by.length}>
                {formatCount(rowCount - rows.length, "other")}
              </th>
              <Cells figures={others} />
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={by.length}>
              Total
            </th>
            <Cells figures={total} />
          </tr>
        </tfoot>
      </NumbersTable>
      {omitted > 0 && <p class="quiet">{formatCount(omitted, "more row")} in the CSV.</p>}
    </section>
  );
}

function Cells({ figures }: { figures: Figures }) {
  return (
    <>
      {COLUMNS.map(([heading, cell]) => (
        <td key={heading} class="number">
          {cell(figures)}
        </td>
      ))}
    </>
  );
}
