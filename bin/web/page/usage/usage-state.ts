/** The state of the usage view in the address, and the parameters of its requests. */
import type { UsageDimension, UsageOptions } from "../../../../library/index.ts";
import { WEEKDAYS } from "../../../format/weekdays.ts";
import type { Params } from "../shell/address.ts";
import type { ApiParams } from "../shell/api.ts";
import { addDays, formatZonedDate, startOfDay } from "./zone-days.ts";

/** Names of ranges and measures. */
export const RANGES = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  month: "This month",
  "last-month": "Last month",
  year: "Year",
  all: "All",
};
export const MEASURES = { cost: "Cost", tokens: "Tokens" };
/** Length of each range in days, including today. */
const DAYS: Readonly<Record<string, number>> = { "7d": 7, "30d": 30, "90d": 90, year: 365 };

/** Dimensions that bars can be stacked by. */
export const DIMENSIONS = ["model", "project", "provider", "kind", "agent", "tool"] as const;

export const PERIODS = ["hour", "day", "week", "month"] as const;
export type Period = (typeof PERIODS)[number];

export type UsageState = ReturnType<typeof parseUsageState>;

/** Parses the parameters of an address. Missing and invalid ones get defaults. */
export function parseUsageState(params: Params, now: number) {
  const { zone = "", project = "", model = "", session = "", budget = "" } = params;
  const timeZone = isTimeZone(zone) ? zone : getLocalTimeZone();
  const [since, until] = [params.since, params.until].map((day) => (isDay(day) ? day : undefined));
  const isCustom = since !== undefined || until !== undefined;
  const range = isCustom ? "custom" : oneOf(Object.keys(RANGES), params.range, "30d");
  const today = formatZonedDate(timeZone, now);
  return {
    range,
    // The days of the range; `until` is exclusive. Undefined if unbounded.
    ...(range === "custom" ? { since, until } : daysOf(range, today)),
    timeZone,
    measure: oneOf(Object.keys(MEASURES), params.measure, "cost"),
    by: oneOf(DIMENSIONS, params.by, "model"),
    // Undefined means depending on the range.
    period: oneOf(PERIODS, params.per, undefined),
    weekStart: oneOf(WEEKDAYS, params.week, "monday"),
    // The column that sorts the table of projects and models; the default order depends on the column.
    sort: params.sort ?? "",
    order: oneOf(["asc", "desc"] as const, params.order, undefined),
    // The year of the calendar; undefined is the last twelve months.
    year: /^[1-9]\d{3}$/.test(params.year ?? "") ? Number(params.year) : undefined,
    ...{ project, model, session, budget },
  };
}

function daysOf(range: string, today: string): { since: string | undefined; until: string | undefined } {
  const days = DAYS[range];
  const thisMonth = `${today.slice(0, 7)}-01`;
  if (range === "month") return { since: thisMonth, until: addDays(today, 1) };
  if (range === "last-month") return { since: `${addDays(thisMonth, -1).slice(0, 7)}-01`, until: thisMonth };
  if (days === undefined) return { since: undefined, until: undefined };
  return { since: addDays(today, 1 - days), until: addDays(today, 1) };
}

export function getLocalTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function oneOf<T, const U>(allowed: readonly T[], value: unknown, fallback: U): T | U {
  return allowed.includes(value as T) ? (value as T) : fallback;
}

function isDay(text = ""): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function isTimeZone(name: string): boolean {
  if (name === "") return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false; // Intl throws it for unknown zones
    throw error;
  }
}

/** The parameters except the time range. */
export function toFilterParams({ project, model, session, timeZone, weekStart }: UsageState): ApiParams {
  return { project, model, session, timeZone, weekStart };
}

/** The parameters of a breakdown of the range. Days start in the selected time zone. */
export function toBreakdownParams(
  choice: UsageState,
  by: readonly UsageDimension[],
  more: Partial<UsageOptions> = {},
): ApiParams {
  const { since, until, timeZone } = choice;
  const startOf = (day: string | undefined) => day && new Date(startOfDay(timeZone, day)).toISOString();
  const range = { since: startOf(since), until: startOf(until) };
  return { ...toFilterParams(choice), ...range, by, ...(more as ApiParams) };
}
