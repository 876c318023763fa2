import { PidexError, type UsageDimension } from "../../library/index.ts";
import { findPeriod, getSystemTimeZone } from "../../library/internal.ts";
import { DAY_MS } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { DIMENSIONS, isRangeName, RANGES, type RangeName } from "./usage-dimensions.ts";

/** What `pidex usage` shows: dimensions, and the time range, if its words name one. */
export interface UsageView {
  by: UsageDimension[];
  range?: NamedRange | undefined;
}

export interface NamedRange {
  name: string;
  /** Unix milliseconds. */
  since: number;
  until: number;
}

const DEFAULT_DAYS = 30;

/**
 * Reads the words of a command line. Without any, a terminal shows the last 30 days; pipes, JSON, CSV and charts have all days.
 *
 * @param word a dimension or a range
 * @throws PidexError `BAD_OPTION` for a range together with `--since` or `--until`
 */
export function parseUsageView(io: Io, word: string | undefined, flags: Flags<"usage">): UsageView {
  const second = DIMENSIONS[flags.by ?? ""]; // commander has checked it
  const hasTimes = flags.since !== undefined || flags.until !== undefined;
  if (word !== undefined && isRangeName(word)) {
    if (hasTimes) {
      const option = flags.since === undefined ? "--until" : "--since";
      const hint = `Remove ${option}, or use a dimension: pidex usage daily ${option} …`;
      throw new PidexError("BAD_OPTION", `${word} and ${option} both select a time range`, hint);
    }
    return { by: [second ?? RANGES[word]], range: tryFind(() => findRange(word, flags)) };
  }
  const first = DIMENSIONS[word ?? "daily"] ?? "day";
  const isWhole = !io.isTerminal || flags.json || flags.ndjson || flags.csv || flags.chart !== undefined;
  const isAlone = word === undefined && !hasTimes && !isWhole;
  const range = isAlone ? tryFind(() => findLastDays(flags)) : undefined;
  return { by: second ? [first, second] : [first], range };
}

/** Undefined for an unknown time zone, which the query reports. */
function tryFind(find: () => NamedRange): NamedRange | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const NAMES: Record<RangeName, string> = {
  today: "today",
  yesterday: "yesterday",
  week: "this week",
  month: "this month",
  year: "this year",
};

function findRange(range: RangeName, flags: Flags<"usage">): NamedRange {
  const isDay = range === "today" || range === "yesterday";
  const today = find(Date.now(), isDay ? "day" : range, flags);
  const { from, until } = range === "yesterday" ? find(today.from - 1, "day", flags) : today;
  return { name: NAMES[range], since: from, until };
}

function findLastDays(flags: Flags<"usage">): NamedRange {
  const today = find(Date.now(), "day", flags);
  const noon = (today.from + today.until) / 2; // so that no day is missed when clocks change
  const { from } = find(noon - (DEFAULT_DAYS - 1) * DAY_MS, "day", flags);
  return { name: `last ${DEFAULT_DAYS} days`, since: from, until: today.until };
}

function find(
  moment: number,
  per: Parameters<typeof findPeriod>[1],
  { timeZone, weekStart }: Flags<"usage">,
) {
  return findPeriod(moment, per, {
    timeZone: timeZone ?? getSystemTimeZone(),
    weekStart: weekStart ?? "monday",
  });
}
