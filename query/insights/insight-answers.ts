/** The result of `insights`, as zod schemas of its JSON form. */
import { z } from "zod";
import { EntryIdJson, IsoTimeJson } from "../answers.ts";
import { FiguresJson } from "../usage/usage-answers.ts";
import { InsightKind } from "./insight-options.ts";

export const PeriodJson = z
  .object({
    since: IsoTimeJson.describe("inclusive"),
    until: IsoTimeJson.describe("exclusive"),
  })
  .meta({ title: "Period" });

/** What a finding lost, or a group of sessions used. */
const loss = {
  costUsd: z.number().describe("US dollars, as recorded by the agents"),
  ms: z.int().describe("milliseconds"),
};

export const InsightExampleJson = z
  .object({
    path: z.string(),
    line: z.int().describe("of the newest occurrence in this session"),
    entryId: EntryIdJson.optional().describe("of that entry"),
    sessionId: z.string(),
    title: z.string().describe("name or first message of the session"),
    occurrences: z.int().describe("in this session"),
  })
  .meta({ title: "Insight example" });
export type InsightExample = z.infer<typeof InsightExampleJson>;

export const FindingJson = z
  .object({
    kind: InsightKind,
    subject: z.string().describe("what recurs: a tool, a command, an error, a model or a project"),
    tool: z.string().optional().describe("the tool, if findings of this kind have one"),
    occurrences: z.int(),
    sessions: z.int().describe("sessions with an occurrence"),
    ...loss,
    of: z.int().optional().describe("failures: calls of the tool with a result; absent for commands"),
    calledAgain: z
      .int()
      .optional()
      .describe("failures: failed calls whose next call in the session is of the same tool"),
    stillFailed: z.int().optional().describe("repeated-calls: repeated calls that failed too"),
    tokensBefore: z.int().optional().describe("compactions: tokens of context before them"),
    tokensAfter: z.int().optional().describe("compactions: tokens sent with the responses after them"),
    repeatedly: z.int().optional().describe("compactions: sessions that were compacted more than once"),
    before: z
      .object({ occurrences: z.int(), sessions: z.int(), ...loss })
      .optional()
      .describe("the same in the period before; absent if it needs entries that were not read"),
    examples: z.array(InsightExampleJson).describe("sessions with the most occurrences first"),
  })
  .meta({ title: "Insight" });
export type Finding = z.infer<typeof FindingJson>;

export const TASKS = ["changes", "commands", "reading", "talk"] as const;

const work = {
  sessions: z.int(),
  responses: z.int(),
  ...loss,
  changes: z.int().describe("accepted changes: calls that changed a file, did not fail and were not undone"),
  costPerChangeUsd: z.number().optional().describe("costUsd divided by changes"),
  msPerChange: z.number().optional().describe("ms divided by changes"),
};

export const ModelWorkJson = z
  .object({
    task: z
      .enum(TASKS)
      .describe("what the sessions did: changed files, ran commands, only read, or only talked"),
    model: z.string().describe("provider/model"),
    ...work,
  })
  .meta({ title: "Model by task" });
export type ModelWork = z.infer<typeof ModelWorkJson>;

export const ProjectWorkJson = z
  .object({ project: z.string().describe("working directory"), ...work, before: z.object(work) })
  .meta({ title: "Work by project" });
export type ProjectWork = z.infer<typeof ProjectWorkJson>;

export const HabitJson = z
  .object({
    name: z.string().describe("00 to 23, or monday to sunday"),
    costUsd: z.number(),
    turns: z.int().describe("messages of users"),
    toolCalls: z.int(),
    toolFailureRate: z.number().optional(),
  })
  .meta({ title: "Habit" });
export type Habit = z.infer<typeof HabitJson>;

const totals = z.object({
  sessions: z.int(),
  ...FiguresJson.shape,
  changes: work.changes,
  undone: z.int().describe("changes that were undone"),
  costPerChangeUsd: work.costPerChangeUsd,
});

export const InsightsJson = z
  .object({
    period: PeriodJson,
    before: PeriodJson.describe("the period before, of the same length"),
    timeZone: z.string(),
    findings: z.array(FindingJson).describe("the ones that lost most money or time first"),
    findingCount: z.int().describe("number of findings before `limit`"),
    models: z.array(ModelWorkJson).describe("the costliest first"),
    projects: z.array(ProjectWorkJson).describe("the costliest first"),
    hours: z.array(HabitJson),
    weekdays: z.array(HabitJson),
    totals: z.object({ now: totals, before: totals }),
    read: z
      .object({
        entries: z.int().describe("entries that were read back from session files"),
        bytes: z.int(),
        omitted: z
          .int()
          .describe("entries beyond the limit, oldest first: repeated errors and edits may be missing"),
        unreadable: z
          .int()
          .describe("entries that could not be read, or have changed since they were indexed"),
      })
      .describe("what was read from the files themselves"),
    unreadFiles: z.int().describe("files with usage that is not counted yet: run `pidex index`"),
  })
  .meta({ title: "Insights" });
export type Insights = z.infer<typeof InsightsJson>;
