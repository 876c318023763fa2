import { expect, test } from "vitest";
import {
  getSorts,
  parseSearchState,
  toCompletionParams,
  toSearchRequest,
} from "../../../bin/web/page/search/search-state.ts";

test.each([
  ["tax role:user", "Relevance"],
  ['"double tax"', "Relevance"],
  ["role:user since:7d", "Newest first"],
  ["project:shop -tax", "Newest first"],
  ["", "Newest first"],
])("the default order of %j is %s", (q, name) => {
  expect(getSorts(toSearchRequest(parseSearchState({ q })))[""]).toBe(name);
});

test("completions are counted with the filters of the list, without what only the page knows", () => {
  const state = parseSearchState({ usage: "yes", cwd: "/home/ada/shop", role: "user", sort: "cost" });
  const params = toCompletionParams("tax mod", state);
  expect(params).toMatchObject({ cwd: "/home/ada/shop", query: "tax mod role:user", at: 7 });
  expect(Object.keys(params)).not.toContain("usage");
  expect(Object.keys(params)).not.toContain("sort");
});

test.each([
  ["cost-asc", { sort: "cost", order: "oldest" }, "Lowest cost"],
  ["messages-asc", { sort: "messages", order: "oldest" }, "Fewest messages"],
  ["name-desc", { sort: "name", order: "oldest" }, "Title, Z–A"],
])("a list sorted by %s is the reverse of a main order, which has a name", (sort, params, name) => {
  const request = toSearchRequest(parseSearchState({ sort }));
  expect(request.params).toMatchObject(params);
  expect(getSorts(request)[sort]).toBe(name);
  expect(Object.keys(getSorts(toSearchRequest(parseSearchState({}))))).not.toContain(sort);
  expect(toSearchRequest(parseSearchState({ q: "project:shop", sort })).params).toMatchObject(params);
  // Searches cannot be reversed.
  expect(toSearchRequest(parseSearchState({ q: "tax", sort })).params.sort).toBe("");
});
