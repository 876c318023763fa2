import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BUDGET_PERIODS } from "../../../query/usage/parse-budget.ts";
import {
  type Calendar,
  createPeriodNamer,
  findPeriod,
  getSystemTimeZone,
} from "../../../query/usage/periods.ts";
import { PERIODS, type Period } from "../../../query/usage/usage-options.ts";
import { WEEKDAYS } from "../../../query/weekdays.ts";
import { ZoneClock } from "../../../query/zone-clock.ts";
import { BUCKET_MS, NO_TIME_BUCKET } from "../../../src/store/schema.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LAST_MOMENT = 8.64e15;

/** The local date and time at a moment as fields, according to Intl. */
function formatWithIntl(timeZone: string, moment: number) {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(moment)
      .map((part) => [part.type, part.value]),
  );
  const year = parts.era === "B" ? 1 - Number(parts.year) : Number(parts.year);
  const sign = year < 0 ? "-" : year > 9999 ? "+" : "";
  const yearText = sign + String(Math.abs(year)).padStart(sign ? 6 : 4, "0");
  return {
    year: yearText,
    month: `${yearText}-${parts.month}`,
    date: `${yearText}-${parts.month}-${parts.day}`,
    hour: parts.hour as string,
    weekday: (parts.weekday as string).toLowerCase(),
    offset: (parts.timeZoneName as string).slice("GMT".length),
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      era: "narrow",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      hourCycle: "h23",
      weekday: "long",
      timeZoneName: "longOffset",
    });
    formats.set(timeZone, format);
  }
  return format;
}

const at = (text: string): number => Date.parse(text);
const quarterOf = (moment: number): number => Math.floor(moment / BUCKET_MS);

/** All 15-minute buckets between two times. */
function quartersBetween(from: string, until: string): number[] {
  const first = quarterOf(at(from));
  return Array.from({ length: quarterOf(at(until)) - first }, (_, n) => first + n);
}

/** Consecutive buckets with the same label, in order. */
function quarterRanges(quarters: readonly number[], period: Period, calendar: Calendar) {
  const nameOf = createPeriodNamer(period, calendar);
  const ranges: { label: string; first: number; last: number }[] = [];
  for (const quarter of quarters) {
    const label = nameOf(quarter).name;
    const range = ranges.at(-1);
    if (label === undefined) continue;
    if (range?.label === label) range.last = quarter;
    else ranges.push({ label, first: quarter, last: quarter });
  }
  return ranges;
}

/** Labels of all buckets in a period with the number of buckets of each, in order. */
function periodsBetween(
  timeZone: string,
  period: Period,
  from: string,
  until: string,
  weekStart = WEEKDAYS[0],
) {
  return quarterRanges(quartersBetween(from, until), period, { timeZone, weekStart }).map(
    ({ label, first, last }) => [label, last - first + 1] as const,
  );
}

const anyZone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC", "+05:30", "-11:15");
const anyMoment = fc.oneof(
  fc.integer({ min: at("2015-01-01"), max: at("2035-01-01") }),
  fc.integer({ min: at("1840-01-01"), max: at("2040-01-01") }),
  fc.integer({ min: -LAST_MOMENT, max: LAST_MOMENT }),
  fc.constantFrom(-LAST_MOMENT, LAST_MOMENT, 0, -1, at("0000-01-01"), at("-000001-12-31")),
);
const calendar = fc.record({ timeZone: anyZone, weekStart: fc.constantFrom(...WEEKDAYS) });

/** Neighboring buckets, ascending, without duplicates. */
const someQuarters = fc
  .tuple(anyMoment, fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }))
  .map(([begin, steps]) => {
    const quarters = [quarterOf(begin)];
    for (const step of steps) quarters.push((quarters.at(-1) as number) + 1 + Math.floor(step ** 2 / 400));
    return quarters.filter((quarter) => Math.abs(quarter * BUCKET_MS) <= LAST_MOMENT);
  });

describe("names of periods", () => {
  test("don't depend on the order of calls", () => {
    fc.assert(
      fc.property(calendar, fc.constantFrom(...PERIODS), fc.array(anyMoment), (where, period, moments) => {
        const nameOf = createPeriodNamer(period, where);
        for (const moment of moments) {
          expect(nameOf(quarterOf(moment))).toEqual(createPeriodNamer(period, where)(quarterOf(moment)));
        }
      }),
    );
  });

  test("each label is what Intl returns for its buckets, and none is missing", () => {
    fc.assert(
      fc.property(calendar, fc.constantFrom(...PERIODS), someQuarters, (where, period, quarters) => {
        const ranges = quarterRanges(quarters, period, where);
        let n = 0;
        for (const { label, first, last } of ranges) {
          expect(quarters[n]).toBe(first);
          for (; (quarters[n] as number) <= last; n++) {
            const clock = formatWithIntl(where.timeZone, (quarters[n] as number) * BUCKET_MS);
            const hour = `${clock.date} ${clock.hour}:00`;
            if (period === "hour") expect([hour, `${hour} ${clock.offset}`]).toContain(label);
            else if (period === "hour-of-day") expect(label).toBe(clock.hour);
            else if (period === "month") expect(label).toBe(clock.month);
            else if (period === "day") expect(label).toBe(clock.date);
            else if (period === "weekday") expect(label).toBe(clock.weekday);
            else expectWeek(label, clock, where.weekStart);
          }
          expect(quarters[n - 1]).toBe(last);
        }
        expect(n).toBe(quarters.length);
        ranges.forEach((range, index) => {
          expect(range.label).not.toBe(ranges[index + 1]?.label);
        });
      }),
      { numRuns: 600 },
    );
  });

  describe.each(AWKWARD)("at all clock changes in %s", (timeZone) => {
    const changes = changesOf(timeZone);
    const where = { timeZone, weekStart: "monday" } as const;

    test("no two hours have the same label", () => {
      for (const change of changes) {
        const labels = quarterRanges(quartersAround(change), "hour", where).map(({ label }) => label);
        expect(new Set(labels).size).toBe(labels.length);
      }
    });

    test("hours have an offset if and only if they repeat", () => {
      for (const { moment, before, after } of changes) {
        const quarters = Array.from({ length: 200 }, (_, n) => quarterOf(moment) - 100 + n);
        for (const { label, first } of quarterRanges(quarters, "hour", where)) {
          const local = first * BUCKET_MS + (first * BUCKET_MS < moment ? before : after);
          const hour = Math.floor(local / HOUR) * HOUR;
          const isRepeated = after < before && hour < moment + before && hour + HOUR > moment + after;
          expect([label, / [+-][\d:]+$/.test(label)]).toEqual([label, isRepeated]);
        }
      }
    });
  });

  test("the repeated hour at the end of summer time is two hours with different offsets", () => {
    expect(periodsBetween("Europe/Berlin", "hour", "2026-10-24T23:00Z", "2026-10-25T03:00Z")).toEqual([
      ["2026-10-25 01:00", 4],
      ["2026-10-25 02:00 +02:00", 4],
      ["2026-10-25 02:00 +01:00", 4],
      ["2026-10-25 03:00", 4],
    ]);
    expect(periodsBetween("Europe/Berlin", "hour-of-day", "2026-10-24T23:00Z", "2026-10-25T03:00Z")).toEqual([
      ["01", 4],
      ["02", 8],
      ["03", 4],
    ]);
    expect(periodsBetween("Europe/Berlin", "day", "2026-10-24T22:00Z", "2026-10-25T23:00Z")).toEqual([
      ["2026-10-25", 100],
    ]);
  });

  test("the hour that summer time skips doesn't exist", () => {
    expect(periodsBetween("Europe/Berlin", "hour", "2026-03-29T00:00Z", "2026-03-29T02:00Z")).toEqual([
      ["2026-03-29 01:00", 4],
      ["2026-03-29 03:00", 4],
    ]);
    expect(periodsBetween("Europe/Berlin", "day", "2026-03-28T23:00Z", "2026-03-29T22:00Z")).toEqual([
      ["2026-03-29", 92],
    ]);
  });

  test("on Lord Howe Island half an hour is repeated, and half an hour skipped", () => {
    expect(periodsBetween("Australia/Lord_Howe", "hour", "2026-04-04T13:00Z", "2026-04-04T16:30Z")).toEqual([
      ["2026-04-05 00:00", 4],
      ["2026-04-05 01:00 +11:00", 4],
      ["2026-04-05 01:00 +10:30", 2],
      ["2026-04-05 02:00", 4],
    ]);
    expect(periodsBetween("Australia/Lord_Howe", "hour", "2026-10-03T14:30Z", "2026-10-03T17:00Z")).toEqual([
      ["2026-10-04 01:00", 4],
      ["2026-10-04 02:00", 2],
      ["2026-10-04 03:00", 4],
    ]);
  });

  test("hours and days start at a quarter in Kathmandu", () => {
    expect(periodsBetween("Asia/Kathmandu", "hour", "2026-01-31T17:15Z", "2026-01-31T19:15Z")).toEqual([
      ["2026-01-31 23:00", 4],
      ["2026-02-01 00:00", 4],
    ]);
  });

  test("the day that Samoa skipped doesn't exist, and its week has six days", () => {
    expect(periodsBetween("Pacific/Apia", "day", "2011-12-29T10:00Z", "2011-12-31T10:00Z")).toEqual([
      ["2011-12-29", 96],
      ["2011-12-31", 96],
    ]);
    expect(periodsBetween("Pacific/Apia", "weekday", "2011-12-29T10:00Z", "2011-12-31T10:00Z")).toEqual([
      ["thursday", 96],
      ["saturday", 96],
    ]);
    expect(periodsBetween("Pacific/Apia", "week", "2011-12-26T10:00Z", "2012-01-01T10:00Z")).toEqual([
      ["2011-12-26", 6 * 96],
    ]);
  });

  test("in São Paulo a day began at one o'clock, and another had 25 hours", () => {
    expect(periodsBetween("America/Sao_Paulo", "hour", "2018-11-04T02:00Z", "2018-11-04T04:00Z")).toEqual([
      ["2018-11-03 23:00", 4],
      ["2018-11-04 01:00", 4],
    ]);
    expect(periodsBetween("America/Sao_Paulo", "day", "2019-02-16T02:00Z", "2019-02-17T03:00Z")).toEqual([
      ["2019-02-16", 100],
    ]);
  });

  test("a day occurs twice if the clock was set back over midnight", () => {
    expect(periodsBetween("America/St_Johns", "day", "2006-10-28T02:30Z", "2006-10-30T03:30Z")).toEqual([
      ["2006-10-28", 96],
      ["2006-10-29", 1], // one minute of the bucket, from
      ["2006-10-28", 3],
      ["2006-10-29", 96],
    ]);
  });

  test("weeks start on the given day", () => {
    const weekOf = (weekStart: (typeof WEEKDAYS)[number]) =>
      quarterRanges([quarterOf(at("2026-01-31T12:00Z"))], "week", { timeZone: "UTC", weekStart })[0]?.label;
    expect(WEEKDAYS.map(weekOf)).toEqual([
      "2026-01-26",
      "2026-01-27",
      "2026-01-28",
      "2026-01-29",
      "2026-01-30",
      "2026-01-31",
      "2026-01-25",
    ]);
  });

  test("offsets with minutes and seconds are exact", () => {
    const ranges = periodsBetween("Europe/Berlin", "hour", "1890-01-01T00:00Z", "1890-01-01T01:15Z");
    expect(ranges).toEqual([
      ["1890-01-01 00:00", 1], // from 00:53:28
      ["1890-01-01 01:00", 4], // from 01:08:28
    ]);
    const offset = new ZoneClock("Europe/Berlin").offsetRangeAt(at("1890-01-01")).offset;
    expect(offset).toBe(53 * 60_000 + 28_000);
  });

  test("years with more or fewer than four digits are formatted as in ISO 8601", () => {
    const dayAt = (moment: number, timeZone = "UTC") =>
      quarterRanges([quarterOf(moment)], "day", { timeZone, weekStart: "monday" })[0]?.label;
    expect(dayAt(LAST_MOMENT)).toBe("+275760-09-13");
    expect(dayAt(-LAST_MOMENT)).toBe("-271821-04-20");
    expect(dayAt(-LAST_MOMENT, "America/New_York")).toBe("-271821-04-19"); // outside of the range of Date
    expect(dayAt(at("-000001-12-31T12:00Z"))).toBe("-000001-12-31");
    expect(dayAt(at("0000-01-01T12:00Z"))).toBe("0000-01-01");
    expect(dayAt(at("0099-06-01T12:00Z"))).toBe("0099-06-01");
    expect(dayAt(at("9999-12-31T23:59Z"), "Asia/Tokyo")).toBe("+010000-01-01");
  });

  test("events without a time are in no period", () => {
    const nameOf = createPeriodNamer("day", { timeZone: "UTC", weekStart: "monday" });
    expect([NO_TIME_BUCKET, 5].map((quarter) => nameOf(quarter).name)).toEqual([undefined, "1970-01-01"]);
  });
});

describe("the period around a moment", () => {
  test("contains the moment, and adjoins its neighbors", () => {
    fc.assert(
      fc.property(calendar, fc.constantFrom(...BUDGET_PERIODS), anyMoment, (where, per, moment) => {
        const { from, until } = findPeriod(moment, per, where);
        expect(from).toBeLessThanOrEqual(moment);
        expect(moment === LAST_MOMENT ? moment - 1 : moment).toBeLessThan(until);
        expect(findPeriod(from, per, where)).toEqual({ from, until });
        if (until < LAST_MOMENT) expect(findPeriod(until, per, where).from).toBe(until);
        if (from > -LAST_MOMENT) expect(findPeriod(from - 1, per, where).until).toBe(from);
      }),
      { numRuns: 800 },
    );
  });

  test("starts when Intl first shows its first day", () => {
    fc.assert(
      fc.property(calendar, fc.constantFrom("day", "month", "year"), anyMoment, (where, per, moment) => {
        const { from } = findPeriod(moment, per, where);
        if (from === -LAST_MOMENT) return;
        const name = per === "day" ? "date" : per;
        const [now, just] = [
          formatWithIntl(where.timeZone, from)[name],
          formatWithIntl(where.timeZone, from - 1)[name],
        ];
        expect(just).not.toBe(now);
      }),
      { numRuns: 800 },
    );
  });

  test("a week starts on its first day", () => {
    fc.assert(
      fc.property(calendar, fc.integer({ min: at("2012-02-01"), max: at("2040-01-01") }), (where, moment) => {
        const { from, until } = findPeriod(moment, "week", where);
        expect(formatWithIntl(where.timeZone, from).weekday).toBe(where.weekStart);
        expect(Math.round((until - from) / DAY)).toBe(7);
      }),
    );
  });

  const around = (text: string, per: (typeof BUDGET_PERIODS)[number], timeZone: string) => {
    const { from, until } = findPeriod(at(text), per, { timeZone, weekStart: "monday" });
    return [new Date(from).toISOString(), new Date(until).toISOString()];
  };
  test.each([
    ["2026-10-25T12:00Z", "day", "Europe/Berlin", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
    ["2026-10-25T12:00Z", "month", "Europe/Berlin", "2026-09-30T22:00:00.000Z", "2026-10-31T23:00:00.000Z"],
    ["2026-10-25T12:00Z", "year", "Australia/Sydney", "2025-12-31T13:00:00.000Z", "2026-12-31T13:00:00.000Z"],
    ["2018-11-04T12:00Z", "day", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", "2018-11-05T02:00:00.000Z"],
    ["2024-04-26T12:00Z", "day", "Africa/Cairo", "2024-04-25T22:00:00.000Z", "2024-04-26T21:00:00.000Z"],
    ["2011-12-30T09:59Z", "day", "Pacific/Apia", "2011-12-29T10:00:00.000Z", "2011-12-30T10:00:00.000Z"],
    ["2011-12-30T10:00Z", "day", "Pacific/Apia", "2011-12-30T10:00:00.000Z", "2011-12-31T10:00:00.000Z"],
    ["2026-01-31T20:00Z", "month", "Asia/Kathmandu", "2026-01-31T18:15:00.000Z", "2026-02-28T18:15:00.000Z"],
    ["0050-06-01T00:00Z", "year", "UTC", "0050-01-01T00:00:00.000Z", "0051-01-01T00:00:00.000Z"],
    ["-000001-06-01T00:00Z", "year", "UTC", "-000001-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"],
    ["+275760-09-13T00:00Z", "year", "UTC", "+275760-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"],
    // set back over midnight: the new day began at 02:30Z and continues
    ["2006-10-29T03:00Z", "day", "America/St_Johns", "2006-10-29T02:30:00.000Z", "2006-10-30T03:30:00.000Z"],
  ] as const)("%s: the %s in %s", (moment, per, timeZone, from, until) => {
    expect(around(moment, per, timeZone)).toEqual([from, until]);
  });
});

describe("the clock of a time zone", () => {
  test("agrees with Intl with a cold and a warm cache", () => {
    fc.assert(
      fc.property(anyZone, fc.array(anyMoment, { minLength: 1, maxLength: 5 }), (timeZone, moments) => {
        const clock = new ZoneClock(timeZone);
        for (const moment of [...moments, ...moments]) {
          const { from, until, offset } = clock.offsetRangeAt(moment);
          expect(offset + 0).toBe(offsetMs(formatWithIntl(timeZone, moment).offset));
          expect(from).toBeLessThanOrEqual(moment);
          expect(moment).toBeLessThan(until);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe("the machine's time zone", () => {
  const script = `import { getSystemTimeZone } from ${JSON.stringify(join(import.meta.dirname, "../../../query/usage/periods.ts"))};
    console.log(getSystemTimeZone());`;
  test.each([
    ["Europe/Berlin", "Europe/Berlin"],
    ["UTC", "UTC"],
    ["nonsense", "UTC"],
    ["", "UTC"],
  ])("TZ=%s is %s", (TZ, expected) => {
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, TZ },
      encoding: "utf8",
    });
    expect(output.trim()).toBe(expected);
  });
  test("is valid for Intl", () => {
    expect(() => new Intl.DateTimeFormat("en", { timeZone: getSystemTimeZone() })).not.toThrow();
  });
});

/** Time zones with every kind of clock change: at midnight, by half an hour, by a day, by seconds. */
const AWKWARD = [
  "Europe/Berlin",
  "Europe/Amsterdam",
  "Europe/Dublin",
  "America/St_Johns",
  "America/Goose_Bay",
  "America/Sao_Paulo",
  "America/Juneau",
  "America/Caracas",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Manila",
  "Asia/Gaza",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Africa/Monrovia",
  "Africa/Freetown",
  "Pacific/Apia",
  "Antarctica/Casey",
];

interface Change {
  timeZone: string;
  moment: number;
  /** Offsets from UTC, in milliseconds. */
  before: number;
  after: number;
}

/** All clock changes since 1840, found by querying Intl for every third day: no two changes are closer. */
function changesOf(timeZone: string): Change[] {
  const changes: Change[] = [];
  const offsetAt = (moment: number) => formatWithIntl(timeZone, moment).offset;
  const step = 3 * DAY;
  let last = offsetAt(at("1840-01-01"));
  for (let until = at("1840-01-01") + step; until < at("2040-01-01"); until += step) {
    const offset = offsetAt(until);
    if (offset === last) continue;
    let from = until - step;
    let moment = until;
    while (moment - from > 1) {
      const middle = Math.floor((from + moment) / 2);
      if (offsetAt(middle) === last) from = middle;
      else moment = middle;
    }
    changes.push({ timeZone, moment, before: offsetMs(last), after: offsetMs(offset) });
    last = offset;
  }
  return changes;
}

/** Parses `+05:45`, `-00:44:30` or an empty offset to milliseconds. */
function offsetMs(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.slice(1).split(":").map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 * (text.startsWith("-") ? -1 : 1);
}

/** The buckets of a day and more before and after a change. */
function quartersAround({ moment }: Change): number[] {
  const first = quarterOf(moment) - 120;
  return Array.from({ length: 240 }, (_, n) => first + n);
}

function expectWeek(
  label: string,
  clock: { date: string; weekday: string },
  weekStart: (typeof WEEKDAYS)[number],
) {
  const days = (utcNoon(clock.date) - utcNoon(label)) / DAY;
  const weekdayOf = (n: number) => WEEKDAYS[(WEEKDAYS.indexOf(weekStart) + n) % 7];
  if (Number.isNaN(days)) return; // outside of the range of Date
  expect(days).toBeGreaterThanOrEqual(0);
  expect(weekdayOf(days)).toBe(clock.weekday);
}

const utcNoon = (date: string): number => Date.parse(`${date}T12:00Z`);
