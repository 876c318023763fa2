import { z } from "zod";
import type { Entry, Message, Usage } from "../src/session/entries.ts";
import { type Place, parseBy } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { isRecord } from "../src/session/variant.ts";

/** Which kind of place in a session recorded the spending. */
type UsageSource = "assistant" | "tool" | "subagent" | "compaction" | "branch_summary" | "summary" | "other";

/** What one place in a session says was spent, money in integer nano-dollars. */
export interface UsageRow {
  source: UsageSource;
  /** Which of the entry's subagent runs spent it; null when it is of none, or of all of them. */
  run: number | null;
  agent: string | null;
  provider: string | null;
  model: string | null;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  cost: number;
  providerCost: number | null;
}

/** A subagent run that a tool result tells of. */
export interface SubagentRun {
  agent: string | null;
  sessionFile: string | null;
  artifact: string | null;
}

const Figure = z.number().min(0).max(1e12).optional();

/** One element of `toolResult.details.results`, as subagent extensions write it; here `cost` is a number. */
const SubagentResult = z.looseObject({
  agent: z.string().optional(),
  model: z.string().optional(),
  sessionFile: z.string().optional(),
  messages: z.unknown().optional(),
  artifactPaths: z.looseObject({ jsonlPath: z.string().optional() }).optional(),
  usage: z
    .looseObject({
      input: Figure,
      output: Figure,
      cacheRead: Figure,
      cacheWrite: Figure,
      cost: z.number().min(0).max(1e6).optional(),
    })
    .optional(),
});
type SubagentResult = z.infer<typeof SubagentResult>;

/** Everything an entry says was spent, in the order it says so. */
export function usageRows(entry: Entry, subagents: readonly SubagentResult[]): UsageRow[] {
  switch (entry.type) {
    case "message":
      return entry.message ? messageUsage(entry.message, subagents) : [];
    case "compaction":
    case "branch_summary":
      return rowOf(entry.type, entry.usage);
    case "session_summary":
      return rowOf("summary", entry.usage);
    case "usage":
      return rowOf("other", entry.usage, { provider: entry.provider, model: entry.model });
    default:
      return [];
  }
}

function messageUsage(message: Message, subagents: readonly SubagentResult[]): UsageRow[] {
  if (message.role === "assistant")
    return rowOf("assistant", message.usage, { provider: message.provider, model: message.model });
  if (message.role !== "toolResult") return [];
  // Where a tool result tells a sum and its parts they are the same money. The parts are the better account: a
  // run may have a file of its own that tells it again.
  const sum = message.usage;
  if (sum && subagents.length === 0) return rowOf("tool", sum);
  if (sum && !subagents.every(({ usage }) => usage?.cost !== undefined)) return rowOf("subagent", sum);
  return subagents.flatMap(({ agent, model, usage }, run) =>
    rowOf("subagent", usage && { ...usage, cost: { total: usage.cost } }, { model, agent, run }),
  );
}

function rowOf(
  source: UsageSource,
  usage: Usage | null | undefined,
  by: { provider?: string; model?: string; agent?: string; run?: number } = {},
): UsageRow[] {
  if (!usage) return [];
  const { cost } = usage;
  const parts = (cost?.input ?? 0) + (cost?.output ?? 0) + (cost?.cacheRead ?? 0) + (cost?.cacheWrite ?? 0);
  return [
    {
      source,
      run: by.run ?? null,
      agent: by.agent ?? null,
      provider: by.provider ?? null,
      model: by.model ?? null,
      input: Math.round(usage.input ?? 0),
      output: Math.round(usage.output ?? 0),
      cacheRead: Math.round(usage.cacheRead ?? 0),
      cacheWrite: Math.round(usage.cacheWrite ?? 0),
      reasoning: Math.round(usage.reasoning ?? 0),
      cost: nanoDollars(cost?.total ?? parts),
      providerCost: cost?.totalFromProvider === undefined ? null : nanoDollars(cost.totalFromProvider),
    },
  ];
}

function nanoDollars(dollars: number): number {
  return Math.round(dollars * 1e9);
}

/** The subagent runs of a tool result, and what was wrong with them. */
export function subagentResults(entry: Entry, at: Place): { results: SubagentResult[]; problems: Problem[] } {
  const details = entry.type === "message" && entry.message?.role === "toolResult" && entry.message.details;
  if (!isRecord(details) || !Array.isArray(details.results)) return { results: [], problems: [] };
  const parsed = details.results.flatMap((value: unknown, n) =>
    // Other tools have `results` of their own: only what names an agent is a subagent's.
    isRecord(value) && typeof value.agent === "string"
      ? [parseBy(SubagentResult, value, at, ["message", "details", "results", n])]
      : [],
  );
  return {
    results: parsed.map(({ value }) => value),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

export function subagentRun({ agent, sessionFile, artifactPaths }: SubagentResult): SubagentRun {
  return {
    agent: agent ?? null,
    sessionFile: sessionFile ?? null,
    artifact: artifactPaths?.jsonlPath ?? null,
  };
}
