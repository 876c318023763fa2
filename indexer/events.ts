import { hash } from "node:crypto";
import { z } from "zod";
import type { Entry, Message, Usage } from "../src/session/entries.ts";
import { type Place, parseBy } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { isRecord } from "../src/session/variant.ts";

/** What one place in a session tells of one act, money in integer nano-dollars. */
export interface SessionEvent {
  /** Tells an act from all others, and is the same in its copies: 64 bits. Null when copies cannot be told. */
  key: bigint | null;
  kind: string;
  /** Which of the entry's subagent runs spent it; null when it is of none, or of all of them. */
  run: number | null;
  agent: string | null;
  tool: string | null;
  stop: string | null;
  provider: string;
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
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
      cost: z.number().min(0).max(1e4).optional(),
    })
    .optional(),
});
type SubagentResult = z.infer<typeof SubagentResult>;

/** What is known of an event before its key. */
interface Act {
  kind: string;
  usage?: Usage | null;
  run?: number;
  agent?: string;
  tool?: string;
  stop?: string;
  provider?: string;
  model?: string;
}

/** What an entry is known by, in whichever file it stands. */
interface EntryIdentity {
  /** Unix milliseconds; null when the entry has no time. */
  time: number | null;
  textHash: number | null;
}

/**
 * Every event an entry tells of, in the order it does so. Figures that are missing go to `problems`, but for those that
 * are there and were left out: `invalid` has the problems that tell so.
 */
export function entryEvents(
  entry: Entry,
  subagents: readonly SubagentResult[],
  { time, textHash }: EntryIdentity,
  at: Place,
  { problems, invalid }: { problems: Problem[]; invalid: readonly Problem[] },
): SessionEvent[] {
  const acts = actsOf(entry, subagents);
  const bad = badFigures(invalid);
  for (const missing of acts.flatMap((act) => missingFigures(act, bad))) {
    problems.push({ code: "missing_figure", ...at, message: missing });
  }
  return acts.map((act, ordinal) => {
    const figures = figuresOf(act.usage);
    const names = {
      kind: short(act.kind),
      run: act.run ?? null,
      agent: act.agent === undefined ? null : short(act.agent),
      tool: act.tool === undefined ? null : short(act.tool),
      stop: act.stop === undefined ? null : short(act.stop),
      provider: short(act.provider ?? ""),
      model: short(act.model ?? ""),
    };
    const event = { ...names, ...figures };
    return { key: keyOf(entry, { time, textHash }, ordinal, event), ...event };
  });
}

function actsOf(entry: Entry, subagents: readonly SubagentResult[]): Act[] {
  switch (entry.type) {
    case "message":
      return entry.message ? messageActs(entry.message, subagents) : [];
    case "compaction":
    case "branch_summary":
    case "session_summary":
      return [{ kind: entry.type, usage: entry.usage }];
    case "usage":
      return [{ ...entry, kind: entry.kind ? `usage:${entry.kind}` : "usage" }];
    default:
      return [];
  }
}

function messageActs(message: Message, subagents: readonly SubagentResult[]): Act[] {
  switch (message.role) {
    case "user":
      return [{ kind: "user" }];
    case "assistant": {
      const { provider, model, responseModel, usage, stopReason: stop } = message;
      return [{ kind: "assistant", provider, model: responseModel ?? model, usage, stop }];
    }
    case "toolResult":
      return toolActs(message.toolName, message.usage, subagents);
    default:
      return [];
  }
}

function toolActs(
  tool: string | undefined,
  sum: Usage | null | undefined,
  subagents: readonly SubagentResult[],
): Act[] {
  if (sum && subagents.length === 0) return [{ kind: "tool", tool, usage: sum }];
  const runs = subagents.map((result) => ({ ...result, usage: runUsage(result) }));
  // Where a tool result tells a sum and its parts they are the same money. The parts are the better account: a
  // run may have a file of its own that tells it again.
  if (sum && !runs.every(({ usage }) => usage?.cost?.total !== undefined)) {
    return [{ kind: "subagent", tool, usage: sum }];
  }
  return runs.flatMap(({ agent, model, usage }, run) =>
    usage ? [{ kind: "subagent", tool, usage, agent, model: model && withoutThinkingLevel(model), run }] : [],
  );
}

/** What a run says it used; else what the messages that were kept of it add up to. */
function runUsage({ usage, messages }: SubagentResult): Usage | undefined {
  if (usage) return { ...usage, cost: { total: usage.cost } };
  if (!Array.isArray(messages)) return undefined;
  const told = messages.flatMap((message: unknown): Usage[] => {
    const { success, data } = AnsweredMessage.safeParse(message);
    return success ? [data.usage] : [];
  });
  return told.length > 0 ? told.reduce(sumOf) : undefined;
}

const AnsweredMessage = z.looseObject({
  role: z.literal("assistant"),
  usage: z.looseObject({
    input: Figure,
    output: Figure,
    cacheRead: Figure,
    cacheWrite: Figure,
    cost: z.looseObject({ total: z.number().min(0).max(1e4).optional() }).optional(),
  }),
});

function sumOf(a: Usage, b: Usage): Usage {
  const sum = (name: "input" | "output" | "cacheRead" | "cacheWrite") => (a[name] ?? 0) + (b[name] ?? 0);
  return {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
    cost: { total: (a.cost?.total ?? 0) + (b.cost?.total ?? 0) },
  };
}

/** `claude-sonnet-4-5:low` is the model `claude-sonnet-4-5`, as the subagent's own file has it. */
function withoutThinkingLevel(model: string): string {
  return model.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, "");
}

/** The figures of an entry that were there, but wrong: `input`, `cost`; `usage` is all of them. */
function badFigures(invalid: readonly Problem[]): Set<string> {
  const names = invalid.flatMap(({ message }) => {
    const [found, figure = "usage"] = /^(?:\S+\.)?usage(?:\.(\w+))?[.:]/.exec(message) ?? [];
    return found === undefined ? [] : [figure];
  });
  return new Set(names);
}

function missingFigures({ kind, usage }: Act, bad: ReadonlySet<string>): string[] {
  if (!usage)
    return kind === "assistant" && !bad.has("usage") ? ["the answer does not say what it used"] : [];
  const { cost } = usage;
  const hasCost = [cost?.total, cost?.input, cost?.output, cost?.cacheRead, cost?.cacheWrite].some(
    (figure) => figure !== undefined,
  );
  const missing = [
    ...(usage.input === undefined ? ["input"] : []),
    ...(usage.output === undefined ? ["output"] : []),
    ...(hasCost ? [] : ["cost"]),
  ].filter((figure) => !bad.has(figure));
  return missing.length > 0 ? [`usage without ${missing.join(", ")}`] : [];
}

type Figures = Pick<
  SessionEvent,
  "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite1h" | "reasoning" | "cost" | "providerCost"
>;

function figuresOf(usage: Usage | null | undefined): Figures {
  const cost = usage?.cost;
  const parts = (cost?.input ?? 0) + (cost?.output ?? 0) + (cost?.cacheRead ?? 0) + (cost?.cacheWrite ?? 0);
  const total = cost?.total ?? parts;
  const { totalFromProvider: fromProvider } = cost ?? {};
  const providers = fromProvider === true ? total : fromProvider || undefined;
  return {
    input: Math.round(usage?.input ?? 0),
    output: Math.round(usage?.output ?? 0),
    cacheRead: Math.round(usage?.cacheRead ?? 0),
    cacheWrite: Math.round(usage?.cacheWrite ?? 0),
    cacheWrite1h: Math.round(usage?.cacheWrite1h ?? 0),
    reasoning: Math.round(usage?.reasoning ?? 0),
    cost: nanoDollars(total),
    providerCost: providers === undefined ? null : nanoDollars(providers),
  };
}

function nanoDollars(dollars: number): number {
  return Math.round(dollars * 1e9);
}

/** Whether an event tells of tokens or money. */
export function isBilled({ input, output, cacheRead, cacheWrite, cost }: Figures): boolean {
  return input + output + cacheRead + cacheWrite + cost > 0;
}

/**
 * What copies of an act have in common: a fork copies entries with ids and times. Ids of 8 digits collide between
 * strangers, but not in the same millisecond with the same model and figures. The text tells apart only what has
 * no figures: a secret taken out of one copy must not make two acts of one. Without a time nothing tells
 * strangers apart.
 */
function keyOf(
  entry: Entry,
  { time, textHash }: EntryIdentity,
  ordinal: number,
  event: Omit<SessionEvent, "key">,
): bigint | null {
  if (time === null) return null;
  const { kind, run, agent, provider, model, input, output, cacheRead, cacheWrite, cost } = event;
  const figures = isBilled(event) ? [input, output, cacheRead, cacheWrite, cost] : [textHash];
  const identity = [entry.id ?? null, time, ordinal, kind, run, agent, provider, model, ...figures];
  return hash("sha1", JSON.stringify(identity), "buffer").readBigInt64BE(0);
}

/** Names go into keys and tables of sums: what no program would call itself is cut. */
function short(name: string): string {
  return name.slice(0, 200).toWellFormed();
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
