import { expect, test } from "vitest";
import { summarize } from "../../../bin/web/page/search/summarize.ts";

const found = (total: number, more: object = {}) => ({ sessions: [], total, hasMore: false, ...more });
const list = { by: "list", params: {} } as const;
const search = { by: "search", params: {} } as const;

test.each([
  [found(1), list, undefined, "1 session", "1 session"],
  [found(1978), list, undefined, "1,978 sessions", "1,978 sessions"],
  [found(2), search, { hits: 5, sessions: 2, isWhole: true }, "2 sessions", "2 sessions found"],
  [found(2), search, undefined, "2 sessions", "2 sessions found"],
  [found(2, { hasMore: true }), search, undefined, "Counting sessions …", "Counting sessions …"],
  [
    found(8),
    search,
    { hits: 300_000, sessions: 900, isWhole: false },
    "900+ sessions · newest 300,000 hits",
    "More than 900 sessions found. Counts are of the newest 300,000 matches",
  ],
  [found(0, { closestCount: 3 }), search, undefined, "3 closest matches", "3 closest matches"],
  [
    found(1, { closestCount: 3 }),
    search,
    undefined,
    "1 session · 3 closest matches",
    "1 session found, 3 closest matches",
  ],
  [
    found(4, { correctedQuery: "flaky" }),
    search,
    { hits: 9, sessions: 4, isWhole: true },
    "4 sessions for “flaky”",
    "4 sessions found for “flaky”: nothing matches as typed",
  ],
  [
    found(44, { hasMore: true, notice: "Stopped at 2,000 matches", shortNotice: "stopped" }),
    { by: "scan", params: {} } as const,
    undefined,
    "44+ sessions · stopped",
    "More than 44 sessions found. Stopped at 2,000 matches",
  ],
])("%o is a short line and a sentence", (results, request, totals, short, full) => {
  expect(summarize(results, request, totals)).toEqual({ short, full });
});

test("before anything is found it says that it searches", () => {
  expect(summarize(found(0, { hasMore: true }), search, undefined).short).toBe("Searching …");
});
