import { createCostFormatter, formatShortNumber } from "../../../format/numbers.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { useParams, withParams } from "../shell/address.ts";
import { NoCost } from "../shell/no-cost.tsx";
import { type Order, SortHeader } from "../shell/sort-header.tsx";
import { TableScroll } from "../shell/table-scroll.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import { type Column, createMatrix, sortRows, sumRows, TOTAL, toDefaultOrder } from "./matrix.ts";
import { createNameFormatter } from "./names.ts";
import "./project-models.css";
import { type FigureKey, toSessionsUrl } from "./session-links.ts";
import { ShowAll, useOpened } from "./show-all.tsx";
import type { UsageResult } from "./usage-query.tsx";
import type { UsageState } from "./usage-state.ts";
import type { Figures } from "./usage-table.tsx";

/** Numbers of rows and of models until they are opened. */
const MAX_ROWS = 12;
const MAX_MODELS = 5;
/** Rows beyond this are only in the CSV. */
const MAX_OPENED_ROWS = 1000;

const getNanoDollars = ({ costNanoUsd }: Figures) => costNanoUsd;
const getTokens = ({ tokens }: Figures) => tokens.total;

interface Props extends UsageResult {
  choice: UsageState;
  onSort: (changes: Record<string, string>) => void;
}

/** Cost or tokens of each project by model. Each column sorts the rows, and each figure leads to its sessions. */
export function ProjectModels({ usage, params, choice, onSort }: Props) {
  const { measure, sort, order } = choice;
  const [address] = useParams();
  const isCost = measure === "cost";
  const [showsAllRows] = useOpened("projects");
  const [showsAllModels] = useOpened("models");
  const { rows, columns, modelCount, total } = createMatrix(usage, isCost ? getNanoDollars : getTokens, {
    maxModels: showsAllModels ? Number.POSITIVE_INFINITY : MAX_MODELS,
    nameProject: createNameFormatter(usage.rows, "project"),
    nameModel: createNameFormatter(usage.rows, "model"),
  });
  if (rows.length === 0) return null;
  const key = sort === "project" || columns.some((column) => column.key === sort) ? sort : TOTAL;
  const direction = order ?? toDefaultOrder(key);
  const sorted = sortRows(rows, key, direction);
  const limit = showsAllRows ? MAX_OPENED_ROWS : rows.length === MAX_ROWS + 1 ? MAX_ROWS + 1 : MAX_ROWS;
  const rest = sorted.slice(limit);
  const largest = rows.reduce((max, { amounts }) => Math.max(max, amounts.get(TOTAL) ?? 0), 0);
  const formatCost = createCostFormatter(largest / 1e9);
  const write = isCost ? (nanoDollars: number) => formatCost(nanoDollars / 1e9) : formatShortNumber;
  /** @param rowKey undefined if the row has no sessions in common */
  const cells = (amounts: ReadonlyMap<string, number>, name: string, rowKey: FigureKey | undefined) =>
    columns.map((column) => {
      const amount = amounts.get(column.key);
      const link =
        rowKey && column.figureKey && toSessionsUrl(choice, { ...rowKey, ...column.figureKey }, choice);
      return (
        <td key={column.key} class={toCellClass(column)} data-value={amount ?? 0}>
          {amount === undefined ? null : amount === 0 ? (
            isCost && <NoCost class="matrix-zero" />
          ) : (
            <Figure link={link} about={`${name}, ${column.name}`}>
              {write(amount)}
            </Figure>
          )}
        </td>
      );
    });
  const setSort = (by: string, to: Order) =>
    onSort({ sort: by === TOTAL ? "" : by, order: to === toDefaultOrder(by) ? "" : to });
  const sorting = { by: key, order: direction, onSort: setSort };
  const title = `${isCost ? "Cost" : "Tokens"} by project and model`;
  return (
    <ChartFrame {...{ title, usage, params }} isTable>
      <TableScroll label={title} class="matrix-scroll">
        <table class="numbers matrix">
          <caption class="unseen">{title}</caption>
          <thead>
            <tr>
              <SortHeader by="project" firstOrder="asc" {...{ sorting }}>
                Project
              </SortHeader>
              {columns.map((column) => (
                <SortHeader
                  key={column.key}
                  by={column.key}
                  firstOrder="desc"
                  class={toCellClass(column)}
                  {...{ sorting }}
                >
                  <ModelName name={column.name} />
                </SortHeader>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, limit).map(({ project, name, amounts }) => (
              <tr key={project ?? name}>
                <th scope="row" title={project ?? undefined}>
                  {project ? (
                    <a
                      class="figure-link"
                      href={withParams("/usage", { ...address, project, sort: "", order: "" })}
                      aria-label={`Filter to ${name}`}
                    >
                      <bdi>{name}</bdi>
                    </a>
                  ) : (
                    <bdi>{name}</bdi>
                  )}
                </th>
                {cells(amounts, name, project === undefined ? undefined : { project })}
              </tr>
            ))}
            {rest.length > 0 && (
              <tr class="matrix-rest">
                <th scope="row">{formatCount(rest.length, "other")}</th>
                {cells(sumRows(rest, columns), "", undefined)}
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              {cells(total, "all projects", {})}
            </tr>
          </tfoot>
        </table>
      </TableScroll>
      <p class="chart-actions">
        {rows.length > MAX_ROWS + 1 && (
          <ShowAll name="projects" all={`${formatInteger(rows.length)} projects`} />
        )}
        {modelCount > MAX_MODELS + 1 && <ShowAll name="models" all={`${formatInteger(modelCount)} models`} />}
      </p>
    </ChartFrame>
  );
}

function toCellClass({ key }: Column): string {
  return key === TOTAL ? "number matrix-total" : "number";
}

/** A model below its provider, to save width. */
function ModelName({ name }: { name: string }) {
  const [, provider, model = name] = /^([^/]+\/)(.+)$/.exec(name) ?? [];
  return (
    <span class="matrix-model" title={name}>
      {provider && <span class="matrix-provider">{provider}</span>}
      <bdi>{model}</bdi>
    </span>
  );
}

interface FigureProps {
  link: string | undefined;
  about: string;
  children: string;
}

/** A figure that leads to its sessions, if they can be searched for. */
function Figure({ link, about, children }: FigureProps) {
  if (link === undefined) return <>{children}</>;
  return (
    <a class="figure-link" href={link} aria-label={`${children}, ${about}: sessions`}>
      {children}
    </a>
  );
}
