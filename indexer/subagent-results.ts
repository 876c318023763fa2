import { z } from "zod";
import { type Entry, Usage } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import { splitModelName } from "../src/session/model-name.ts";
import { type LineLocation, parseWithSchema } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { getCost, mapTokens } from "./event-figures.ts";

/** A subagent run that a tool result reports. */
export interface SubagentRun {
  agent: string | null;
  sessionFile: string | null;
  artifact: string | null;
}

/** One element of `toolResult.details.results`, as subagent extensions write it. */
const SubagentResultJson = z.looseObject({
  /** oh-my-pi: the name of the session file, without `.jsonl`. Anything in other extensions. */
  id: z.unknown().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  sessionFile: z.string().optional(),
  messages: z.unknown().optional(),
  artifactPaths: z.looseObject({ jsonlPath: z.string().optional() }).optional(),
  /** oh-my-pi: `provider/model`, and the file with the answer, which is beside the session. */
  resolvedModel: z.string().optional(),
  outputPath: z.string().optional(),
  usage: Usage.optional(),
});
/** The same, normalized. */
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
 * The subagent runs of a tool result, and the problems in them. A run without usage gets the sum of its messages' usage, if
 * these were recorded.
 */
export function extractSubagentResults(
  entry: Entry,
  at: LineLocation,
): { results: SubagentResult[]; problems: Problem[] } {
  const details = entry.type === "message" && entry.message?.role === "toolResult" && entry.message.details;
  const tool =
    entry.type === "message" && entry.message?.role === "toolResult" ? entry.message.toolName : undefined;
  if (!isRecord(details) || !Array.isArray(details.results)) return { results: [], problems: [] };
  const problems: Problem[] = [];
  const results = details.results.flatMap((element: unknown, n): SubagentResult[] => {
    // Other tools have `results` too: only those with an agent are subagent runs.
    if (!isRecord(element) || typeof element.agent !== "string") return [];
    const within = ["message", "details", "results", n];
    const parsed = parseWithSchema(SubagentResultJson, element, at, within);
    problems.push(...parsed.problems);
    const result = normalize(parsed.value, tool);
    if (element.usage !== undefined || !Array.isArray(result.messages)) return [result];
    const summed = messagesUsage(result.messages, at, [...within, "messages"]);
    problems.push(...summed.problems);
    return [{ ...result, usage: summed.usage }];
  });
  return { results, problems };
}

/** Converts oh-my-pi's fields to those of pi's extensions. */
function normalize(
  { usage, resolvedModel, outputPath, ...result }: z.infer<typeof SubagentResultJson>,
  tool: string | undefined,
): SubagentResult {
  const isTask = tool === "task" && typeof result.id === "string" && /^[^/\\\0*]+$/.test(result.id);
  // The resolved name starts with the provider, while in `model`, `anthropic/claude-x` may be another provider's model name.
  const named = splitModelName(resolvedModel ?? result.model);
  return {
    agent: result.agent,
    ...named,
    sessionFile:
      result.sessionFile ?? (outputPath?.endsWith(".md") ? outputPath.replace(/md$/, "jsonl") : undefined),
    messages: result.messages,
    artifactPaths:
      result.artifactPaths ??
      (isTask ? { jsonlPath: `${CALLER_FOLDER_PREFIX}${result.id}.jsonl` } : undefined),
    usage,
  };
}

function messagesUsage(
  messages: readonly unknown[],
  at: LineLocation,
  within: readonly PropertyKey[],
): { usage: Usage | undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const usages = messages.flatMap((message, n): Usage[] => {
    if (!isRecord(message) || message.role !== "assistant" || !isRecord(message.usage)) return [];
    const parsed = parseWithSchema(Usage, message.usage, at, [...within, n, "usage"]);
    problems.push(...parsed.problems);
    return [parsed.value];
  });
  if (usages.length === 0) return { usage: undefined, problems };
  const sum = (of: (usage: Usage) => number | undefined) => {
    const figures = usages.map(of).filter((figure) => figure !== undefined);
    return figures.length > 0 ? figures.reduce((total, figure) => total + figure, 0) : undefined;
  };
  const usage = {
    ...mapTokens((name) => sum((usage) => usage[name])),
    cost: sum(getCost),
  };
  const parsed = parseWithSchema(Usage, usage, at, [...within, "usage"]);
  return { usage: parsed.value, problems: [...problems, ...parsed.problems] };
}

/** A run's `artifact` if its sessions are identified by their folder only: any folder that matches this. */
export const CHILD_FOLDER_PATTERN = "sub-*";

/** The start of a run's `artifact` if it is a file name in the folder with the same name as its caller's file. */
export const CALLER_FOLDER_PREFIX = "*/";

/**
 * The run in a parent's entry by prime-agent, which stands for all its children, because the entry names none. Undefined for
 * other entries.
 */
export function toChildRun(entry: Entry): SubagentRun | undefined {
  if (entry.type !== "child_usage_attributed") return undefined;
  return { agent: null, sessionFile: null, artifact: CHILD_FOLDER_PATTERN };
}

export function toSubagentRun({ agent, sessionFile, artifactPaths }: SubagentResult): SubagentRun {
  return {
    agent: agent ?? null,
    sessionFile: sessionFile ?? null,
    artifact: artifactPaths?.jsonlPath ?? null,
  };
}
