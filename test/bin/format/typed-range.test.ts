import { expect, test } from "vitest";
import { getTypedRange, withoutTypedRange } from "../../../bin/format/typed-range.ts";

test.each([
  ["tax since:2026-01-06 until:2026-01-08", "2026-01-06T00:00:00.000Z", "2026-01-08T00:00:00.000Z", "tax"],
  ["since:2026-02", "2026-02-01T00:00:00.000Z", "", ""],
  ["since:2026-01-01 since:2026-01-03 tax", "2026-01-03T00:00:00.000Z", "", "tax"],
  ["until:2026-01-01,2026-01-03", "", "2026-01-03T00:00:00.000Z", ""],
] as const)("the range of %j is from %j to %j", (query, since, until, rest) => {
  expect(getTypedRange(query, "UTC")).toEqual({ since, until });
  expect(withoutTypedRange(query)).toBe(rest);
});

test("days begin in the time zone", () => {
  expect(getTypedRange("since:2026-01-06", "Asia/Tokyo")?.since).toBe("2026-01-05T15:00:00.000Z");
});

test("dates that not every result has are no range", () => {
  for (const query of ["tax", "-since:2026", "tax OR since:2026", "since:", "since:nonsense"])
    expect([query, getTypedRange(query, "UTC")]).toEqual([query, undefined]);
});
