import { expect, test } from "vitest";
import {
  describeEarlierRange,
  findEarlierRange,
  findNearestRange,
  shiftRange,
  toRangeParams,
} from "../../../bin/web/page/usage/ranges.ts";
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

const TODAY = "2026-03-01";

test.each([
  ["2026-02-01", "2026-03-01", -1, "2026-01-01", "2026-02-01"],
  ["2026-01-01", "2026-03-01", -1, "2025-11-01", "2026-01-01"],
  ["2026-03-01", "2026-03-02", -1, "2026-02-01", "2026-03-01"], // this month so far
  ["2026-01-01", "2026-02-01", 1, "2026-02-01", "2026-03-01"],
  ["2026-02-23", "2026-03-02", -1, "2026-02-16", "2026-02-23"],
  ["2026-01-05", "2026-01-06", 1, "2026-01-06", "2026-01-07"],
] as const)(
  "the range from %s to %s moves by %i to the one from %s to %s",
  (since, until, steps, first, end) => {
    expect(shiftRange({ since, until }, steps, TODAY)).toEqual({ since: first, until: end });
  },
);

test.each([
  ["2026-03-01", "2026-03-28", true, "2026-02-01", "2026-02-28"],
  ["2026-03-01", "2026-03-31", true, "2026-02-01", "2026-03-01"], // February is shorter
  ["2026-03-01", "2026-03-08", false, "2026-02-22", "2026-03-01"],
  ["2026-02-01", "2026-03-01", false, "2026-01-01", "2026-02-01"],
] as const)(
  "the range from %s to %s (of this month: %s) is compared with the one from %s to %s",
  (since, until, isMonthToDate, first, end) => {
    expect(findEarlierRange({ since, until }, isMonthToDate)).toEqual({ since: first, until: end });
  },
);

test("a range with a name is in the address by its name", () => {
  expect(toRangeParams({ since: "2026-03-01", until: "2026-04-01" }, TODAY)).toMatchObject({
    range: "month",
  });
  expect(toRangeParams({ since: "2026-02-01", until: "2026-03-01" }, TODAY)).toMatchObject({
    range: "last-month",
  });
  const custom = { since: "2026-01-01", until: "2026-02-01" };
  expect(toRangeParams(custom, TODAY)).toEqual({ range: "", ...custom });
});

test("the nearest range with usage is the last one before, or else the first one after", () => {
  const days = ["2025-11-30", "2025-10-05"];
  const nearest = (since: string | undefined, until: string | undefined) =>
    findNearestRange(days, { since, until }, TODAY);
  expect(nearest("2026-02-01", "2026-03-01")).toEqual({ since: "2025-11-01", until: "2025-12-01" });
  expect(nearest("2026-02-23", "2026-03-02")).toEqual({ since: "2025-11-24", until: "2025-12-01" });
  expect(nearest("2026-01-01", undefined)).toEqual({ since: "2025-11-01", until: "2025-12-01" });
  expect(nearest("2024-01-02", "2024-01-03")).toEqual({ since: "2025-10-05", until: "2025-10-06" });
  expect(findNearestRange([], {}, TODAY)).toBeUndefined();
});

test.each([
  ["2026-01-30", "2026-03-01", false, "in the 30 days before"],
  ["2026-02-28", "2026-03-01", false, "on the day before"],
  ["2026-01-01", "2026-02-01", false, "in January 2026"],
  ["2026-01-01", "2026-03-01", false, "in 1 Jan – 28 Feb 2026"],
  ["2026-02-01", "2026-02-28", true, "on the same days of February"],
] as const)("the earlier range from %s to %s (of last month: %s) is named %s", (since, until, is, name) => {
  expect(describeEarlierRange({ since, until }, is)).toBe(name);
});
