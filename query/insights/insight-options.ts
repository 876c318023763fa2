/** Options of `insights`, as a zod schema. */
import { z } from "zod";
import { Moment } from "../options.ts";
import { TimeZone } from "../usage/usage-options.ts";

export const INSIGHT_KINDS = [
  "failures",
  "repeated-errors",
  "repeated-calls",
  "undone-edits",
  "slow-calls",
  "slow-responses",
  "compactions",
] as const;
export const InsightKind = z.enum(INSIGHT_KINDS);
export type InsightKind = z.infer<typeof InsightKind>;

export const InsightsOptions = z.strictObject({
  cwd: z.string().min(1).optional().describe("only sessions of this working directory, with their subagents"),
  project: z
    .string()
    .min(1)
    .optional()
    .describe("only sessions whose directory ends in this name or path, with their subagents"),
  machine: z.string().min(1).optional().describe("on a hub: only sessions of this machine"),
  person: z.string().min(1).optional().describe("on a hub: only sessions of this person's machines"),
  since: Moment.optional().describe("start of the period, inclusive; default: 30 days before its end"),
  until: Moment.optional().describe("end of the period, exclusive; default: now"),
  kind: z.array(InsightKind).min(1).optional().describe("only findings of these kinds"),
  limit: z.int().min(0).default(10).describe("maximum number of findings; `findingCount` counts all"),
  examples: z
    .int()
    .min(1)
    .max(1000)
    .default(3)
    .describe("maximum number of sessions of each finding, each with its newest occurrence"),
  minOccurrences: z.int().min(1).default(3).describe("findings with fewer occurrences are left out"),
  minSessions: z.int().min(1).default(2).describe("findings in fewer sessions are left out"),
  timeZone: TimeZone.optional().describe("time zone of hours and weekdays; default: the system's"),
});
export type InsightsOptions = z.input<typeof InsightsOptions>;
export type ParsedInsightsOptions = z.output<typeof InsightsOptions>;
