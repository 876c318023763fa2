import { z } from "zod";
import { Dollars, type Entry, Tokens, Usage } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import { type Place, parseBy } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { costOf } from "./event-figures.ts";

/** A subagent run that a tool result tells of. */
export interface SubagentRun {
  agent: string | null;
  sessionFile: string | null;
  artifact: string | null;
}

/** Here `cost` is a number. */
const RunUsage = z.looseObject({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  cost: Dollars,
});
type RunUsage = z.infer<typeof RunUsage>;

/** One element of `toolResult.details.results`, as subagent extensions write it. */
const SubagentResult = z.looseObject({
  agent: z.string().optional(),
  model: z.string().optional(),
  sessionFile: z.string().optional(),
  messages: z.unknown().optional(),
  artifactPaths: z.looseObject({ jsonlPath: z.string().optional() }).optional(),
  usage: RunUsage.optional(),
});
export type SubagentResult = z.infer<typeof SubagentResult>;

/**
 * The subagent runs of a tool result, and what was wrong with them. A run that does not say what it used has the sum of
 * what its messages say, where these were kept.
 */
export function subagentResults(entry: Entry, at: Place): { results: SubagentResult[]; problems: Problem[] } {
  const details = entry.type === "message" && entry.message?.role === "toolResult" && entry.message.details;
  if (!isRecord(details) || !Array.isArray(details.results)) return { results: [], problems: [] };
  const problems: Problem[] = [];
  const results = details.results.flatMap((told: unknown, n): SubagentResult[] => {
    // Other tools have `results` of their own: only what names an agent is a subagent's.
    if (!isRecord(told) || typeof told.agent !== "string") return [];
    const within = ["message", "details", "results", n];
    const parsed = parseBy(SubagentResult, told, at, within);
    problems.push(...parsed.problems);
    const { value: result } = parsed;
    if (told.usage !== undefined || !Array.isArray(result.messages)) return [result];
    const summed = messagesUsage(result.messages, at, [...within, "messages"]);
    problems.push(...summed.problems);
    return [{ ...result, usage: summed.usage }];
  });
  return { results, problems };
}

function messagesUsage(
  messages: readonly unknown[],
  at: Place,
  within: readonly PropertyKey[],
): { usage: RunUsage | undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const told = messages.flatMap((message, n): Usage[] => {
    if (!isRecord(message) || message.role !== "assistant" || !isRecord(message.usage)) return [];
    const parsed = parseBy(Usage, message.usage, at, [...within, n, "usage"]);
    problems.push(...parsed.problems);
    return [parsed.value];
  });
  if (told.length === 0) return { usage: undefined, problems };
  const sum = (of: (usage: Usage) => number | undefined) => {
    const figures = told.map(of).filter((figure) => figure !== undefined);
    return figures.length > 0 ? figures.reduce((total, figure) => total + figure, 0) : undefined;
  };
  const usage = {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite }) => cacheWrite),
    cost: sum(costOf),
  };
  const parsed = parseBy(RunUsage, usage, at, [...within, "usage"]);
  return { usage: parsed.value, problems: [...problems, ...parsed.problems] };
}

export function subagentRun({ agent, sessionFile, artifactPaths }: SubagentResult): SubagentRun {
  return {
    agent: agent ?? null,
    sessionFile: sessionFile ?? null,
    artifact: artifactPaths?.jsonlPath ?? null,
  };
}
