import { utcMonday } from "d3-time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { moveRange, toDayTicks } from "../../../bin/web/page/charts/date-bars.ts";
import {
  chooseStep,
  formatIsoDate,
  formatSpan,
  listSpans,
  parseDay,
  toDate,
  toDayNumber,
} from "../../../bin/web/page/charts/days.ts";
import { chooseColors, toSeries } from "../../../bin/web/page/charts/series.ts";
import { toSlotTicks } from "../../../bin/web/page/charts/slot-ticks.ts";
import { createTimeline } from "../../../bin/web/page/usage/timeline.ts";
import { addDays, formatZonedDate, startOfDay } from "../../../bin/web/page/usage/zone-days.ts";

const day = fc.integer({ min: -50_000, max: 80_000 });

describe("days", () => {
  test("converts a date to a day number and back", () => {
    fc.assert(fc.property(day, (number) => parseDay(formatIsoDate(number)) === number));
    expect(parseDay("no day")).toBeUndefined();
  });

  test("spans are adjacent and cover every day of the range", () => {
    const lengths = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(day, lengths, fc.integer({ min: 1, max: 300 }), (first, length, maxBars) => {
        const step = chooseStep(length + 1, maxBars);
        const spans = listSpans(first, first + length, step);
        expect(spans.length).toBeLessThanOrEqual(maxBars * 1.2 + 2);
        expect(spans[0]?.from).toBe(toDayNumber(step.floor(toDate(first))));
        expect(spans[0]?.from).toBeLessThanOrEqual(first);
        expect(spans.at(-1)?.until).toBeGreaterThan(first + length);
        for (const [n, { from, until }] of spans.entries()) {
          expect(until).toBeGreaterThan(from);
          if (n > 0) expect(from).toBe(spans[n - 1]?.until);
        }
      }),
    );
  });

  test("spans are formatted as days, months or first and last day", () => {
    const span = (from: string, until: string) => ({
      from: parseDay(from) ?? 0,
      until: parseDay(until) ?? 0,
    });
    expect(formatSpan(span("2026-03-01", "2026-03-02"))).toBe("1 Mar 2026");
    expect(formatSpan(span("2026-03-01", "2026-04-01"))).toBe("March 2026");
    expect(formatSpan(span("2026-03-02", "2026-03-09"))).toBe("2 Mar – 8 Mar 2026");
    expect(formatSpan(span("2025-12-29", "2026-01-05"))).toBe("29 Dec 2025 – 4 Jan 2026");
  });
});

test("after any key press, a range stays within the bars and covers at least one", () => {
  const keys = ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"];
  const press = fc.record({
    edge: fc.constantFrom("since" as const, "until" as const),
    key: fc.constantFrom(...keys),
    isShifted: fc.boolean(),
  });
  const spans = listSpans(20_000, 20_100, utcMonday);
  const whole = { from: spans[0]?.from ?? 0, until: spans.at(-1)?.until ?? 0 };
  fc.assert(
    fc.property(fc.array(press), (presses) => {
      let range = whole;
      for (const { edge, key, isShifted } of presses) {
        const next = moveRange(range, spans, edge, key, isShifted);
        if (!next) throw new Error("every one of these keys returns a range");
        expect(next.from).toBeGreaterThanOrEqual(whole.from);
        expect(next.until).toBeLessThanOrEqual(whole.until);
        expect(spans.some(({ from, until }) => from >= next.from && until <= next.until)).toBe(true);
        range = next;
      }
    }),
  );
  expect(moveRange(whole, spans, "since", "a", false)).toBeUndefined();
});

test("series sum up to their values, at most eight, largest first", () => {
  const piece = fc.record({
    slot: fc.integer({ min: 0, max: 4 }),
    name: fc.constantFrom(..."abcdefghijkl"),
    value: fc.integer({ min: 0, max: 1000 }),
  });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const series = toSeries(pieces, 5);
      const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
      expect(series.length).toBeLessThanOrEqual(8);
      expect(total(series.map((one) => one.total))).toBe(total(pieces.map(({ value }) => value)));
      for (const one of series) expect(total(one.values)).toBe(one.total);
      const named = series.slice(0, 7).map((one) => one.total);
      expect(named).toEqual(named.toSorted((a, b) => b - a));
    }),
  );
});

test("opened series each have their own values", () => {
  const pieces = [..."abcdefghijkl"].map((name, n) => ({ slot: 0, name, value: 100 - n }));
  expect(toSeries(pieces, 1).at(-1)).toMatchObject({ name: "5 others", total: 91 + 90 + 92 + 93 + 89 });
  const opened = toSeries(pieces, 1, { isOpen: true });
  expect(opened.map(({ name, total }) => [name, total])).toEqual(
    pieces.map(({ name, value }) => [name, value]),
  );
  expect(opened.map(({ color }) => color)).toEqual([
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    "others",
    "others",
    "others",
    "others",
  ]);
});

describe("colors", () => {
  const ranked = [..."abcdefghijklmnop"];

  test("are the same for a name wherever it is displayed", () => {
    const shuffled = fc.shuffledSubarray(ranked.slice(0, 12), { minLength: 1 });
    fc.assert(
      fc.property(shuffled, (names) => {
        const colors = chooseColors(names, ranked);
        for (const name of names) expect(colors.get(name)).toBe(ranked.indexOf(name) + 1);
      }),
    );
  });

  test("of the eight largest are all different, whatever their ranks", () => {
    const names = fc.shuffledSubarray([...ranked, "unknown", "unheard of"]);
    fc.assert(
      fc.property(names, (shown) => {
        const largest = shown.slice(0, 8);
        const colors = chooseColors(shown, ranked);
        expect(new Set(largest.map((name) => colors.get(name))).size).toBe(largest.length);
        expect(largest.map((name) => colors.get(name))).not.toContain("others");
      }),
    );
  });
});

describe("a time axis", () => {
  test.each([
    ["day", ["2026-01-30", "2026-02-02"], ["30 Jan 2026", "31 Jan 2026", "1 Feb 2026", "2 Feb 2026"]],
    ["month", ["2025-11", "2026-01"], ["November 2025", "December 2025", "January 2026"]],
    [
      "week",
      ["2026-01-25", "2026-02-08"],
      ["25 Jan – 31 Jan 2026", "1 Feb – 7 Feb 2026", "8 Feb – 14 Feb 2026"],
    ],
    ["hour", ["2026-10-25 02:00 +02:00", "2026-10-25 03:00"], ["25 Oct 2026, 02:00", "25 Oct 2026, 03:00"]],
  ] as const)("by %s includes empty periods", (period, names, labels) => {
    const { slots, slotOf } = createTimeline([...names, null], period);
    expect(slots.map(({ label }) => label)).toEqual(labels);
    expect(names.map(slotOf)).toEqual([0, slots.length - 1]);
    expect(slotOf(null)).toBeUndefined();
  });

  test("covers the whole range", () => {
    const { slots } = createTimeline(["2026-01-30"], "day", { since: "2026-01-29", until: "2026-02-01" });
    expect(slots.map(({ label }) => label)).toEqual(["29 Jan 2026", "30 Jan 2026", "31 Jan 2026"]);
  });

  test("omits gaps of thousands of years", () => {
    expect(createTimeline(["0001-01-01", "9999-12-31"], "day").slots).toHaveLength(2);
  });
});

test("a day starts at the first moment that a local clock shows it", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Africa/Cairo",
  ];
  const some = fc.integer({ min: 12_000, max: 25_000 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), some, (zone, number) => {
      const date = formatIsoDate(number);
      if (zone === "Pacific/Apia" && date === "2011-12-30") return; // Samoa skipped this day
      const begin = startOfDay(zone, date);
      expect(formatZonedDate(zone, begin)).toBe(date);
      expect(formatZonedDate(zone, begin - 1)).toBe(
        addDays(date, date === "2011-12-31" && zone === "Pacific/Apia" ? -2 : -1),
      );
    }),
  );
});

test("periods outside the years 0000 to 9999 have no slot", () => {
  for (const [period, names] of [
    ["month", ["-271821-04", "0000-01", "2026-01", "9999-12", "+275760-09"]],
    ["day", ["-271821-04-20", "0000-01-01", "2026-01-01", "9999-12-31", "+275760-09-13"]],
    ["week", ["-271821-04-20", "0000-01-03", "2026-01-05", "9999-12-27", "+275760-09-08"]],
    [
      "hour",
      [
        "-271821-04-20 00:00",
        "0000-01-01 00:00",
        "2026-01-01 09:00",
        "9999-12-31 23:00",
        "+275760-09-13 00:00",
      ],
    ],
  ] as const) {
    const { slots, slotOf } = createTimeline(names, period);
    expect(slots).toHaveLength(3);
    expect(names.map(slotOf)).toEqual([undefined, 0, 1, 2, undefined]);
  }
});

describe("axis labels", () => {
  const slotTicks = (
    period: "hour" | "day" | "week" | "month",
    since: string,
    until: string,
    width = 1200,
  ) => {
    const name = { hour: `${since} 00:00`, day: since, week: since, month: since.slice(0, 7) }[period];
    const { slots } = createTimeline([name], period, { since, until });
    return toSlotTicks(slots, width).map(({ text }) => text);
  };

  test("name the day of a month's beginning among days and hours", () => {
    expect(slotTicks("day", "2026-10-30", "2026-11-09")).toContain("1 Nov");
    expect(slotTicks("day", "2025-12-30", "2026-01-09")).toContain("1 Jan");
    expect(slotTicks("day", "2026-11-01", "2026-11-02")).toEqual(["1 Nov"]);
    expect(slotTicks("hour", "2026-10-31", "2026-11-02")).toContain("1 Nov");
    const days = toDayTicks({ from: parseDay("2026-10-25") ?? 0, until: parseDay("2026-11-08") ?? 0 }, 600);
    expect(days.map(({ label }) => label)).toContain("1 Nov");
    for (const label of days.map((tick) => tick.label)) expect(label).toMatch(/^\d+ [A-Z][a-z]{2}$/);
  });

  test("name the first day of each week", () => {
    const weeks = slotTicks("week", "2026-10-05", "2026-11-16");
    expect(weeks).toEqual(["5 Oct", "12 Oct", "19 Oct", "26 Oct", "2 Nov", "9 Nov"]);
  });

  test("name months and years where all are months", () => {
    expect(slotTicks("month", "2025-11-01", "2026-03-01")).toEqual(["Nov", "Dec", "2026", "Feb"]);
    expect(slotTicks("month", "2026-11-01", "2026-12-01")).toEqual(["Nov"]);
    expect(slotTicks("week", "2025-10-20", "2026-03-01", 400)).toEqual(["Nov", "Dec", "2026", "Feb"]);
    expect(slotTicks("day", "2025-10-20", "2026-03-01", 400)).toEqual(["Nov", "Dec", "2026", "Feb"]);
    const year = toDayTicks({ from: parseDay("2025-11-01") ?? 0, until: parseDay("2026-03-01") ?? 0 }, 400);
    expect(year.map(({ label }) => label)).toEqual(["Nov", "Dec", "2026", "Feb"]);
  });
});
