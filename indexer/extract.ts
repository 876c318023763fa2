import type { Entry, EntryId, Message } from "../src/session/entries.ts";
import { MAX_NESTED_CALLS, type NestedCalls, parseNestedCalls } from "../src/session/nested-calls.ts";
import type { LineLocation } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { getResponseError } from "../src/session/response-error.ts";
import { type EntryText, extractEntryText, extractToolCalls } from "../src/session/text.ts";
import { toMilliseconds } from "../src/session/times.ts";
import { type IndexedLength, prepareText } from "../src/store/words/prepare-text.ts";
import { extractEvents, extractOwnFigures, type OwnFigures, type SessionEvent } from "./events.ts";
import { hash32, hash48 } from "./hash.ts";
import { extractSubagentResults, type SubagentRun, toChildRun, toSubagentRun } from "./subagent-results.ts";
import { extractTouches, type Touch } from "./touches.ts";

/** The rows of one entry. Its body stays in the file. */
export interface ExtractedEntry {
  id: EntryId | null;
  parentId: EntryId | null;
  type: string;
  role: string | null;
  /** Unix milliseconds, or null if the entry has no valid time. */
  timestamp: number | null;
  /** The tool, if the entry is its result. */
  tool: string | null;
  /** Whether it reports a failure. */
  isFailed: boolean;
  /** Whether somebody says something in it: not only thinking, calls or output. */
  hasText: boolean;
  /** A hash of its text, or null if it has none. */
  textHash: number | null;
  /** Prepared for the full-text index, or null if there is no text. */
  words: EntryText | null;
  /** `call` is a hash of the call's id, a third of its size: it only serves to match results with calls. */
  toolCalls: { call: number; name: string }[];
  toolResult: { call: number; isError: boolean; duration: number | null } | null;
  /** Calls made by the tool that returned this result. `isError` is null if a call did not finish. */
  nestedCalls: { call: number; name: string; isError: boolean | null; duration: number | null }[];
  touches: readonly Touch[];
  /** Time of its events in Unix milliseconds: the entry's own, else its message's. */
  time: number | null;
  events: SessionEvent[];
  /** Usage of an earlier model response itself, if this entry reports it. */
  ownFigures: OwnFigures | null;
  subagents: SubagentRun[];
  /** A label that is set, or cleared if `label` is null. */
  label: { targetId: EntryId; label: string | null } | null;
  problems: Problem[];
}

/**
 * Searchable characters of each part of an entry. People mostly search messages; of tool output, the start shows what it is
 * and the end shows the result.
 */
const SAID_CAP: IndexedLength = { head: 64_000, tail: 16_000 };
const THOUGHT_CAP: IndexedLength = { head: 24_000, tail: 8_000 };
const CALLED_CAP: IndexedLength = { head: 8_000, tail: 2_000 };
const OUTPUT_CAP: IndexedLength = { head: 8_000, tail: 2_000 };
/** A file that was read is still on disk, and the call contains its path. */
const FILE_CONTENT_CAP: IndexedLength = { head: 600, tail: 200 };

/**
 * Extracts the rows of an entry. Pure: the same entry at the same location gives the same rows. Its paths are resolved
 * against `cwd`, the session's working directory ("" if unknown). `found` are the problems from parsing it. With `"later"`,
 * words are null: preparing them is half the work.
 */
export function extract(
  entry: Entry,
  location: LineLocation,
  cwd: string,
  found: readonly Problem[] = [],
  words: "now" | "later" = "now",
): ExtractedEntry {
  const message = entry.type === "message" ? entry.message : undefined;
  const calls = extractToolCalls(entry);
  const nested = message?.role === "toolResult" ? parseNestedCalls(message) : undefined;
  const text = extractEntryText(entry);
  const isEmpty = !text.said && !text.thought && !text.called && !text.output;
  const { results, problems } = extractSubagentResults(entry, location);
  if (nested && nested.omitted > 0) problems.push(tooManyCalls(nested, location));
  const timestamp = parseTime(entry.timestamp);
  const time = timestamp ?? (message?.timestamp === undefined ? null : toMilliseconds(message.timestamp));
  const hashed = isEmpty ? null : textHash(text);
  return {
    id: entry.id ?? null,
    parentId: entry.parentId ?? null,
    type: entry.type,
    role: message?.role ?? null,
    timestamp,
    tool: message?.role === "toolResult" ? (message.toolName ?? null) : null,
    isFailed: message !== undefined && (isFailure(message) || hasFailedCall(nested)),
    hasText: /\S/.test(text.said),
    textHash: hashed,
    words: isEmpty || words === "later" ? null : prepareWords(entry, text),
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
    // An entry has calls by a model or by a tool, never both, so an ordinal is unambiguous.
    touches: extractTouches(entry, { calls: nested?.calls ?? calls, subagents: results, cwd }),
    time,
    events: extractEvents(entry, results, { id: entry.id ?? null, time, textHash: hashed }, location, {
      problems,
      invalid: [...found, ...problems],
    }),
    ownFigures: extractOwnFigures(entry),
    subagents: [toChildRun(entry) ?? [], results.map(toSubagentRun)].flat(),
    label: extractLabel(entry),
    problems,
  };
}

/** Only the touches of an entry, as in `extract`. */
export function extractEntryTouches(entry: Entry, cwd: string): readonly Touch[] {
  const message = entry.type === "message" ? entry.message : undefined;
  const nested = message?.role === "toolResult" ? parseNestedCalls(message) : undefined;
  const { results: subagents } = extractSubagentResults(entry, { byteOffset: 0, line: 0 });
  return extractTouches(entry, { calls: nested?.calls ?? extractToolCalls(entry), subagents, cwd });
}

/** The label that an entry sets or clears; null for other entries. */
export function extractLabel(entry: Entry): ExtractedEntry["label"] {
  if (entry.type !== "label" || entry.targetId == null) return null;
  return { targetId: entry.targetId, label: entry.label || null };
}

/** Only the words of an entry, as in `extract`. */
export function extractWords(entry: Entry): EntryText | null {
  const text = extractEntryText(entry);
  return text.said || text.thought || text.called || text.output ? prepareWords(entry, text) : null;
}

function prepareWords(entry: Entry, text: EntryText): EntryText {
  return {
    said: prepareText(text.said, SAID_CAP),
    thought: prepareText(text.thought, THOUGHT_CAP),
    called: prepareText(text.called, CALLED_CAP),
    output: prepareText(text.output, outputCap(entry)),
  };
}

function outputCap(entry: Entry): IndexedLength {
  const message = entry.type === "message" ? entry.message : undefined;
  if (message?.role === "fileMention") return FILE_CONTENT_CAP;
  const isFileContent = message?.role === "toolResult" && !message.isError && message.toolName === "read";
  return isFileContent ? FILE_CONTENT_CAP : OUTPUT_CAP;
}

/** Characters hashed at the start and at the end of each part, with its length. */
const HASHED_CHARACTERS = 256;

/** 32 bits of a sample suffice: only texts with the same id and the same millisecond are compared. */
function textHash(text: EntryText): number {
  const samples = [text.said, text.thought, text.called, text.output].map((part) =>
    part.length <= 2 * HASHED_CHARACTERS
      ? part
      : `${part.length} ${part.slice(0, HASHED_CHARACTERS)}${part.slice(-HASHED_CHARACTERS)}`,
  );
  return hash32(samples.join("\0"));
}

function hasFailedCall(nested: NestedCalls | undefined): boolean {
  return nested?.calls.some(({ status }) => status === "error") ?? false;
}

function tooManyCalls({ omitted }: NestedCalls, location: LineLocation): Problem {
  const message = `message.nestedCalls: more than ${MAX_NESTED_CALLS} calls, ${omitted} not indexed`;
  return { code: "invalid_field", ...location, message };
}

/**
 * Whether a message reports that a tool, a command or the model failed. A response that the user stopped did not, nor did a cancelled
 * command, which has no exit code.
 */
function isFailure(message: Message): boolean {
  switch (message.role) {
    case "toolResult":
      return message.isError === true;
    case "bashExecution":
    case "pythonExecution":
      return Boolean(message.exitCode);
    case "assistant":
      return message.stopReason === "error" || getResponseError(message) !== undefined;
    default:
      return false;
  }
}

/** An ISO time as Unix milliseconds; null if it is invalid. */
export function parseTime(timestamp: string | undefined): number | null {
  const time = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(time) ? null : time;
}
