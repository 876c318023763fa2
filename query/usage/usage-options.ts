/** What can be asked of usage, as zod schemas. */
import { z } from "zod";
import { Moment } from "../options.ts";

/** What usage can be broken down by. */
export const USAGE_DIMENSIONS = [
  "hour",
  "day",
  "week",
  "month",
  "weekday",
  "hour-of-day",
  "model",
  "provider",
  "project",
  "session",
  "tool",
  "agent",
  "kind",
  "branch",
  "stop",
] as const;
export const UsageDimension = z.enum(USAGE_DIMENSIONS);
export type UsageDimension = z.infer<typeof UsageDimension>;

/** The dimensions that are periods of time: their rows come by time, all others by cost. */
export const PERIODS = ["hour", "day", "week", "month", "weekday", "hour-of-day"] as const;
export type Period = (typeof PERIODS)[number];

export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

/** A name of the IANA time zone database, as the JavaScript engine knows it. */
export const TimeZone = z.string().refine(isTimeZone, {
  error: ({ input }) => `"${input}" is no time zone: write one such as Europe/Berlin, or UTC`,
});

/** The last name that was one: Intl takes a third of a millisecond to tell. */
let known: string | undefined;

function isTimeZone(name: string): boolean {
  if (name === known) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    known = name;
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false; // how Intl says that it knows no such zone
    throw error;
  }
}

export const BUDGET_PERIODS = ["day", "week", "month", "year"] as const;

/** So many US dollars a period: `200/month`. */
export const Budget = z
  .string()
  .transform((text, context) => {
    const [, amount, per] = /^\$?(\d+(?:\.\d+)?)\/(day|week|month|year)$/.exec(text.trim()) ?? [];
    const amountUsd = Number(amount);
    if (per !== undefined && amountUsd > 0 && amountUsd <= 1e9) {
      return { amountUsd, per: per as (typeof BUDGET_PERIODS)[number] };
    }
    context.addIssue({
      code: "custom",
      message: `"${text}" is no budget: write dollars and a period, such as 200/month, 10/day, 50/week or 2000/year`,
    });
    return z.NEVER;
  })
  .describe("US dollars a day, week, month or year: `200/month`");
export type Budget = z.output<typeof Budget>;

/** What usage can be narrowed by. */
const narrowed = {
  cwd: z.string().min(1).optional().describe("only sessions of this working directory, with their subagents"),
  project: z
    .string()
    .min(1)
    .optional()
    .describe("only sessions whose directory ends in this name or path, with their subagents"),
  session: z.string().min(1).optional().describe("only this session, with its subagents: as `find` takes it"),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("only models with this in their name; a whole provider/model is that one alone"),
  provider: z.string().min(1).optional().describe("only this provider"),
  kind: z
    .string()
    .min(1)
    .optional()
    .describe(
      "only this kind: assistant, tool, subagent, compaction, branch_summary, session_summary, usage:…",
    ),
  agent: z.string().min(1).optional().describe("only this subagent, by its name"),
  tool: z.string().min(1).optional().describe("only what results of this tool tell, and calls of it"),
  branch: z
    .enum(["current", "left"])
    .optional()
    .describe("only the current branches of sessions, or only those that were left"),
  subagents: z.enum(["yes", "no", "only"]).default("yes").describe("whether what subagents spent counts"),
  since: Moment.optional().describe("only what is not older than this"),
  until: Moment.optional().describe("only what is older than this"),
};

export const UsageOptions = z.strictObject({
  ...narrowed,
  by: z
    .array(UsageDimension)
    .max(2, "two at most")
    .refine((by) => new Set(by).size === by.length, "each but once")
    .default([])
    .describe("what to break the total down by: none, one, or two crossed"),
  timeZone: TimeZone.optional().describe("where days begin; default: where this machine is"),
  weekStart: z.enum(WEEKDAYS).default("monday").describe("the day on which weeks begin"),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe("rows at most, the costliest, or of periods the newest; the rest is summed up in `others`"),
  budget: Budget.optional().describe("what may be spent: US dollars a period, such as `200/month`"),
  now: Moment.optional().describe("the moment a budget is looked at; default: now"),
});
export type UsageOptions = z.input<typeof UsageOptions>;
export type ParsedUsageOptions = z.output<typeof UsageOptions>;

export const UsageEventsOptions = z.strictObject(narrowed);
export type UsageEventsOptions = z.input<typeof UsageEventsOptions>;
