/** Results of the usage queries, as zod schemas of their JSON form: see `../answers.ts`. */
import { z } from "zod";
import {
  CountJson,
  EntryIdJson,
  HitLocationJson,
  IsoTimeJson,
  type SessionInfo,
  SessionInfoJson,
} from "../answers.ts";
import { WEEKDAYS } from "../weekdays.ts";
import { BUDGET_PERIODS } from "./parse-budget.ts";
import { UsageDimension } from "./usage-options.ts";

export const UsageTokensJson = z
  .object({
    input: z.int().describe("not counting the cache"),
    output: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    cacheWrite1h: z.int().describe("the part of `cacheWrite` that is cached for an hour"),
    reasoning: z.int().describe("the part of `output` that is reasoning"),
    total: z.int().describe("sum of input, output, cacheRead and cacheWrite"),
  })
  .meta({ title: "Tokens" });

const figures = {
  costUsd: z.number().describe("US dollars, as recorded by the agents"),
  costNanoUsd: z.int().describe("the same in billionths of a dollar, exact"),
  estimatedUsd: z
    .number()
    .optional()
    .describe(
      "with `estimates`: what the events without a recorded cost would have cost by published prices; not a part of costUsd",
    ),
  unpricedTokens: z
    .int()
    .optional()
    .describe("with `estimates`: tokens of events without a recorded cost whose model has no known price"),
  providerCostUsd: z
    .number()
    .describe(
      "cost as reported by providers (`totalFromProvider`), if they did: for comparison, not a part of costUsd",
    ),
  events: z.int().describe("billed events: those with tokens or a cost"),
  tokens: UsageTokensJson,
  cacheHitRate: z
    .number()
    .optional()
    .describe("share of cacheRead in input + cacheRead + cacheWrite; 0 to 1"),
  messages: z.int().describe("model responses"),
  costPerMessageUsd: z.number().optional().describe("costUsd divided by messages"),
  turns: z
    .int()
    .optional()
    .describe("messages of users; absent in breakdowns that don't apply to them, such as by model"),
  toolCalls: z.int(),
  answeredToolCalls: z.int().describe("calls with a result"),
  failedToolCalls: z.int(),
  toolFailureRate: z.number().optional().describe("share of failed calls in calls with a result; 0 to 1"),
  compactions: z.int(),
  modelMs: z.int().describe("milliseconds waiting for models, from message to response"),
  userMs: z.int().describe("milliseconds waiting for users"),
  toolMs: z
    .int()
    .describe(
      "milliseconds that calls took, as recorded, else from calls to their results; concurrent calls and calls made by scripts count separately",
    ),
};

export const FiguresJson = z.object(figures).meta({ title: "Figures" });

/** The fields that identify a session to a user. */
export const SessionNameJson = SessionInfoJson.pick({
  path: true,
  id: true,
  cwd: true,
  name: true,
  firstMessage: true,
  computedTitle: true,
}).meta({ title: "Session name" });
export type SessionName = z.infer<typeof SessionNameJson>;

export const UsageRowJson = z
  .object({
    key: z
      .partialRecord(UsageDimension, z.string().nullable())
      .describe("value of each dimension; null if nothing was recorded"),
    session: SessionNameJson.optional().describe("by session: that session"),
    ...figures,
    runningCostUsd: z.number().optional().describe("by period: cost of this and all earlier periods"),
  })
  .meta({ title: "Usage row" });

export const UsageGroupJson = z
  .object({
    key: z.partialRecord(UsageDimension, z.string().nullable()).describe("value of the first dimension"),
    session: SessionNameJson.optional().describe("by session: that session"),
    rowCount: z.int().describe("number of rows of the group, including those in `others`"),
    ...figures,
    others: FiguresJson.optional().describe("rows of the group omitted by `limit`"),
  })
  .meta({ title: "Usage group" });

export const BudgetStatusJson = z
  .object({
    amountUsd: z.number(),
    per: z.enum(BUDGET_PERIODS),
    project: z.string().optional().describe("only sessions of this project count"),
    from: IsoTimeJson.describe("start of the current period"),
    until: IsoTimeJson.describe("end of the current period"),
    spentUsd: z.number().describe("spent in the period so far; with `estimates`, including estimatedUsd"),
    estimatedUsd: z.number().optional().describe("with `estimates`: the part of spentUsd that is estimated"),
    share: z.number().describe("spentUsd divided by amountUsd; 1 is all of it"),
    projectedUsd: z.number().describe("spending at the end of the period at the current average rate"),
    exhausted: IsoTimeJson.optional().describe(
      "when the budget was or will be used up at that rate; absent if it won't be in this period",
    ),
  })
  .meta({ title: "Budget" });

export const AmountJson = z
  .object({
    costUsd: z.number().describe("US dollars, as recorded by the agents"),
    estimatedUsd: z.number().optional().describe("with `estimates`: see Figures"),
  })
  .meta({ title: "Amount" });

export const SpendingJson = z
  .object({
    time: IsoTimeJson.describe("the time whose periods are summed up"),
    timeZone: z.string(),
    today: AmountJson,
    week: AmountJson.describe("this week"),
    month: AmountJson.describe("this month"),
    session: AmountJson.extend({ path: z.string() })
      .optional()
      .describe("the requested session, with its subagents; absent if there is none"),
    budgets: z.array(BudgetStatusJson),
    unreadFiles: z.int().describe("see Usage"),
  })
  .meta({ title: "Spending" });

export const UnpricedModelJson = z
  .object({
    model: z.string().nullable().describe("provider/model; null if none was recorded"),
    tokens: z.int().describe("its tokens in events without a recorded cost"),
  })
  .meta({ title: "Model without a price" });

export const UsageJson = z
  .object({
    by: z.array(UsageDimension),
    timeZone: z.string(),
    weekStart: z.enum(WEEKDAYS),
    rows: z.array(UsageRowJson),
    rowCount: z.int().describe("number of rows, including those summed up in `others`"),
    others: FiguresJson.optional().describe("sum of the rows omitted by `limit`"),
    groups: z
      .array(UsageGroupJson)
      .optional()
      .describe(
        "by two dimensions: sums by the first one, including rows omitted by `limit`; only groups with a row in `rows`",
      ),
    otherGroups: z
      .object({
        groupCount: z.int().describe("number of groups"),
        rowCount: z.int().describe("number of their rows"),
        ...figures,
      })
      .optional()
      .describe("by two dimensions: sum of the groups without a row in `rows`"),
    total: FiguresJson.describe("sum of all rows"),
    budget: BudgetStatusJson.optional(),
    unpricedModels: z
      .array(UnpricedModelJson)
      .optional()
      .describe("with `estimates`: the models of `unpricedTokens`, most tokens first"),
    unreadFiles: z
      .int()
      .describe(
        "number of files that this version of pidex has not fully indexed yet; their cost is not included",
      ),
  })
  .meta({ title: "Usage" });

export const SessionFiguresJson = z
  .object({ session: SessionInfoJson, figures: FiguresJson })
  .meta({ title: "Session figures" });

export const SessionUsageJson = z
  .object({
    session: SessionInfoJson,
    own: FiguresJson.describe("its own usage"),
    subagents: z
      .array(SessionFiguresJson)
      .describe("its subagents' sessions and their usage; subagents without a session are in `own`"),
    inherited: FiguresJson.describe("usage of earlier sessions that it has copies of"),
    inheritedFrom: z.array(z.object({ session: SessionInfoJson, costUsd: z.number(), costNanoUsd: z.int() })),
    forks: z
      .array(SessionFiguresJson)
      .describe("sessions forked from it, directly or indirectly, with their subagents"),
    withSubagents: FiguresJson.describe("sum of own and subagents"),
    withChildren: FiguresJson.describe("sum of own, subagents and forks"),
    byModel: z.array(UsageRowJson).describe("own and subagents, by model"),
    byKind: z.array(UsageRowJson),
    byTool: z.array(UsageRowJson),
    byBranch: z.array(UsageRowJson),
    stopReasons: z.array(CountJson),
    unreadFiles: z.int().describe("see Usage"),
  })
  .meta({ title: "Spend" });

export const UsageEventJson = z
  .object({
    path: z.string().describe("the session file"),
    line: z.int().describe("line number in it, from 1"),
    byteOffset: z.int(),
    sessionId: z.string(),
    entryId: EntryIdJson,
    time: IsoTimeJson.optional(),
    kind: z.string().describe("`subagent` for all usage of subagents, also in their own sessions"),
    billed: z.boolean().describe("whether it has tokens or a cost: `events` in figures counts those"),
    provider: z.string().optional(),
    model: z.string().optional(),
    agent: z.string().optional(),
    tool: z.string().optional().describe("the tool that caused it or started the subagent"),
    stop: z.string().optional().describe("stop reason of a model response"),
    onCurrentBranch: z.boolean(),
    tokens: UsageTokensJson,
    costUsd: z.number(),
    costNanoUsd: z.int(),
    providerCostUsd: z.number().optional(),
    toolCalls: z.int().describe("tool calls of a model response"),
    failedToolCalls: z.int(),
    alsoIn: z
      .array(HitLocationJson.pick({ path: true, line: true }))
      .describe("other occurrences of the event, which don't count"),
  })
  .meta({ title: "Usage event" });

/** Numbers of tokens. */
export type UsageTokens = z.infer<typeof UsageTokensJson>;
/** Token usage, cost and activity, added up. */
export type Figures = z.infer<typeof FiguresJson>;
export type BudgetStatus = z.infer<typeof BudgetStatusJson>;
export type Spending = z.infer<typeof SpendingJson>;
export type UsageRow = z.infer<typeof UsageRowJson>;
export type UsageGroup = z.infer<typeof UsageGroupJson>;
export type UsageReport = z.infer<typeof UsageJson>;
/** A billable event at the occurrence that counts. */
export type UsageEvent = z.infer<typeof UsageEventJson>;
export interface SessionFigures {
  session: SessionInfo;
  figures: Figures;
}
export type SessionUsage = Omit<
  z.infer<typeof SessionUsageJson>,
  "session" | "subagents" | "inheritedFrom" | "forks"
> & {
  session: SessionInfo;
  subagents: SessionFigures[];
  inheritedFrom: { session: SessionInfo; costUsd: number; costNanoUsd: number }[];
  forks: SessionFigures[];
};
