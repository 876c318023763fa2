import { hash } from "node:crypto";
import type { Entry, EntryId, Message, Usage } from "../src/session/entries.ts";
import { splitModelName } from "../src/session/model-name.ts";
import type { Place } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import {
  badFigures,
  costOf,
  type EventFigures,
  figuresOf,
  isAtLeast,
  isBilled,
  missingFigures,
  usageLess,
} from "./event-figures.ts";
import type { SubagentResult } from "./subagent-results.ts";

/** What one place in a session tells of one act. */
export interface SessionEvent extends EventFigures {
  /**
   * The same in all copies of an act, and in other acts only if they are of the same time, model and figures: 64 bits.
   * Null when copies cannot be told.
   */
  key: bigint | null;
  kind: string;
  /** Which of the entry's subagent runs spent it; null when it is of none, or of all that have no event of their own. */
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
  /** Its id; of version 1 the one that is made of its line. Null when it has none. */
  id: EntryId | null;
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
  identity: EntryIdentity,
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
    const { provider = "", model = "" } = splitModelName(act.model, act.provider);
    const names = {
      kind: short(act.kind),
      run: act.run ?? null,
      agent: act.agent === undefined ? null : short(act.agent),
      tool: act.tool === undefined ? null : short(act.tool),
      stop: act.stop === undefined ? null : short(act.stop),
      provider: short(provider),
      model: short(model),
    };
    const event = { ...names, ...figures };
    return { key: keyOf(identity, ordinal, event), ...event };
  });
}

/** What an earlier answer of the same file used itself. */
export interface OwnFigures {
  targetId: EntryId;
  figures: EventFigures;
}

/**
 * What the answer used itself whose child's usage an entry attributes: prime-agent replaces what the answer says by the sum
 * with its children when it writes a session anew, or forks it. Null where the entry does not tell.
 */
export function ownFigures(entry: Entry): OwnFigures | null {
  if (entry.type !== "child_usage_attributed" || entry.targetId == null) return null;
  const { targetId, childUsage, aggregateUsage } = entry;
  if (
    !childUsage ||
    !aggregateUsage ||
    costOf(childUsage) === undefined ||
    costOf(aggregateUsage) === undefined
  )
    return null;
  if (!isAtLeast(figuresOf(aggregateUsage), figuresOf(childUsage))) return null;
  return { targetId, figures: figuresOf(usageLess(aggregateUsage, [childUsage])) };
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
    case "model_usage": {
      const { provider, model, usage, stopReason: stop, purpose } = entry;
      return [{ kind: purpose ? `usage:${purpose}` : "usage", provider, model, usage, stop }];
    }
    case "child_usage_attributed":
      // Its one run is that of all children: see `childRun`.
      return [{ kind: "subagent", usage: entry.childUsage, run: 0 }];
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
  const runs = subagents.map(({ agent, provider, model, usage }, run) => {
    return {
      kind: "subagent",
      tool,
      usage,
      agent,
      provider,
      model: model && withoutThinkingLevel(model),
      run,
    };
  });
  const told = runs.flatMap((act) => (act.usage ? [{ ...act, usage: act.usage }] : []));
  if (!sum) return told;
  // Where a tool result tells a sum and its parts they are the same money. The parts are the better account, since a
  // run may have a file of its own that tells it again. What they leave out of the sum is an act of the other runs.
  const priced = told.filter(({ usage }) => costOf(usage) !== undefined);
  const areFree = priced.every(({ usage }) => !costOf(usage));
  if (areFree && costOf(sum)) return [{ kind: "subagent", tool, usage: sum }];
  if (priced.length === runs.length) return told;
  if (areFree) return [{ kind: "subagent", tool, usage: sum }];
  const parts = priced.map(({ usage }) => usage);
  return [...priced, { kind: "subagent", tool, usage: usageLess(sum, parts) }];
}

/** `claude-sonnet-4-5:low` is the model `claude-sonnet-4-5`, as the subagent's own file has it. */
function withoutThinkingLevel(model: string): string {
  return model.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, "");
}

/**
 * What copies of an act have in common: a fork copies entries with their times. Not the id: pi gives the entries of a
 * version 1 session new ones in each copy that it opens; `ledger.ts` tells strangers apart. The text tells apart only what
 * has no figures: a secret taken out of one copy must not make two acts of one. Without a time it always does, and the places
 * are one act where ids or families say so; without an id either nothing tells copies from strangers.
 */
export function keyOf(
  { id, time, textHash }: EntryIdentity,
  ordinal: number,
  event: EventFigures & Pick<SessionEvent, "kind" | "run" | "agent" | "provider" | "model">,
): bigint | null {
  if (time === null && id === null) return null;
  const { kind, run, agent, provider, model, input, output, cacheRead, cacheWrite, cost } = event;
  const figures = isBilled(event) ? [input, output, cacheRead, cacheWrite, cost] : [textHash];
  const text = time === null && isBilled(event) ? [textHash] : [];
  const identity = [time, ordinal, kind, run, agent, provider, model, ...figures, ...text];
  return hash("sha1", JSON.stringify(identity), "buffer").readBigInt64BE(0);
}

/** Names go into keys and tables of sums: what no program would call itself is cut. */
function short(name: string): string {
  return name.slice(0, 200).toWellFormed();
}
