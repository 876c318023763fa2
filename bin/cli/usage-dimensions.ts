// Spelled out, so that help and completions don't load the library.
import type { UsageDimension } from "../../library/index.ts";

/** Dimensions by their names on the command line. */
export const DIMENSIONS: Readonly<Record<string, UsageDimension>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  hourly: "hour",
  weekday: "weekday",
  "hour-of-day": "hour-of-day",
  model: "model",
  provider: "provider",
  project: "project",
  session: "session",
  machine: "machine",
  person: "person",
  tool: "tool",
  agent: "agent",
  kind: "kind",
  branch: "branch",
  stop: "stop",
  day: "day",
  week: "week",
  month: "month",
  hour: "hour",
};

/** The breakdown of each time range that `pidex usage RANGE` shows. */
export const RANGES = {
  today: "model",
  yesterday: "model",
  week: "day",
  month: "day",
  year: "month",
  "last-week": "day",
  "last-month": "day",
  "last-year": "month",
  all: "month",
} as const satisfies Record<string, UsageDimension>;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as RangeName[];
/** As in `--since 'last month'`. */
export const RANGE_ALIASES = RANGE_NAMES.filter((name) => name.includes("-")).map((name) =>
  name.replace("-", " "),
);

/** The range that a word names: `month`, `last-month`, `last month`. */
export function toRangeName(word: string): RangeName | undefined {
  return RANGE_NAMES.find((name) => name === word.replace(" ", "-"));
}

/** The names of dimensions that help lists, and further spellings that are accepted. */
export const DIMENSION_ALIASES = ["day", "week", "month", "hour"];
export const DIMENSION_NAMES = Object.keys(DIMENSIONS).filter((name) => !DIMENSION_ALIASES.includes(name));

/** Dimensions that are consecutive time periods. */
export const PERIODS: readonly UsageDimension[] = ["hour", "day", "week", "month"];
