/** Usage by project and model as a table: a row per project, a column per model, and sums that match the totals exactly. */

import type { Order } from "../shell/sort-header.tsx";
import type { Row } from "./names.ts";
import type { FigureKey } from "./session-links.ts";
import type { Figures, Report } from "./usage-table.tsx";

export interface Column {
  /** A model, or `OTHERS` or `TOTAL`. Also the name in the address. */
  key: string;
  name: string;
  /** What the figures of the column have in common; undefined for the other models. */
  figureKey?: FigureKey;
}

export const TOTAL = "total";
export const OTHERS = "others";
const UNRECORDED = "none";

export interface MatrixRow {
  /** Null without a folder; undefined for the projects beyond the limit of the report. */
  project: string | null | undefined;
  name: string;
  /** By column key; without those of models that the project did not use. */
  amounts: Amounts;
}

type Amounts = ReadonlyMap<string, number>;

interface Matrix {
  rows: MatrixRow[];
  columns: Column[];
  /** Number of models, including those in `OTHERS`. */
  modelCount: number;
  /** By column key. */
  total: Amounts;
}

interface Options {
  /** Maximum number of models with a column; the rest is one column. */
  maxModels: number;
  /** The display names of a project and of a model. */
  nameProject: (row: Row) => string;
  nameModel: (row: Row) => string;
}

/** @param getAmount an integer, so that sums are exact */
export function createMatrix(
  { rows, groups = [], otherGroups, rowCount, total }: Report,
  getAmount: (figures: Figures) => number,
  { maxModels, nameProject, nameModel }: Options,
): Matrix {
  const byModel = new Map<string, { name: string; model: string | null; sum: number }>();
  const projects = new Map<string | null, { name: string; amounts: Map<string, number> }>();
  for (const row of rows) {
    const amount = getAmount(row);
    const { project = null, model = null } = row.key;
    const key = model ?? UNRECORDED;
    const known = byModel.get(key) ?? { name: nameModel(row), model, sum: 0 };
    byModel.set(key, { ...known, sum: known.sum + amount });
    const { name, amounts } = projects.get(project) ?? { name: nameProject(row), amounts: new Map() };
    projects.set(project, { name, amounts: amounts.set(key, amount) });
  }
  const models = [...byModel].filter(([, { sum }]) => sum > 0).sort(([, a], [, b]) => b.sum - a.sum);
  // A single remaining model has a column instead of becoming "1 other".
  const named = models.length <= maxModels + 1 ? models : models.slice(0, maxModels);
  const complete = (known: Amounts, sum: number): Amounts => {
    const amounts = named.flatMap(([key]) => {
      const amount = known.get(key);
      return amount === undefined ? [] : [[key, amount] as const];
    });
    const others = sum - amounts.reduce((all, [, amount]) => all + amount, 0);
    return new Map([...amounts, ...(others > 0 ? [[OTHERS, others] as const] : []), [TOTAL, sum]]);
  };
  const matrix = groups.map((group): MatrixRow => {
    const project = group.key.project ?? null;
    const { name = "", amounts = new Map() } = projects.get(project) ?? {};
    return { project, name, amounts: complete(amounts, getAmount(group)) };
  });
  if (otherGroups) {
    const amounts = complete(new Map(), getAmount(otherGroups));
    matrix.push({ project: undefined, name: "more projects", amounts });
  }
  const rowsWithAmounts = matrix.filter(({ amounts }) => (amounts.get(TOTAL) ?? 0) > 0);
  const sums = complete(new Map(named.map(([key, { sum }]) => [key, sum])), getAmount(total));
  const otherCount = models.length - named.length;
  const hasOthers = otherCount > 0 || rows.length < rowCount;
  const columns = [
    ...named.map(([key, { name, model }]): Column => ({ key, name, figureKey: { model } })),
    ...(hasOthers ? [{ key: OTHERS, name: otherCount > 0 ? `${otherCount} others` : "others" }] : []),
    { key: TOTAL, name: "Total", figureKey: {} },
  ];
  return { rows: rowsWithAmounts, columns, modelCount: models.length, total: sums };
}

/** The sum of rows by column. */
export function sumRows(rows: readonly MatrixRow[], columns: readonly Column[]): Amounts {
  const sums = new Map<string, number>();
  for (const { key } of columns) {
    const known = rows.flatMap(({ amounts }) => amounts.get(key) ?? []);
    if (known.length > 0)
      sums.set(
        key,
        known.reduce((sum, amount) => sum + amount, 0),
      );
  }
  return sums;
}

/** Names from A, amounts from the largest. */
export function toDefaultOrder(key: string): Order {
  return key === "project" ? "asc" : "desc";
}

/** @param key "project" or a column; rows with the same amount are sorted by their totals */
export function sortRows(rows: readonly MatrixRow[], key: string, order: Order): MatrixRow[] {
  const amount = ({ amounts }: MatrixRow, column: string) => amounts.get(column) ?? 0;
  const sign = order === "asc" ? 1 : -1;
  return rows.toSorted((a, b) => {
    if (key === "project") return sign * a.name.localeCompare(b.name, "en");
    return sign * (amount(a, key) - amount(b, key)) || amount(b, TOTAL) - amount(a, TOTAL);
  });
}
