/** Periods of usage as slots on an axis of time, empty periods included. */
import * as d3 from "d3-time";
import { DAY_MS } from "../../../format/times.ts";
import { formatDay, formatSpan, parseDay, toDayNumber } from "../charts/days.ts";
import type { TimeSlot } from "../charts/slot-ticks.ts";
import type { Period } from "./usage-state.ts";

interface Timeline {
  slots: TimeSlot[];
  /** Where the row of a period goes; undefined for one without a time. */
  slotOf(name: string | null | undefined): number | undefined;
}

/** Above this, empty periods are omitted: sessions with wrong times may be thousands of years apart. */
const MAX_SLOTS = 3000;

const WEEKS = [
  d3.utcSunday,
  d3.utcMonday,
  d3.utcTuesday,
  d3.utcWednesday,
  d3.utcThursday,
  d3.utcFriday,
  d3.utcSaturday,
];
const INTERVALS = { hour: d3.utcHour, day: d3.utcDay, month: d3.utcMonth };

/** The slots from the first period to the last, extended to the range if there is one. */
export function createTimeline(
  names: readonly (string | null | undefined)[],
  period: Period,
  { since, until }: { since?: string | undefined; until?: string | undefined } = {},
): Timeline {
  const times = [...new Set(names.flatMap((name) => parseTime(name, period) ?? []))].sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return { slots: [], slotOf: () => undefined };
  // The first day of the week is known only from the rows.
  const interval =
    period === "week" ? (WEEKS[new Date(first).getUTCDay()] as d3.CountableTimeInterval) : INTERVALS[period];
  const from = new Date(Math.min(first, (parseDay(since ?? "") ?? Number.POSITIVE_INFINITY) * DAY_MS));
  const to = new Date(Math.max(last, (parseDay(until ?? "") ?? Number.NEGATIVE_INFINITY) * DAY_MS - 1));
  const [begin, end] = [interval.floor(from), interval.floor(to)];
  const isGapless = interval.count(begin, end) < MAX_SLOTS;
  const begins = isGapless ? [...interval.range(begin, end), end] : times.map((time) => new Date(time));
  const slotAt = new Map(begins.map((date, n) => [date.getTime(), n]));
  return {
    slots: begins.map((begins) => {
      return { label: formatLabel(begins, period, interval), begins, ends: interval.offset(begins, 1) };
    }),
    slotOf: (name) => slotAt.get(parseTime(name, period) ?? Number.NaN),
  };
}

/** The start of a period in Unix milliseconds, with local time as UTC. An hour repeated by daylight saving is one slot. */
function parseTime(name: string | null | undefined, period: Period): number | undefined {
  const [date = "", hour = "00:00"] = (name ?? "").split(" ");
  const day = parseDay(period === "month" ? `${date}-01` : date);
  return day === undefined ? undefined : day * DAY_MS + Number(hour.slice(0, 2)) * 3_600_000;
}

function formatLabel(begins: Date, period: Period, interval: d3.CountableTimeInterval): string {
  const day = toDayNumber(begins);
  if (period === "hour") return `${formatDay(day)}, ${begins.toISOString().slice(11, 16)}`;
  return formatSpan({ from: day, until: toDayNumber(interval.offset(begins, 1)) });
}
