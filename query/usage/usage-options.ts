/** Options of the usage queries, as zod schemas. */
import { z } from "zod";
import { Moment } from "../options.ts";
import { isTimeZone } from "../parse-moment.ts";
import { PriceRules } from "../prices/price-rule.ts";
import { WEEKDAYS } from "../weekdays.ts";
import { type BudgetLimit, describeInvalidBudget, parseBudget } from "./parse-budget.ts";

/** Dimensions of a usage breakdown. */
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
  "machine",
  "person",
  "tool",
  "agent",
  "kind",
  "branch",
  "stop",
] as const;
export const UsageDimension = z.enum(USAGE_DIMENSIONS);
export type UsageDimension = z.infer<typeof UsageDimension>;

/** The dimensions that are periods: their rows are sorted by time, all others by cost. */
export const PERIODS = ["hour", "day", "week", "month", "weekday", "hour-of-day"] as const;
export type Period = (typeof PERIODS)[number];

/** A name of the IANA time zone database that the JavaScript engine accepts. */
export const TimeZone = z.string().refine(isTimeZone, {
  error: ({ input }) => `"${input}" is not a time zone; use a name such as Europe/Berlin, or UTC`,
});

/** An amount in US dollars per period: `200/month`. */
export const Budget = z
  .string()
  .transform((text, context): BudgetLimit => {
    const budget = parseBudget(text);
    if (budget && budget.project === undefined) return budget;
    context.addIssue({
      code: "custom",
      message: budget
        ? "a budget of a project is not for usage; use pidex budget, or the filter project"
        : `"${text}" is not a budget; write dollars per period, such as 200/month, 10/day, 50/week or 2000/year`,
    });
    return z.NEVER;
  })
  .describe("US dollars per day, week, month or year: `200/month`");
export type Budget = z.output<typeof Budget>;

/** A budget that may be one of a project: `50/month project:shop`. */
const ProjectBudget = z.string().refine((text) => parseBudget(text) !== undefined, {
  error: ({ input }) => describeInvalidBudget(String(input)),
});

/** Options that filter usage. */
const filters = {
  cwd: z.string().min(1).optional().describe("only sessions of this working directory, with their subagents"),
  project: z
    .string()
    .min(1)
    .optional()
    .describe("only sessions whose directory ends in this name or path, with their subagents"),
  session: z
    .string()
    .min(1)
    .optional()
    .describe("only this session, with its subagents; a reference as for `find`"),
  machine: z
    .string()
    .min(1)
    .optional()
    .describe("on a hub: only sessions of this machine, with their subagents"),
  person: z
    .string()
    .min(1)
    .optional()
    .describe("on a hub: only sessions of this person's machines, with their subagents"),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("only models whose name contains this, or exactly this provider/model"),
  provider: z.string().min(1).optional().describe("only this provider"),
  kind: z
    .string()
    .min(1)
    .optional()
    .describe(
      "only this kind: assistant, tool, subagent, compaction, branch_summary, session_summary, usage:…",
    ),
  agent: z.string().min(1).optional().describe("only this subagent, by its name"),
  tool: z.string().min(1).optional().describe("only calls of this tool and the usage it caused"),
  branch: z
    .enum(["current", "abandoned"])
    .optional()
    .describe("only the current branches of sessions, or only the abandoned ones"),
  subagents: z.enum(["yes", "no", "only"]).default("yes").describe("whether to include subagents"),
  since: Moment.optional().describe("only events at or after this time"),
  until: Moment.optional().describe("only events before this time"),
};

/** Options of estimates. */
const estimates = {
  estimates: z
    .boolean()
    .default(false)
    .describe("whether to estimate events without a recorded cost by published prices, as `estimatedUsd`"),
  prices: PriceRules.optional().describe("prices that precede the published ones, for `estimates`"),
};

export const SpendOptions = z.strictObject(estimates);
export type SpendOptions = z.input<typeof SpendOptions>;

export const SpendingOptions = z.strictObject({
  budgets: z
    .array(ProjectBudget)
    .max(100)
    .optional()
    .describe("budgets to compute the state of: `200/month`, `50/month project:shop`"),
  session: z.string().min(1).optional().describe("also what this session costs; a reference as for `find`"),
  cwd: z.string().min(1).optional().describe("the same of the newest session of this working directory"),
  timeZone: TimeZone.optional().describe("time zone of days; default: the system's"),
  weekStart: z.enum(WEEKDAYS).default("monday").describe("the first day of the week"),
  now: Moment.optional().describe("the time whose periods are summed up; default: now"),
  ...estimates,
});
export type SpendingOptions = z.input<typeof SpendingOptions>;

export const UsageOptions = z.strictObject({
  ...filters,
  by: z
    .array(UsageDimension)
    .max(2, "at most two dimensions")
    .refine((by) => new Set(by).size === by.length, "the second dimension must differ from the first")
    .default([])
    .describe("dimensions to break the total down by, at most two"),
  timeZone: TimeZone.optional().describe("time zone of days; default: the system's"),
  weekStart: z.enum(WEEKDAYS).default("monday").describe("the first day of the week"),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe(
      "maximum number of rows: the most expensive, or the newest periods; the rest is summed up in `others`",
    ),
  budget: Budget.optional().describe("budget in US dollars per period, such as `200/month`"),
  ...estimates,
  now: Moment.optional().describe("the time to compute the budget for; default: now"),
});
export type UsageOptions = z.input<typeof UsageOptions>;
export type ParsedUsageOptions = z.output<typeof UsageOptions>;

export const UsageEventsOptions = z.strictObject(filters);
export type UsageEventsOptions = z.input<typeof UsageEventsOptions>;
