import { hash } from "node:crypto";
import type { Entry, Message, Usage } from "../src/session/entries.ts";
import type { Place } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import {
  badFigures,
  costOf,
  type EventFigures,
  figuresOf,
  isBilled,
  missingFigures,
} from "./event-figures.ts";
import type { SubagentResult } from "./subagent-results.ts";

/** What one place in a session tells of one act. */
export interface SessionEvent extends EventFigures {
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
}

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
  for (const missing of acts.flatMap(({ kind, usage }) => missingFigures(usage, bad, kind === "assistant"))) {
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
  const runs = subagents.map(({ usage, ...run }) => ({
    ...run,
    usage: usage && { ...usage, cost: { total: usage.cost } },
  }));
  // Where a tool result tells a sum and its parts they are the same money. The parts are the better account, since a
  // run may have a file of its own that tells it again: unless they leave out what the sum has.
  const isWhole = runs.every(({ usage }) => usage?.cost.total !== undefined);
  const isFree = runs.every(({ usage }) => !usage?.cost.total);
  if (sum && (!isWhole || (isFree && costOf(sum)))) return [{ kind: "subagent", tool, usage: sum }];
  return runs.flatMap(({ agent, model, usage }, run) =>
    usage ? [{ kind: "subagent", tool, usage, agent, model: model && withoutThinkingLevel(model), run }] : [],
  );
}

/** `claude-sonnet-4-5:low` is the model `claude-sonnet-4-5`, as the subagent's own file has it. */
function withoutThinkingLevel(model: string): string {
  return model.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, "");
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
