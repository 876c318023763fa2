import { afterEach, describe, expect, test, vi } from "vitest";
import { findNearestMoment } from "../../query/nearest-moment.ts";
import { type Calendar, isAge, parseMoment, resolveDates } from "../../query/parse-moment.ts";

afterEach(() => vi.unstubAllEnvs());

/** Saturday 31 January 2026, 09:30:15.250 in Berlin, which is an hour ahead of UTC. */
const now = Date.parse("2026-01-31T08:30:15.250Z");
const BERLIN: Calendar = { timeZone: "Europe/Berlin", now };
const UTC: Calendar = { timeZone: "UTC", now };

/** An ISO time in UTC, or undefined. */
function parsed(text: string, calendar: Calendar = UTC): string | undefined {
  const time = parseMoment(text, calendar);
  return time === undefined ? undefined : new Date(time).toISOString().replace(":00.000Z", "Z");
}

test.each([
  ["2026", "2026-01-01T00:00Z"],
  ["2025-11", "2025-11-01T00:00Z"],
  ["2026-01-31", "2026-01-31T00:00Z"],
  ["2026-01-31 09:30", "2026-01-31T09:30Z"],
  ["2026-01-31T09:30+01:00", "2026-01-31T08:30Z"],
  ["now", "2026-01-31T08:30:15.250Z"],
  ["7d", "2026-01-24T08:30:15.250Z"],
  ["30m", "2026-01-31T08:00:15.250Z"],
  ["3 days ago", "2026-01-28T08:30:15.250Z"],
  ["3 days", "2026-01-28T08:30:15.250Z"],
  ["3weeks", "2026-01-10T08:30:15.250Z"],
  ["3w", "2026-01-10T08:30:15.250Z"],
  ["10days", "2026-01-21T08:30:15.250Z"],
  ["10days ago", "2026-01-21T08:30:15.250Z"],
  ["last 10days", "2026-01-21T08:30:15.250Z"],
  ["2Months", "2025-11-30T08:30:15.250Z"],
  ["12oct", "2025-10-12T00:00Z"],
  ["last 3 days", "2026-01-28T08:30:15.250Z"],
  ["3-days-ago", "2026-01-28T08:30:15.250Z"],
  ["a week ago", "2026-01-24T08:30:15.250Z"],
  ["2 hours ago", "2026-01-31T06:30:15.250Z"],
  ["15 mins ago", "2026-01-31T08:15:15.250Z"],
  ["2 months ago", "2025-11-30T08:30:15.250Z"], // November has no 31st
  ["1 year ago", "2025-01-31T08:30:15.250Z"],
  ["today", "2026-01-31T00:00Z"],
  ["Yesterday", "2026-01-30T00:00Z"],
  ["tomorrow", "2026-02-01T00:00Z"],
  ["this week", "2026-01-26T00:00Z"],
  ["last week", "2026-01-19T00:00Z"],
  ["last-week", "2026-01-19T00:00Z"],
  ["last_week", "2026-01-19T00:00Z"],
  ["this month", "2026-01-01T00:00Z"],
  ["last month", "2025-12-01T00:00Z"],
  ["previous month", "2025-12-01T00:00Z"],
  ["this year", "2026-01-01T00:00Z"],
  ["last year", "2025-01-01T00:00Z"],
  ["saturday", "2026-01-31T00:00Z"],
  ["last saturday", "2026-01-24T00:00Z"],
  ["monday", "2026-01-26T00:00Z"],
  ["mon", "2026-01-26T00:00Z"],
  ["sun", "2026-01-25T00:00Z"],
  ["October", "2025-10-01T00:00Z"],
  ["jan", "2026-01-01T00:00Z"],
  ["oct 2024", "2024-10-01T00:00Z"],
  ["Oct 12", "2025-10-12T00:00Z"],
  ["12 oct", "2025-10-12T00:00Z"],
  ["12 October 2026", "2026-10-12T00:00Z"],
  ["Oct 12, 2026", "2026-10-12T00:00Z"],
  ["oct-12", "2025-10-12T00:00Z"],
  ["January 31st", "2026-01-31T00:00Z"],
  ["feb 29", "2024-02-29T00:00Z"],
  ["2026/10/12", "2026-10-12T00:00Z"],
  ["2026/1/2", "2026-01-02T00:00Z"],
  ["yesterday 5pm", "2026-01-30T17:00Z"],
  ["yesterday at 5:30 pm", "2026-01-30T17:30Z"],
  ["today 12am", "2026-01-31T00:00Z"],
  ["monday 17:30", "2026-01-26T17:30Z"],
  ["last saturday 9am", "2026-01-24T09:00Z"],
  ["12 october 2025 08:15", "2025-10-12T08:15Z"],
])("%s", (text, expected) => {
  expect(parsed(text)).toBe(expected);
});

test.each([
  ...["", " ", "mo", "soon", "last", "this", "week", "ago", "days ago", "-1 days ago", "x days ago"],
  ...[
    "3 fortnights ago",
    "last last week",
    "next week",
    "2026-13",
    "2026-02-30",
    "2026-1-1",
    "31.1.2026",
    "feb 30",
    "12 october 26",
    "yesterday 25:00",
    "yesterday 13pm",
    "yesterday 5",
    "2026/13/1",
    "12 ago",
  ],
  ...["constructor", "this toString", "3 constructor ago", "9999999d"],
])("%j is not a moment", (text) => {
  expect(parsed(text)).toBeUndefined();
});

describe("days begin at midnight", () => {
  test("of a time zone", () => {
    expect(parsed("today", BERLIN)).toBe("2026-01-30T23:00Z");
    expect(parsed("2026-07-01", BERLIN)).toBe("2026-06-30T22:00Z");
    expect(parsed("2026-07-01T12:00", BERLIN)).toBe("2026-07-01T10:00Z");
    expect(parsed("today", { timeZone: "Asia/Tokyo", now: Date.parse("2026-01-30T15:00Z") })).toBe(
      "2026-01-30T15:00Z",
    );
    // Clocks went forward on 29 March: the day before was a full one.
    expect(parsed("yesterday", { ...BERLIN, now: Date.parse("2026-03-30T10:00Z") })).toBe(
      "2026-03-28T23:00Z",
    );
  });

  test("and so do times of a day", () => {
    expect(parsed("yesterday 5pm", BERLIN)).toBe("2026-01-30T16:00Z");
    expect(parsed("oct 12", BERLIN)).toBe("2025-10-11T22:00Z");
    expect(parseMoment("yesterday 17:30", { now: new Date(2026, 0, 31, 9).getTime() })).toBe(
      new Date(2026, 0, 30, 17, 30).getTime(),
    );
  });

  test("or when clocks skip it, at the first time of the day", () => {
    const santiago = { timeZone: "America/Santiago", now: Date.parse("2026-09-06T12:00Z") };
    expect(parsed("today", santiago)).toBe("2026-09-06T04:00Z"); // 01:00
  });

  test("of the process by default", () => {
    const midnight = new Date(now);
    midnight.setHours(0, 0, 0, 0);
    expect(parseMoment("today", { now })).toBe(midnight.getTime());
    expect(parseMoment("2026-01-31")).toBe(new Date(2026, 0, 31).getTime());
    expect(parseMoment("last month", { now })).toBe(new Date(2025, 11, 1).getTime());
  });
});

test("weeks begin on Monday, on PIDEX_WEEK_START, or on the given day", () => {
  vi.stubEnv("PIDEX_WEEK_START", "sunday");
  expect(parsed("this week")).toBe("2026-01-25T00:00Z");
  expect(parsed("last week", { ...UTC, weekStart: "saturday" })).toBe("2026-01-24T00:00Z");
  vi.stubEnv("PIDEX_WEEK_START", "nonsense");
  expect(parsed("this week")).toBe("2026-01-26T00:00Z");
});

test("ages depend on the time to the millisecond", () => {
  for (const age of [
    "7d",
    "now",
    "3 days ago",
    "a week ago",
    "2-months-ago",
    "1mo",
    "last 7 days",
    "3weeks",
    "last 10days",
  ])
    expect(isAge(age)).toBe(true);
  for (const date of [
    "today",
    "last week",
    "2026",
    "monday",
    "12 october",
    "oct 12",
    "12oct",
    "yesterday 5pm",
  ])
    expect(isAge(date)).toBe(false);
});

test("the dates in options become times, ages and errors stay", () => {
  const zone = { timeZone: "Europe/Berlin" };
  expect(resolveDates({ since: "2026-01-31", until: "7d", ...zone })).toEqual({
    since: "2026-01-30T23:00:00.000Z",
    until: "7d",
    ...zone,
  });
  expect(resolveDates({ since: "soon", until: 5, timeZone: "No/Zone" })).toEqual({
    since: "soon",
    until: 5,
    timeZone: "No/Zone",
  });
  expect(resolveDates({ since: "2026-01-31T10:00Z", timeZone: "No/Zone" }).since).toBe(
    "2026-01-31T10:00:00.000Z",
  );
  expect(resolveDates(undefined)).toBeUndefined();
});

test.each([
  ["yesterdy", "yesterday"],
  ["Tody", "today"],
  ["last wek", "last week"],
  ["last-mnth", "last month"],
  ["3 dasy ago", "3 days ago"],
  ["wensday", "wednesday"],
  ["ocotber 2026", "october 2026"],
  ["yesterdya 5pm", "yesterday 5pm"],
  ["soon", undefined],
  ["2026-13", undefined],
  ["2026-01-31junk", undefined],
  ["", undefined],
])("the moment nearest to %j is %j", (text, nearest) => {
  expect(findNearestMoment(text)).toBe(nearest);
});
