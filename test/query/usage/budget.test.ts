import fc from "fast-check";
import { expect, test } from "vitest";
import { computeBudget } from "../../../query/usage/budget.ts";

const HOUR = 3_600_000;
const from = Date.parse("2026-04-01T00:00Z");
const until = Date.parse("2026-05-01T00:00Z");
const april = { from, until };
const budget = { amountUsd: 200, per: "month" } as const;

test("half a budget spent in a third of a month will be used up", () => {
  expect(computeBudget(budget, april, 100, Date.parse("2026-04-11T00:00Z"))).toEqual({
    amountUsd: 200,
    per: "month",
    from: "2026-04-01T00:00:00.000Z",
    until: "2026-05-01T00:00:00.000Z",
    spentUsd: 100,
    share: 0.5,
    projectedUsd: 300,
    exhausted: "2026-04-21T00:00:00.000Z",
  });
});

test("a budget that lasts exactly until the end is not exhausted", () => {
  const line = computeBudget(budget, april, 100, Date.parse("2026-04-16T00:00Z"));
  expect(line.projectedUsd).toBe(200);
  expect(line).not.toHaveProperty("exhausted");
});

test("a used-up budget was exhausted when the projection reached it", () => {
  const line = computeBudget(budget, april, 400, Date.parse("2026-04-11T00:00Z"));
  expect(line).toMatchObject({ share: 2, projectedUsd: 1200, exhausted: "2026-04-06T00:00:00.000Z" });
});

test("a budget that is just used up is exhausted now", () => {
  const now = Date.parse("2026-04-11T00:00Z");
  expect(computeBudget(budget, april, 200, now).exhausted).toBe(new Date(now).toISOString());
});

test("in the first hour the rate is that of a full hour", () => {
  for (const now of [from, from + 1, from + HOUR]) {
    expect(computeBudget(budget, april, 1, now)).toMatchObject({
      projectedUsd: 720,
      exhausted: new Date(from + 200 * HOUR).toISOString(),
    });
  }
  expect(computeBudget(budget, april, 200, from + 60_000).exhausted).toBe(
    new Date(from + 60_000).toISOString(),
  );
});

test("after the end of a period the projection is the amount spent", () => {
  const now = until + 5 * HOUR;
  expect(computeBudget(budget, april, 150, now)).toMatchObject({ projectedUsd: 150, share: 0.75 });
  expect(computeBudget(budget, april, 150, now)).not.toHaveProperty("exhausted");
  expect(computeBudget(budget, april, 400, now).exhausted).toBe("2026-04-16T00:00:00.000Z");
});

test("no spending projects to zero", () => {
  const line = computeBudget(budget, april, 0, from + HOUR);
  expect(line).toMatchObject({ share: 0, projectedUsd: 0 });
  expect(line).not.toHaveProperty("exhausted");
});

test("a period of length zero, at the limit of Date, is valid", () => {
  const line = computeBudget(budget, { from: 8.64e15, until: 8.64e15 }, 1, 8.64e15);
  expect(line).toMatchObject({ projectedUsd: 1, from: "+275760-09-13T00:00:00.000Z" });
});

test("figures are finite, no projection is below the amount spent, and exhausted is set if and only if the projection exceeds the budget", () => {
  const money = fc.double({ min: 0, max: 1e9, noNaN: true });
  const now = fc.integer({ min: from, max: until + HOUR });
  fc.assert(
    fc.property(money, fc.double({ min: 0.01, max: 1e9, noNaN: true }), now, (spentUsd, amountUsd, now) => {
      const line = computeBudget({ amountUsd, per: "month" }, april, spentUsd, now);
      expect(Number.isFinite(line.projectedUsd)).toBe(true);
      expect(line.projectedUsd).toBeGreaterThanOrEqual(spentUsd);
      const exhausted = line.exhausted === undefined ? undefined : Date.parse(line.exhausted);
      if (spentUsd >= amountUsd) {
        expect(exhausted).toBeGreaterThanOrEqual(from);
        expect(exhausted).toBeLessThanOrEqual(now);
      } else if (exhausted !== undefined) {
        expect(exhausted).toBeGreaterThanOrEqual(now);
        expect(exhausted).toBeLessThan(until);
        expect(line.projectedUsd).toBeGreaterThan(amountUsd);
      } else {
        expect(line.projectedUsd).toBeLessThanOrEqual(amountUsd * 1.000001);
      }
    }),
  );
});
