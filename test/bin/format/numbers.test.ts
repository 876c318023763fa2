import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatCents,
  formatDollars,
  formatDuration,
  formatExactDollars,
  formatPercent,
  formatShortNumber,
} from "../../../bin/format/numbers.ts";

test.each([
  [0, "$0.00"],
  [1234.5, "$1,234.50"],
  [0.1, "$0.10"],
  [0.0042, "$0.0042"],
  [0.00001, "<$0.0001"],
])("%d dollars are %s", (value, written) => expect(formatDollars(value)).toBe(written));

test("costs in columns have two decimals", () => {
  expect([0, 0.0099, 0.01, 0.995, 1234.5].map(formatCents)).toEqual([
    "$0.00",
    "<$0.01",
    "$0.01",
    "$0.99",
    "$1,234.50",
  ]);
});

test("dollars for scripts are exact and plain", () => {
  expect([0, 1, 1e9, 12_340_000_000, -5e8].map(formatExactDollars)).toEqual([
    "0",
    "0.000000001",
    "1",
    "12.34",
    "-0.5",
  ]);
  fc.assert(
    fc.property(fc.maxSafeInteger(), (nano) => {
      const [whole = "", fraction = ""] = formatExactDollars(nano).split(".");
      expect(BigInt(whole.replace("-", "") + fraction.padEnd(9, "0"))).toBe(BigInt(Math.abs(nano)));
      expect(formatExactDollars(nano)).toMatch(/^-?\d+(\.\d{1,9})?$/);
    }),
  );
});

test("short numbers take five columns at most, and are within a half percent", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_000_000_000_000 }), (value) => {
      const text = formatShortNumber(value);
      expect(text.length).toBeLessThanOrEqual(5);
      const unit = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }[text.at(-1) as string] ?? 1;
      expect(Math.abs(Number.parseFloat(text.replace(",", "")) * unit - value)).toBeLessThanOrEqual(
        value * 0.005,
      );
    }),
  );
});

test.each([
  [0, "0%"],
  [0.004, "<1%"],
  [0.623, "62%"],
  [0.999, ">99%"],
  [1, "100%"],
  [13.2, "1,320%"],
])("%d is %s", (share, written) => expect(formatPercent(share)).toBe(written));

test.each([
  [850, "850ms"],
  [12_400, "12s"],
  [59_900, "1m00s"],
  [245_000, "4m05s"],
  [3 * 3_600_000 + 12 * 60_000, "3h12m"],
  [52 * 3_600_000, "2d4h"],
])("%d ms are %s", (milliseconds, written) => expect(formatDuration(milliseconds)).toBe(written));
