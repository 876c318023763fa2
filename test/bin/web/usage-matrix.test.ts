import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMatrix, OTHERS, sortRows, sumRows, TOTAL } from "../../../bin/web/page/usage/matrix.ts";
import { toSessionsUrl } from "../../../bin/web/page/usage/session-links.ts";
import type { Figures, Report } from "../../../bin/web/page/usage/usage-table.tsx";

const names = {
  nameProject: ({ key }: { key: Report["rows"][number]["key"] }) => key.project ?? "(no folder)",
  nameModel: ({ key }: { key: Report["rows"][number]["key"] }) => key.model ?? "(model not recorded)",
};

/** A report of costs by project and model. */
function reportOf(costs: readonly [project: string | null, model: string | null, cost: number][]): Report {
  const sum = (list: typeof costs) => list.reduce((all, [, , cost]) => all + cost, 0);
  const figures = (costNanoUsd: number) => ({ costNanoUsd, costUsd: costNanoUsd / 1e9 }) as Figures;
  const groups = [...Map.groupBy(costs, ([project]) => project)].map(([project, list]) => ({
    key: { project },
    rowCount: list.length,
    ...figures(sum(list)),
  }));
  const rows = costs.map(([project, model, cost]) => ({ key: { project, model }, ...figures(cost) }));
  return {
    by: ["project", "model"],
    rows,
    rowCount: rows.length,
    groups,
    total: figures(sum(costs)),
  } as Report;
}

const getCost = ({ costNanoUsd }: Figures) => costNanoUsd;

describe("the table of projects and models", () => {
  test("adds up exactly: each row, each column, opened or not", () => {
    const name = fc.option(fc.constantFrom(..."abcdefghijklm"));
    const costs = fc
      .uniqueArray(fc.tuple(name, name, fc.integer({ min: 0, max: 1e12 })), {
        selector: ([project, model]) => `${project} ${model}`,
      })
      .map(reportOf);
    fc.assert(
      fc.property(costs, fc.constantFrom(1, 5, Number.POSITIVE_INFINITY), (report, maxModels) => {
        const { rows, columns, total } = createMatrix(report, getCost, { maxModels, ...names });
        expect(total.get(TOTAL)).toBe(report.total.costNanoUsd);
        for (const { amounts } of rows) {
          const parts = columns.filter(({ key }) => key !== TOTAL).map(({ key }) => amounts.get(key) ?? 0);
          expect(parts.reduce((sum, amount) => sum + amount, 0)).toBe(amounts.get(TOTAL));
        }
        for (const [key, sum] of sumRows(rows, columns)) expect(sum).toBe(total.get(key));
      }),
    );
  });

  test("has the costliest models and one column for the others", () => {
    const report = reportOf([
      ["shop", "a", 1],
      ["shop", "b", 5],
      ["blog", "c", 3],
      ["blog", null, 2],
      ["blog", "free", 0],
    ]);
    const { columns, modelCount } = createMatrix(report, getCost, { maxModels: 2, ...names });
    expect(columns.map((column) => column.name)).toEqual(["b", "c", "2 others", "Total"]);
    expect(modelCount).toBe(4);
    const opened = createMatrix(report, getCost, { maxModels: 9, ...names });
    expect(opened.columns.map((column) => column.name)).toEqual([
      "b",
      "c",
      "(model not recorded)",
      "a",
      "Total",
    ]);
  });

  test("is sorted by any column, in both directions", () => {
    const { rows } = createMatrix(
      reportOf([
        ["shop", "a", 1],
        ["shop", "b", 5],
        ["blog", "a", 3],
        ["till", "b", 2],
      ]),
      getCost,
      { maxModels: 5, ...names },
    );
    const sorted = (key: string, order: "asc" | "desc") => sortRows(rows, key, order).map(({ name }) => name);
    expect(sorted(TOTAL, "desc")).toEqual(["shop", "blog", "till"]);
    expect(sorted("a", "desc")).toEqual(["blog", "shop", "till"]);
    expect(sorted("a", "asc")).toEqual(["till", "shop", "blog"]);
    expect(sorted("project", "asc")).toEqual(["blog", "shop", "till"]);
    expect(sorted(OTHERS, "desc")).toEqual(["shop", "blog", "till"]);
  });
});

describe("a link from a figure to its sessions", () => {
  const all = { project: "", model: "", session: "", timeZone: "UTC" };
  /** The parameters of a link. */
  const paramsOf = (...args: Parameters<typeof toSessionsUrl>) => {
    const url = toSessionsUrl(...args);
    return url && Object.fromEntries(new URL(url, "http://x").searchParams);
  };
  const queryOf = (...args: Parameters<typeof toSessionsUrl>) => {
    const { usage, ...params } = paramsOf(...args) || {};
    expect([usage, Object.keys(params)]).toEqual(["yes", ["q"]]);
    return params.q;
  };

  test("has the values of the figure, quoted if necessary, and the filters of the page", () => {
    expect(queryOf(all, { project: "/home/a b", model: "x/y" }, {})).toBe('project:"/home/a b" model:x/y');
    expect(queryOf({ ...all, project: "shop", model: "gpt" }, { model: "openai/gpt-5" }, {})).toBe(
      "project:shop model:openai/gpt-5",
    );
    expect(queryOf({ ...all, session: "0199" }, { tool: "bash" }, {})).toBe("tool:bash session:0199");
    expect(queryOf(all, { kind: "compaction" }, {})).toBe("type:compaction");
  });

  test("selects the usage of a range, in the time zone of the page", () => {
    const range = { since: "2026-03-01", until: "2026-03-02" };
    expect(paramsOf({ ...all, timeZone: "Asia/Tokyo" }, { model: "x/y" }, range)).toEqual({
      ...{ q: "model:x/y", usage: "yes" },
      ...{ since: "2026-02-28T15:00:00.000Z", until: "2026-03-01T15:00:00.000Z" },
    });
    expect(paramsOf({ ...all, timeZone: "Europe/Berlin" }, {}, { since: "2026-07-01T09:00" })).toEqual({
      ...{ usage: "yes", since: "2026-07-01T07:00:00.000Z" },
    });
  });

  test("does not exist for values that a query cannot select", () => {
    for (const key of [
      { model: null },
      { project: null, model: "x/y" },
      { agent: "scout" },
      { kind: "tool" },
    ])
      expect(toSessionsUrl(all, key, {})).toBeUndefined();
  });
});
