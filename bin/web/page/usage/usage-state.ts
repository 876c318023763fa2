/** The state of the usage view in the address, and the parameters of its requests. */
import type { UsageDimension, UsageOptions } from "../../../../library/index.ts";
import type { Params } from "../shell/address.ts";
import type { ApiParams } from "../shell/api.ts";
import { addDays, formatZonedDate, startOfDay } from "./zone-days.ts";

/** Length of each range in days, including today. */
const PRESETS = { "7d": 7, "30d": 30, "90d": 90, year: 365 } as const;
export const RANGES = [...(Object.keys(PRESETS) as (keyof typeof PRESETS)[]), "all"] as const;
export type Range = (typeof RANGES)[number] | "custom";

export const MEASURES = ["cost", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];

/** Dimensions that bars can be stacked by. */
export const DIMENSIONS = ["model", "project", "provider", "kind", "agent", "tool"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const PERIODS = ["hour", "day", "week", "month"] as const;
export type Period = (typeof PERIODS)[number];

export const WEEK_DAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

export interface UsageState {
  range: Range;
  /** The days of the range; `until` is exclusive. Undefined if unbounded. */
  since: string | undefined;
  until: string | undefined;
  timeZone: string;
  measure: Measure;
  by: Dimension;
  /** Undefined means depending on the range. */
  period: Period | undefined;
  project: string;
  model: string;
  session: string;
  weekStart: (typeof WEEK_DAYS)[number];
  budget: string;
}

/** Parses the parameters of an address. Missing and invalid ones get defaults. */
export function parseUsageState(params: Params, now: number): UsageState {
  const { zone = "", since = "", until = "", project = "", model = "", session = "", budget = "" } = params;
  const timeZone = isTimeZone(zone) ? zone : getLocalTimeZone();
  const isCustom = isDay(since) || isDay(until);
  const range = isCustom ? "custom" : oneOf(RANGES, params.range, "30d");
  const today = formatZonedDate(timeZone, now);
  const days = range in PRESETS ? PRESETS[range as keyof typeof PRESETS] : undefined;
  return {
    range,
    since: isCustom ? (isDay(since) ? since : undefined) : days && addDays(today, 1 - days),
    until: isCustom ? (isDay(until) ? until : undefined) : days && addDays(today, 1),
    timeZone,
    measure: oneOf(MEASURES, params.measure, "cost"),
    by: oneOf(DIMENSIONS, params.by, "model"),
    period: oneOf(PERIODS, params.per, undefined),
    project,
    model,
    session,
    weekStart: oneOf(WEEK_DAYS, params.week, "monday"),
    budget,
  };
}

export function getLocalTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function oneOf<T, U>(allowed: readonly T[], value: unknown, fallback: U): T | U {
  return allowed.includes(value as T) ? (value as T) : fallback;
}

function isDay(text: string): boolean {
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

/** The parameters including the time range. Days start in the selected time zone. */
function toRangeParams(choice: UsageState): ApiParams {
  const { since, until, timeZone } = choice;
  const startOf = (day: string | undefined) => day && new Date(startOfDay(timeZone, day)).toISOString();
  return { ...toFilterParams(choice), since: startOf(since), until: startOf(until) };
}

/** The parameters of a breakdown of the range. */
export function toBreakdownParams(
  choice: UsageState,
  by: readonly UsageDimension[],
  more: Partial<UsageOptions> = {},
): ApiParams {
  return { ...toRangeParams(choice), by, ...(more as ApiParams) };
}

/** The default period for a range of days. */
export function defaultPeriod(days: number): Period {
  if (days <= 2) return "hour";
  if (days <= 120) return "day";
  return days <= 800 ? "week" : "month";
}
