/** What is answered of usage, as zod schemas of its JSON form: see `../answers.ts`. */
import { z } from "zod";
import { CountJson, EntryIdJson, HitPlaceJson, type SessionInfo, SessionInfoJson, Time } from "../answers.ts";
import { BUDGET_PERIODS, UsageDimension, WEEKDAYS } from "./usage-options.ts";

export const UsageTokensJson = z
  .object({
    input: z.int().describe("neither from nor to the cache"),
    output: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    cacheWrite1h: z.int().describe("those of `cacheWrite` that are kept for an hour"),
    reasoning: z.int().describe("those of `output` that were thought"),
    total: z.int().describe("input, output, cacheRead and cacheWrite"),
  })
  .meta({ title: "Tokens" });

const figures = {
  costUsd: z.number().describe("US dollars as the agents recorded them"),
  costNanoUsd: z.int().describe("the same in billionths of a dollar, exact"),
  providerCostUsd: z
    .number()
    .describe("what providers themselves reported (`totalFromProvider`), where they did: compare, don't add"),
  events: z.int().describe("acts that tell tokens or money"),
  tokens: UsageTokensJson,
  cacheHitRate: z
    .number()
    .optional()
    .describe("cacheRead of all that went in: input, cacheRead and cacheWrite; 0 to 1"),
  messages: z.int().describe("answers of models"),
  costPerMessageUsd: z.number().optional().describe("costUsd by messages"),
  turns: z
    .int()
    .optional()
    .describe("messages of people; absent in a breakdown that does not apply to them, by model for example"),
  toolCalls: z.int(),
  answeredToolCalls: z.int().describe("calls that have a result"),
  failedToolCalls: z.int(),
  toolFailureRate: z.number().optional().describe("failed of those calls that have a result; 0 to 1"),
  compactions: z.int(),
  modelMs: z.int().describe("milliseconds in which models were waited for, message to answer"),
  userMs: z.int().describe("milliseconds in which people were waited for"),
  toolMs: z
    .int()
    .describe(
      "milliseconds that calls took, as the session file says, else from calls to their results; calls at the same time, and those of scripts, each on its own",
    ),
};

export const FiguresJson = z.object(figures).meta({ title: "Figures" });

/** A session as one knows it again: a list of thousands stays light. */
export const SessionNameJson = SessionInfoJson.pick({
  path: true,
  id: true,
  cwd: true,
  name: true,
  firstMessage: true,
}).meta({ title: "Session name" });
export type SessionName = z.infer<typeof SessionNameJson>;

export const UsageRowJson = z
  .object({
    key: z
      .partialRecord(UsageDimension, z.string().nullable())
      .describe("what the row is of, by dimension; null where nothing is recorded"),
    session: SessionNameJson.optional().describe("by session: that session"),
    ...figures,
    runningCostUsd: z.number().optional().describe("by period: this and all before"),
  })
  .meta({ title: "Usage row" });

export const UsageGroupJson = z
  .object({
    key: z.partialRecord(UsageDimension, z.string().nullable()).describe("the value of the first dimension"),
    session: SessionNameJson.optional().describe("by session: that session"),
    rowCount: z.int().describe("rows of the group, those in its `others` included"),
    ...figures,
    others: FiguresJson.optional().describe("rows of the group that `limit` left out"),
  })
  .meta({ title: "Usage group" });

export const BudgetJson = z
  .object({
    amountUsd: z.number(),
    per: z.enum(BUDGET_PERIODS),
    from: Time.describe("begin of the period that is now"),
    until: Time.describe("its end"),
    spentUsd: z.number().describe("in it, so far"),
    share: z.number().describe("spentUsd of amountUsd; 1 is all of it"),
    projectedUsd: z.number().describe("at its end, if it goes on as in this period so far"),
    exhausted: Time.optional().describe(
      "when it was used up, or will be if it goes on so; absent if it will not",
    ),
  })
  .meta({ title: "Budget" });

export const UsageJson = z
  .object({
    by: z.array(UsageDimension),
    timeZone: z.string(),
    weekStart: z.enum(WEEKDAYS),
    rows: z.array(UsageRowJson),
    rowCount: z.int().describe("rows there are, those summed up in `others` included"),
    others: FiguresJson.optional().describe("all rows that `limit` left out"),
    groups: z
      .array(UsageGroupJson)
      .optional()
      .describe(
        "by two dimensions: the sums by the first alone, of all rows whatever `limit` is; only groups that have one in `rows`",
      ),
    otherGroups: z
      .object({
        groupCount: z.int().describe("how many groups"),
        rowCount: z.int().describe("rows of them"),
        ...figures,
      })
      .optional()
      .describe("by two dimensions: the groups of which `limit` left out all rows"),
    total: FiguresJson.describe("all of it"),
    budget: BudgetJson.optional(),
    unreadFiles: z
      .int()
      .describe(
        "files that this version of pidex has not indexed completely yet: their cost is not included",
      ),
  })
  .meta({ title: "Usage" });

export const SessionFiguresJson = z
  .object({ session: SessionInfoJson, figures: FiguresJson })
  .meta({ title: "Session figures" });

export const SpendJson = z
  .object({
    session: SessionInfoJson,
    own: FiguresJson.describe("what it spent itself"),
    subagents: z
      .array(SessionFiguresJson)
      .describe(
        "the sessions of its subagents, and what they spent: what it tells itself of others is in `own`",
      ),
    inherited: FiguresJson.describe("what it holds copies of, and an earlier session spent"),
    inheritedFrom: z.array(z.object({ session: SessionInfoJson, costUsd: z.number(), costNanoUsd: z.int() })),
    forks: z
      .array(SessionFiguresJson)
      .describe("sessions forked from it, and from these, with their subagents"),
    withSubagents: FiguresJson.describe("own and subagents"),
    withChildren: FiguresJson.describe("own, subagents and forks"),
    byModel: z.array(UsageRowJson).describe("own and subagents, by model"),
    byKind: z.array(UsageRowJson),
    byTool: z.array(UsageRowJson),
    byBranch: z.array(UsageRowJson),
    stopReasons: z.array(CountJson),
    unreadFiles: z.int().describe("see Usage"),
  })
  .meta({ title: "Spend" });

/** One act that adds up, at the place where it counts. */
export const UsageEventJson = z
  .object({
    path: z.string().describe("the session file"),
    line: z.int().describe("line number in it, from 1"),
    byteOffset: z.int(),
    sessionId: z.string(),
    entryId: EntryIdJson,
    time: Time.optional(),
    kind: z.string().describe("what a subagent spent is of kind `subagent`, also in its own session"),
    billed: z.boolean().describe("whether it tells tokens or money: those are the `events` of figures"),
    provider: z.string().optional(),
    model: z.string().optional(),
    agent: z.string().optional(),
    tool: z.string().optional().describe("the tool whose result tells it, or that started the subagent"),
    stop: z.string().optional().describe("why the answer ended"),
    onCurrentBranch: z.boolean(),
    tokens: UsageTokensJson,
    costUsd: z.number(),
    costNanoUsd: z.int(),
    providerCostUsd: z.number().optional(),
    toolCalls: z.int().describe("calls the answer makes"),
    failedToolCalls: z.int(),
    alsoIn: z
      .array(HitPlaceJson.pick({ path: true, line: true }))
      .describe("other places that tell of it, and do not count"),
  })
  .meta({ title: "Usage event" });

export type Figures = z.infer<typeof FiguresJson>;
export type Budgeted = z.infer<typeof BudgetJson>;
export type UsageRow = z.infer<typeof UsageRowJson>;
export type UsageGroup = z.infer<typeof UsageGroupJson>;
export type UsageReport = Omit<z.infer<typeof UsageJson>, "rows"> & { rows: UsageRow[] };
export type UsageEvent = z.infer<typeof UsageEventJson>;
export interface SessionFigures {
  session: SessionInfo;
  figures: Figures;
}
export type Spend = Omit<
  z.infer<typeof SpendJson>,
  "session" | "subagents" | "inheritedFrom" | "forks" | "byModel" | "byKind" | "byTool" | "byBranch"
> & {
  session: SessionInfo;
  subagents: SessionFigures[];
  inheritedFrom: { session: SessionInfo; costUsd: number; costNanoUsd: number }[];
  forks: SessionFigures[];
  byModel: UsageRow[];
  byKind: UsageRow[];
  byTool: UsageRow[];
  byBranch: UsageRow[];
};
