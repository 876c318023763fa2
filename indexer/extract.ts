import type { Entry, EntryId, Message } from "../src/session/entries.ts";
import { MAX_NESTED_CALLS, type NestedCalls, nestedCalls } from "../src/session/nested-calls.ts";
import type { Place } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { type EntryText, entryText, toolCalls } from "../src/session/text.ts";
import { toMilliseconds } from "../src/session/times.ts";
import { type Cap, prepareText } from "../src/store/sqlite/words.ts";
import { entryEvents, type OwnFigures, ownFigures, type SessionEvent } from "./events.ts";
import { hash32, hash48 } from "./hash.ts";
import { childRun, type SubagentRun, subagentResults, subagentRun } from "./subagent-results.ts";
import { type Touch, touches } from "./touches.ts";

/** What the index keeps of one entry. Its body stays in the file. */
export interface Extracted {
  id: EntryId | null;
  parentId: EntryId | null;
  type: string;
  role: string | null;
  /** Unix milliseconds, or null when the entry has no usable time. */
  timestamp: number | null;
  /** The tool whose result it is. */
  tool: string | null;
  /** Whether it tells of a failure. */
  failed: boolean;
  /** A hash of its text, or null when it has none. */
  textHash: number | null;
  /** Prepared for the full-text index, or null when there is nothing to find. */
  words: EntryText | null;
  /** `call` is a hash of the call's id: a third of its size, and all that finds a result its call. */
  toolCalls: { call: number; name: string }[];
  toolResult: { call: number; isError: boolean; duration: number | null } | null;
  /** Calls made by the tool that returned this result. `isError` is null where a call did not finish. */
  nestedCalls: { call: number; name: string; isError: boolean | null; duration: number | null }[];
  touches: readonly Touch[];
  /** When its events were, in Unix milliseconds: its own time, else its message's. */
  time: number | null;
  events: SessionEvent[];
  /** What an answer before it used itself, where it tells that. */
  own: OwnFigures | null;
  subagents: SubagentRun[];
  /** A label set, or cleared where `label` is null. */
  label: { targetId: EntryId; label: string | null } | null;
  problems: Problem[];
}

/**
 * How much of each part of an entry is searchable, in characters. People look for what was said; of a tool's
 * output the start names it and the end tells how it went.
 */
const SAID: Cap = { head: 64_000, tail: 16_000 };
const THOUGHT: Cap = { head: 24_000, tail: 8_000 };
const CALLED: Cap = { head: 8_000, tail: 2_000 };
const OUTPUT: Cap = { head: 8_000, tail: 2_000 };
/** What failed is what people come back for. */
const FAILED_OUTPUT: Cap = { head: 8_000, tail: 2_000 };
/** A file that was read lies on the disk still, and the call has its name. */
const READ_OUTPUT: Cap = { head: 600, tail: 200 };

/**
 * Turns an entry into rows. Pure: the same entry at the same place gives the same rows. Paths it names are
 * resolved against `cwd`, the session's working directory ("" when that is not known). `found` is what parsing it
 * found wrong. Words that are to come later are left out: preparing them is half the work.
 */
export function extract(
  entry: Entry,
  at: Place,
  cwd: string,
  found: readonly Problem[] = [],
  words: "now" | "later" = "now",
): Extracted {
  const message = entry.type === "message" ? entry.message : undefined;
  const calls = toolCalls(entry);
  const nested = message?.role === "toolResult" ? nestedCalls(message) : undefined;
  const text = entryText(entry);
  const isSilent = !text.said && !text.thought && !text.called && !text.output;
  const { results, problems } = subagentResults(entry, at);
  if (nested && nested.leftOut > 0) problems.push(tooManyCalls(nested, at));
  const timestamp = timeOf(entry.timestamp);
  const time = timestamp ?? (message?.timestamp === undefined ? null : toMilliseconds(message.timestamp));
  const hashed = isSilent ? null : textHash(text);
  return {
    id: entry.id ?? null,
    parentId: entry.parentId ?? null,
    type: entry.type,
    role: message?.role ?? null,
    timestamp,
    tool: message?.role === "toolResult" ? (message.toolName ?? null) : null,
    failed: message !== undefined && (isFailure(message) || hasFailedCall(nested)),
    textHash: hashed,
    words: isSilent || words === "later" ? null : wordsOf(entry, text),
    toolCalls: calls.map(({ id = "", name = "" }) => ({ call: hash48(id), name })),
    toolResult:
      message?.role === "toolResult"
        ? {
            call: hash48(message.toolCallId ?? ""),
            isError: message.isError === true,
            duration: message.durationMs == null ? null : Math.round(message.durationMs),
          }
        : null,
    nestedCalls: (nested?.calls ?? []).map(({ id, name, status, durationMs = null }) => ({
      call: hash48(id),
      name,
      isError: status === "unfinished" ? null : status === "error",
      duration: durationMs,
    })),
    // An entry has calls of a model or of a tool, never both: an ordinal is the place in either.
    touches: touches(entry, { calls: nested?.calls ?? calls, subagents: results, cwd }),
    time,
    events: entryEvents(entry, results, { id: entry.id ?? null, time, textHash: hashed }, at, {
      problems,
      invalid: [...found, ...problems],
    }),
    own: ownFigures(entry),
    subagents: [childRun(entry) ?? [], results.map(subagentRun)].flat(),
    label: labelOf(entry),
    problems,
  };
}

/** The label an entry sets; null where it clears one. */
export function labelOf(entry: Entry): Extracted["label"] {
  if (entry.type !== "label" || entry.targetId == null) return null;
  return { targetId: entry.targetId, label: entry.label || null };
}

/** The words of an entry alone, as `extract` has them. */
export function entryWords(entry: Entry): EntryText | null {
  const text = entryText(entry);
  return text.said || text.thought || text.called || text.output ? wordsOf(entry, text) : null;
}

function wordsOf(entry: Entry, text: EntryText): EntryText {
  return {
    said: prepareText(text.said, SAID),
    thought: prepareText(text.thought, THOUGHT),
    called: prepareText(text.called, CALLED),
    output: prepareText(text.output, outputCap(entry)),
  };
}

function outputCap(entry: Entry): Cap {
  const message = entry.type === "message" ? entry.message : undefined;
  if (message?.role === "fileMention") return READ_OUTPUT;
  if (message?.role === "bashExecution" || message?.role === "pythonExecution")
    return message.exitCode ? FAILED_OUTPUT : OUTPUT;
  if (message?.role !== "toolResult") return OUTPUT;
  if (message.isError) return FAILED_OUTPUT;
  return message.toolName === "read" ? READ_OUTPUT : OUTPUT;
}

/** Characters of the start and the end of each part by which a text is told from others of its length. */
const TOLD_BY = 256;

/** 32 bits, and not of every character, suffice: what is compared has the same id and the same millisecond. */
function textHash(text: EntryText): number {
  const told = [text.said, text.thought, text.called, text.output].map((part) =>
    part.length <= 2 * TOLD_BY ? part : `${part.length} ${part.slice(0, TOLD_BY)}${part.slice(-TOLD_BY)}`,
  );
  return hash32(told.join("\0"));
}

function hasFailedCall(nested: NestedCalls | undefined): boolean {
  return nested?.calls.some(({ status }) => status === "error") ?? false;
}

function tooManyCalls({ leftOut }: NestedCalls, at: Place): Problem {
  const message = `message.nestedCalls: more than ${MAX_NESTED_CALLS} calls, ${leftOut} are left out`;
  return { code: "invalid_field", ...at, message };
}

/** Whether a message tells that a tool, a command or the model failed. A command that was cancelled has no code. */
function isFailure(message: Message): boolean {
  switch (message.role) {
    case "toolResult":
      return message.isError === true;
    case "bashExecution":
    case "pythonExecution":
      return Boolean(message.exitCode);
    case "assistant":
      return message.stopReason === "error" || Boolean(message.errorMessage);
    default:
      return false;
  }
}

/** An ISO time as Unix milliseconds; null when it is none. */
export function timeOf(timestamp: string | undefined): number | null {
  const time = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(time) ? null : time;
}
