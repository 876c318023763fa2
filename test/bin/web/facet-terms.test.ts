/** Facet values and the typed query. */
import { expect, test } from "vitest";
import { chooseValue, getSelected } from "../../../bin/web/page/search/facet-terms.ts";
import { parseSearchState } from "../../../bin/web/page/search/search-state.ts";

const SHOP = "/home/ada/shop";
const BLOG = "/home/ada/blog";
const OTHER_BLOG = "/home/bob/blog";
const projects = [SHOP, BLOG, OTHER_BLOG];
const models = ["anthropic/claude-opus-4-5", "openai/gpt-5"];

test("values are selected by the filter and by the typed query", () => {
  const selected = (state: Record<string, string>) => [
    ...getSelected("cwd", projects, parseSearchState(state)),
  ];
  expect(selected({})).toEqual([]);
  expect(selected({ cwd: SHOP })).toEqual([SHOP]);
  expect(selected({ q: "tax project:Shop" })).toEqual([SHOP]);
  expect(selected({ q: "project:blog,shop" })).toEqual(projects);
  expect(selected({ q: "project:bob/blog" })).toEqual([OTHER_BLOG]);
  expect(selected({ q: `cwd:${BLOG}` })).toEqual([BLOG]);
  expect(selected({ q: "-project:shop" })).toEqual([]);
  expect(selected({ q: "project:shop OR tax" })).toEqual([]);
  expect([...getSelected("model", models, parseSearchState({ q: "model:opus" }))]).toEqual([models[0]]);
});

test.each([
  ["a click selects a value", {}, SHOP, "only", { cwd: SHOP }],
  ["a click on the selected value clears it", { cwd: SHOP }, SHOP, "only", { cwd: "" }],
  ["a click replaces a typed value", { q: "tax project:shop" }, BLOG, "only", { q: "tax", cwd: BLOG }],
  ["a click on a typed value removes it", { q: "tax project:shop" }, SHOP, "only", { q: "tax", cwd: "" }],
  ["a first added value is a filter", {}, SHOP, "add", { cwd: SHOP }],
  [
    "values that are added are written into the query",
    { q: "tax", cwd: SHOP },
    BLOG,
    "add",
    { q: "tax project:shop,ada/blog", cwd: "" },
  ],
  [
    "an added value that is selected is removed",
    { q: "project:shop,ada/blog tax" },
    BLOG,
    "add",
    { q: "tax", cwd: SHOP },
  ],
  ["a value is excluded", { q: "tax" }, SHOP, "exclude", { q: "tax -project:shop", cwd: "" }],
  [
    "excluding a value keeps the selected one",
    { q: "tax", cwd: BLOG },
    SHOP,
    "exclude",
    { q: "tax -project:shop", cwd: BLOG },
  ],
] as const)("%s", (_, state, value, choice, changes) => {
  const chosen = chooseValue("cwd", value, choice, { state: parseSearchState(state), values: projects });
  expect(chosen).toEqual(changes);
});
