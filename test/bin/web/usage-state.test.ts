import { expect, test } from "vitest";
import { parseUsageState } from "../../../bin/web/page/usage/usage-state.ts";

const NOW = Date.parse("2026-03-01T00:30:00Z");

/** The days of a range, in a time zone. */
function daysOf(range: string, zone = "UTC"): (string | undefined)[] {
  const { since, until } = parseUsageState({ range, zone }, NOW);
  return [since, until];
}

test.each([
  ["7d", ["2026-02-23", "2026-03-02"]],
  ["month", ["2026-03-01", "2026-03-02"]],
  ["last-month", ["2026-02-01", "2026-03-01"]],
  ["all", [undefined, undefined]],
])("the range %s has the days %j, the last one excluded", (range, days) => {
  expect(daysOf(range)).toEqual(days);
});

test("a month is that of the selected time zone, also across a year", () => {
  expect(daysOf("month", "America/New_York")).toEqual(["2026-02-01", "2026-03-01"]);
  expect(daysOf("last-month", "America/New_York")).toEqual(["2026-01-01", "2026-02-01"]);
  const { since, until } = parseUsageState({ range: "last-month", zone: "UTC" }, Date.parse("2026-01-09"));
  expect([since, until]).toEqual(["2025-12-01", "2026-01-01"]);
});

test("days in the address are a range of their own", () => {
  const { range, since, until } = parseUsageState({ range: "month", since: "2026-01-05", zone: "UTC" }, NOW);
  expect([range, since, until]).toEqual(["custom", "2026-01-05", undefined]);
});
