import type { UsageDimension } from "../../../../library/index.ts";
import { dollars, percent } from "../../../format/numbers.ts";
import { counted, grouped } from "../../../format/safe.ts";
import { titleOf } from "../../../format/titles.ts";
import type { UsageAnswer } from "../../api/answers.ts";
import { namesOf, type Row } from "./names.ts";

export type Report = UsageAnswer["usage"];
export type Figures = Report["total"];

/** More rows are read better as CSV. */
const MOST_ROWS = 500;

const COLUMNS: readonly [heading: string, cell: (figures: Figures) => string][] = [
  ["Cost", ({ costUsd }) => dollars(costUsd)],
  ["Messages", ({ messages }) => grouped(messages)],
  ["Input", ({ tokens }) => grouped(tokens.input)],
  ["Output", ({ tokens }) => grouped(tokens.output)],
  ["From cache", ({ tokens }) => grouped(tokens.cacheRead)],
  ["To cache", ({ tokens }) => grouped(tokens.cacheWrite)],
  ["Cache hits", ({ cacheHitRate }) => (cacheHitRate === undefined ? "" : percent(cacheHitRate))],
  ["Tool calls", ({ toolCalls }) => grouped(toolCalls)],
  ["Failed", ({ failedToolCalls }) => grouped(failedToolCalls)],
];

/** The numbers of a breakdown, row by row, as its CSV has them. */
export function UsageTable({ usage, caption }: { usage: Report; caption: string }) {
  const { by, rows, rowCount, others, total } = usage;
  const names = by.map((each) => nameIn(rows, each));
  const shown = rows.slice(0, MOST_ROWS);
  const left = rows.length - shown.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table class="numbers">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {by.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
            {COLUMNS.map(([heading]) => (
              <th key={heading} scope="col" class="number">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
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
                {counted(rowCount - rows.length, "other")}
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
      </table>
      {left > 0 && <p class="quiet">{counted(left, "more row")}: all are in the CSV.</p>}
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

function nameIn(rows: readonly Row[], by: UsageDimension): (row: Row) => string {
  const nameOf = namesOf(rows, by);
  return (row) => (by === "session" && row.session ? titleOf(row.session) : nameOf(row));
}
