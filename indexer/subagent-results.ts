import { z } from "zod";
import { type Entry, Usage } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import { splitModelName } from "../src/session/model-name.ts";
import { type Place, parseBy } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { costOf } from "./event-figures.ts";

/** A subagent run that a tool result tells of. */
export interface SubagentRun {
  agent: string | null;
  sessionFile: string | null;
  artifact: string | null;
}

/** One element of `toolResult.details.results`, as subagent extensions write it. */
const SubagentResultJson = z.looseObject({
  /** oh-my-pi: the name of the session's file, without `.jsonl`. Other extensions may have anything there. */
  id: z.unknown().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  sessionFile: z.string().optional(),
  messages: z.unknown().optional(),
  artifactPaths: z.looseObject({ jsonlPath: z.string().optional() }).optional(),
  /** oh-my-pi: `provider/model`, and the file with the answer, beside which the session lies. */
  resolvedModel: z.string().optional(),
  outputPath: z.string().optional(),
  usage: Usage.optional(),
});
/** The same as pidex goes on with it. */
export interface SubagentResult {
  agent?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  sessionFile?: string | undefined;
  messages?: unknown;
  artifactPaths?: { jsonlPath?: string | undefined } | undefined;
  usage?: Usage | undefined;
}

/**
 * The subagent runs of a tool result, and what was wrong with them. A run that does not say what it used has the sum of
 * what its messages say, where these were kept.
 */
export function subagentResults(entry: Entry, at: Place): { results: SubagentResult[]; problems: Problem[] } {
  const details = entry.type === "message" && entry.message?.role === "toolResult" && entry.message.details;
  const tool =
    entry.type === "message" && entry.message?.role === "toolResult" ? entry.message.toolName : undefined;
  if (!isRecord(details) || !Array.isArray(details.results)) return { results: [], problems: [] };
  const problems: Problem[] = [];
  const results = details.results.flatMap((told: unknown, n): SubagentResult[] => {
    // Other tools have `results` of their own: only what names an agent is a subagent's.
    if (!isRecord(told) || typeof told.agent !== "string") return [];
    const within = ["message", "details", "results", n];
    const parsed = parseBy(SubagentResultJson, told, at, within);
    problems.push(...parsed.problems);
    const result = asPiHasIt(parsed.value, tool);
    if (told.usage !== undefined || !Array.isArray(result.messages)) return [result];
    const summed = messagesUsage(result.messages, at, [...within, "messages"]);
    problems.push(...summed.problems);
    return [{ ...result, usage: summed.usage }];
  });
  return { results, problems };
}

/** A result as pi's extensions write it: oh-my-pi's own fields under their names. */
function asPiHasIt(
  { usage, resolvedModel, outputPath, ...result }: z.infer<typeof SubagentResultJson>,
  tool: string | undefined,
): SubagentResult {
  const isTask = tool === "task" && typeof result.id === "string" && /^[^/\\\0*]+$/.test(result.id);
  // The resolved name says which provider it was: `anthropic/claude-x` may be a model's own name at another one.
  const named = splitModelName(resolvedModel ?? result.model);
  return {
    agent: result.agent,
    ...named,
    sessionFile:
      result.sessionFile ?? (outputPath?.endsWith(".md") ? outputPath.replace(/md$/, "jsonl") : undefined),
    messages: result.messages,
    artifactPaths:
      result.artifactPaths ?? (isTask ? { jsonlPath: `${CALLER_FOLDER}${result.id}.jsonl` } : undefined),
    usage,
  };
}

function messagesUsage(
  messages: readonly unknown[],
  at: Place,
  within: readonly PropertyKey[],
): { usage: Usage | undefined; problems: Problem[] } {
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
  const parsed = parseBy(Usage, usage, at, [...within, "usage"]);
  return { usage: parsed.value, problems: [...problems, ...parsed.problems] };
}

/** What a run's `artifact` is where its sessions are known by their folder alone: any folder of this name in it. */
export const CHILD_FOLDERS = "sub-*";

/** What a run's `artifact` begins with where it is the name of a file in the folder that is named like its caller's file. */
export const CALLER_FOLDER = "*/";

/**
 * The run of which a parent's entry of prime-agent's tells: all its children together, since the entry names none.
 * Undefined for other entries.
 */
export function childRun(entry: Entry): SubagentRun | undefined {
  if (entry.type !== "child_usage_attributed") return undefined;
  return { agent: null, sessionFile: null, artifact: CHILD_FOLDERS };
}

export function subagentRun({ agent, sessionFile, artifactPaths }: SubagentResult): SubagentRun {
  return {
    agent: agent ?? null,
    sessionFile: sessionFile ?? null,
    artifact: artifactPaths?.jsonlPath ?? null,
  };
}
