import { hash } from "node:crypto";
import type { Entry, EntryId, Message, Usage } from "../src/session/entries.ts";
import { splitModelName } from "../src/session/model-name.ts";
import type { LineLocation } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { isBilled, type RecordedEvent } from "../src/store/billing-record.ts";
import {
  describeMissingFigures,
  type EventFigures,
  getCost,
  invalidFigures,
  isAtLeast,
  subtractUsageParts,
  toEventFigures,
} from "./event-figures.ts";
import type { SubagentResult } from "./subagent-results.ts";

export type SessionEvent = RecordedEvent;

/** An event before its figures and key are computed. */
interface Draft {
  kind: string;
  usage?: Usage | null;
  run?: number;
  agent?: string;
  tool?: string;
  stop?: string;
  provider?: string;
  model?: string;
}

/** What identifies an entry and its copies. */
interface EntryIdentity {
  /** Its id, or the one derived from its line in version 1; null if it has none. */
  id: EntryId | null;
  /** Unix milliseconds; null if the entry has no time. */
  time: number | null;
  textHash: number | null;
}

/**
 * The events of an entry, in order. Missing figures are added to `problems`, except invalid ones, which are in `invalid`
 * already.
 */
export function extractEvents(
  entry: Entry,
  subagents: readonly SubagentResult[],
  identity: EntryIdentity,
  at: LineLocation,
  { problems, invalid }: { problems: Problem[]; invalid: readonly Problem[] },
): SessionEvent[] {
  const drafts = draftEvents(entry, subagents);
  const bad = invalidFigures(invalid);
  for (const missing of drafts.flatMap(({ kind, usage }) =>
    describeMissingFigures(usage, bad, kind === "assistant"),
  )) {
    problems.push({ code: "missing_figure", ...at, message: missing });
  }
  return drafts.map((draft, ordinal) => {
    const figures = toEventFigures(draft.usage);
    const { provider = "", model = "" } = splitModelName(draft.model, draft.provider);
    const names = {
      kind: truncate(draft.kind),
      run: draft.run ?? null,
      agent: draft.agent === undefined ? null : truncate(draft.agent),
      tool: draft.tool === undefined ? null : truncate(draft.tool),
      stop: draft.stop === undefined ? null : truncate(draft.stop),
      provider: truncate(provider),
      model: truncate(model),
    };
    const event = { ...names, ...figures };
    return { key: computeEventKey(identity, ordinal, event), ...event };
  });
}

/** The figures of an earlier model response in the same file, without its children's. */
export interface OwnFigures {
  targetId: EntryId;
  figures: EventFigures;
}

/**
 * The own figures of the model response that an entry attributes a child's usage to; null for other entries. prime-agent
 * replaces the response's usage by the sum with its children when it rewrites or forks a session.
 */
export function extractOwnFigures(entry: Entry): OwnFigures | null {
  if (entry.type !== "child_usage_attributed" || entry.targetId == null) return null;
  const { targetId, childUsage, aggregateUsage } = entry;
  if (
    !childUsage ||
    !aggregateUsage ||
    getCost(childUsage) === undefined ||
    getCost(aggregateUsage) === undefined
  )
    return null;
  if (!isAtLeast(toEventFigures(aggregateUsage), toEventFigures(childUsage))) return null;
  return { targetId, figures: toEventFigures(subtractUsageParts(aggregateUsage, [childUsage])) };
}

function draftEvents(entry: Entry, subagents: readonly SubagentResult[]): Draft[] {
  switch (entry.type) {
    case "message":
      return entry.message ? draftMessageEvents(entry.message, subagents) : [];
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
      // Its run covers all children: see `toChildRun`.
      return [{ kind: "subagent", usage: entry.childUsage, run: 0 }];
    default:
      return [];
  }
}

function draftMessageEvents(message: Message, subagents: readonly SubagentResult[]): Draft[] {
  switch (message.role) {
    case "user":
      return [{ kind: "user" }];
    case "assistant": {
      const { provider, model, responseModel, usage, stopReason: stop } = message;
      return [{ kind: "assistant", provider, model: responseModel ?? model, usage, stop }];
    }
    case "toolResult":
      return draftToolEvents(message.toolName, message.usage, subagents);
    default:
      return [];
  }
}

function draftToolEvents(
  tool: string | undefined,
  sum: Usage | null | undefined,
  subagents: readonly SubagentResult[],
): Draft[] {
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
  const withUsage = runs.flatMap((run) => (run.usage ? [{ ...run, usage: run.usage }] : []));
  if (!sum) return withUsage;
  // If a tool result has both a sum and its parts, they are the same usage. The parts are preferred, because a run may have a
  // session that records it too. The rest of the sum is an event of the other runs.
  const priced = withUsage.filter(({ usage }) => getCost(usage) !== undefined);
  const areFree = priced.every(({ usage }) => !getCost(usage));
  if (areFree && getCost(sum)) return [{ kind: "subagent", tool, usage: sum }];
  if (priced.length === runs.length) return withUsage;
  if (areFree) return [{ kind: "subagent", tool, usage: sum }];
  const parts = priced.map(({ usage }) => usage);
  return [...priced, { kind: "subagent", tool, usage: subtractUsageParts(sum, parts) }];
}

/** Converts `claude-sonnet-4-5:low` to `claude-sonnet-4-5`, the name in the subagent's own session. */
function withoutThinkingLevel(model: string): string {
  return model.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, "");
}

/**
 * Hashes what all copies of an event have in common; null without a time and an id, when copies cannot be recognized. Forks
 * copy entries with their times. The id is not included, because pi assigns new ids to the entries of a version 1 session in
 * each copy that it opens; `contested-keys.ts` separates unrelated events with the same key. The text is included only in events
 * without figures, so that removing a secret from one copy doesn't make it another event, and in events without a time.
 */
export function computeEventKey(
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

/** Names are part of keys and of the roll-up's series, so absurdly long ones are truncated. */
function truncate(name: string): string {
  return name.slice(0, 200).toWellFormed();
}
