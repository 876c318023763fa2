import { expect, test } from "vitest";
import { getSorts, parseSearchState, toSearchRequest } from "../../../bin/web/page/search/search-state.ts";

test.each([
  ["tax role:user", "Relevance"],
  ['"double tax"', "Relevance"],
  ["role:user since:7d", "Newest first"],
  ["project:shop -tax", "Newest first"],
  ["", "Newest first"],
])("the default order of %j is %s", (q, name) => {
  expect(getSorts(toSearchRequest(parseSearchState({ q })))[""]).toBe(name);
});
