/** What is looked at: it stands in the address, and what is asked of the server follows from it. */
import type { UsageDimension, UsageOptions } from "../../../../library/index.ts";
import type { Params } from "../shell/address.ts";
import type { Asked } from "../shell/ask.ts";
import { beginOfDay, dayIn, plusDays } from "./zone-days.ts";

/** Days that a range has, today among them. */
const PRESETS = { "7d": 7, "30d": 30, "90d": 90, year: 365 } as const;
export const RANGES = [...(Object.keys(PRESETS) as (keyof typeof PRESETS)[]), "all"] as const;
export type Range = (typeof RANGES)[number] | "custom";

export const MEASURES = ["cost", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];

/** What bars are stacked by. */
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

export interface Choice {
  range: Range;
  /** Days, `until` the first that is no longer of it: those of the range, undefined where it has no end. */
  since: string | undefined;
  until: string | undefined;
  timeZone: string;
  measure: Measure;
  by: Dimension;
  /** Undefined: as suits the range. */
  period: Period | undefined;
  project: string;
  model: string;
  session: string;
  weekStart: (typeof WEEK_DAYS)[number];
  budget: string;
}

/** Reads an address; what it does not say, or says wrongly, is as usual. */
export function readChoice(params: Params, now: number): Choice {
  const { zone = "", since = "", until = "", project = "", model = "", session = "", budget = "" } = params;
  const timeZone = isTimeZone(zone) ? zone : ownTimeZone();
  const isCustom = isDay(since) || isDay(until);
  const range = isCustom ? "custom" : oneOf(RANGES, params.range, "30d");
  const today = dayIn(timeZone, now);
  const days = range in PRESETS ? PRESETS[range as keyof typeof PRESETS] : undefined;
  return {
    range,
    since: isCustom ? (isDay(since) ? since : undefined) : days && plusDays(today, 1 - days),
    until: isCustom ? (isDay(until) ? until : undefined) : days && plusDays(today, 1),
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

export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function oneOf<T, U>(known: readonly T[], given: unknown, usual: U): T | U {
  return known.includes(given as T) ? (given as T) : usual;
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
    if (error instanceof RangeError) return false; // how Intl says that it knows no such zone
    throw error;
  }
}

/** What is asked of all but the time: whose spending it is. */
export function whose({ project, model, session, timeZone, weekStart }: Choice): Asked {
  return { project, model, session, timeZone, weekStart };
}

/** The same, of the range: its days begin where the user is. */
export function ofRange(choice: Choice): Asked {
  const { since, until, timeZone } = choice;
  const begin = (day: string | undefined) => day && new Date(beginOfDay(timeZone, day)).toISOString();
  return { ...whose(choice), since: begin(since), until: begin(until) };
}

/** A breakdown of the range, as the server is asked for it. */
export function broken(
  choice: Choice,
  by: readonly UsageDimension[],
  more: Partial<UsageOptions> = {},
): Asked {
  return { ...ofRange(choice), by, ...(more as Asked) };
}

/** The period that suits so many days. */
export function usualPeriod(days: number): Period {
  if (days <= 2) return "hour";
  if (days <= 120) return "day";
  return days <= 800 ? "week" : "month";
}
