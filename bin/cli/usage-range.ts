import { PidexError, type UsageDimension } from "../../library/index.ts";
import { findPeriod, getSystemTimeZone } from "../../library/internal.ts";
import { DAY_MS } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { DIMENSIONS, RANGES, type RangeName, toRangeName } from "./usage-dimensions.ts";

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
  /** Whether no word or option names it. */
  isDefault?: true;
}

const DEFAULT_DAYS = 30;

/**
 * Reads the words of a command line. Without any and `--by`, the last 30 days are shown; all days of one session, and of charts,
 * which have room for years.
 *
 * @param word a dimension or a range
 * @throws PidexError `BAD_OPTION` for a range together with `--since` or `--until`, and for more than two dimensions
 */
export function parseUsageView(word: string | undefined, flags: Flags<"usage">): UsageView {
  const named = word === undefined ? undefined : toRangeName(word);
  const further = (flags.by ?? []).flatMap((name) => DIMENSIONS[name] ?? []); // commander has checked them
  const hasTimes = flags.since !== undefined || flags.until !== undefined;
  if (named !== undefined) {
    if (hasTimes) {
      const option = flags.since === undefined ? "--until" : "--since";
      const hint = `Remove ${option}, or use a dimension: pidex usage daily ${option} …`;
      throw new PidexError("BAD_OPTION", `${word} and ${option} both select a time range`, hint);
    }
    const by = assertAtMostTwo(further.length > 0 ? further : [RANGES[named]]);
    return named === "all" ? { by } : { by, range: tryFind(() => findRange(named, flags)) };
  }
  const first = word === undefined ? [] : (DIMENSIONS[word] ?? []);
  const by = [first, further].flat();
  const coversAll = flags.session !== undefined || flags.chart !== undefined;
  const isDefault = by.length === 0 && !hasTimes && !coversAll;
  const range = isDefault ? tryFind(() => findLastDays(flags)) : undefined;
  return { by: by.length > 0 ? assertAtMostTwo(by) : ["day"], range };
}

function assertAtMostTwo(by: UsageDimension[]): UsageDimension[] {
  if (by.length <= 2) return by;
  const hint = "Break down by one or two: pidex usage --by project,model";
  throw new PidexError(
    "BAD_OPTION",
    `${by.join(", ")} are ${by.length} dimensions; usage has at most two`,
    hint,
  );
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

/** The ranges that have a start. */
type BoundedRange = Exclude<RangeName, "all">;

const NAMES: Record<BoundedRange, string> = {
  today: "today",
  yesterday: "yesterday",
  week: "this week",
  month: "this month",
  year: "this year",
  "last-week": "last week",
  "last-month": "last month",
  "last-year": "last year",
};

/** The period of which each range is the current one, or with `isBefore` the one before. */
const PERIODS: Record<BoundedRange, { per: Period; isBefore?: true }> = {
  today: { per: "day" },
  yesterday: { per: "day", isBefore: true },
  week: { per: "week" },
  month: { per: "month" },
  year: { per: "year" },
  "last-week": { per: "week", isBefore: true },
  "last-month": { per: "month", isBefore: true },
  "last-year": { per: "year", isBefore: true },
};
type Period = Parameters<typeof findPeriod>[1];

function findRange(range: BoundedRange, flags: Flags<"usage">): NamedRange {
  const { per, isBefore } = PERIODS[range];
  const current = find(Date.now(), per, flags);
  const { from, until } = isBefore ? find(current.from - 1, per, flags) : current;
  return { name: NAMES[range], since: from, until };
}

function findLastDays(flags: Flags<"usage">): NamedRange {
  const today = find(Date.now(), "day", flags);
  const noon = (today.from + today.until) / 2; // so that no day is missed when clocks change
  const { from } = find(noon - (DEFAULT_DAYS - 1) * DAY_MS, "day", flags);
  return { name: `last ${DEFAULT_DAYS} days`, since: from, until: today.until, isDefault: true };
}

function find(moment: number, per: Period, { timeZone, weekStart }: Flags<"usage">) {
  return findPeriod(moment, per, {
    timeZone: timeZone ?? getSystemTimeZone(),
    weekStart: weekStart ?? "monday",
  });
}
