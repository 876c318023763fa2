import { hash } from "node:crypto";
import { type Cap, capText, prepareText } from "../src/database/words.ts";
import type { Entry, EntryId } from "../src/session/entries.ts";
import type { Place } from "../src/session/parse.ts";
import type { Problem } from "../src/session/problems.ts";
import { type EntryText, entryText, toolCalls } from "../src/session/text.ts";
import { type SubagentRun, subagentResults, subagentRun, type UsageRow, usageRows } from "./usage.ts";

/** What the index keeps of one entry. Its body stays in the file. */
export interface Extracted {
  id: EntryId | null;
  parentId: EntryId | null;
  type: string;
  role: string | null;
  /** Unix milliseconds, or null when the entry has no usable time. */
  timestamp: number | null;
  /** Prepared for the full-text index, or null when there is nothing to find. */
  words: EntryText | null;
  /** `call` is a hash of the call's id: a third of its size, and all that finds a result its call. */
  toolCalls: { call: number; name: string; path: string | null }[];
  toolResult: { call: number; isError: boolean } | null;
  usage: UsageRow[];
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
const CALLED: Cap = { head: 2_000, tail: 500 };
const OUTPUT: Cap = { head: 1_100, tail: 500 };
/** What failed is what people come back for. */
const FAILED_OUTPUT: Cap = { head: 4_000, tail: 2_000 };
/** A file that was read lies on the disk still, and the call has its name. */
const READ_OUTPUT: Cap = { head: 600, tail: 200 };

/** Turns an entry into rows. Pure: the same entry at the same place gives the same rows. */
export function extract(entry: Entry, at: Place): Extracted {
  const message = entry.type === "message" ? entry.message : undefined;
  const { results, problems } = subagentResults(entry, at);
  return {
    id: entry.id ?? null,
    parentId: entry.parentId ?? null,
    type: entry.type,
    role: message?.role ?? null,
    timestamp: timeOf(entry.timestamp),
    words: wordsOf(entry),
    toolCalls: toolCalls(entry).map((call) => ({
      call: callHash(call.id),
      name: call.name ?? "",
      path: targetPath(call.arguments),
    })),
    toolResult:
      message?.role === "toolResult"
        ? { call: callHash(message.toolCallId), isError: message.isError === true }
        : null,
    usage: usageRows(entry, results),
    subagents: results.map(subagentRun),
    label:
      entry.type === "label" && entry.targetId != null
        ? { targetId: entry.targetId, label: entry.label || null }
        : null,
    problems,
  };
}

function wordsOf(entry: Entry): EntryText | null {
  const text = entryText(entry);
  if (!text.said && !text.thought && !text.called && !text.output) return null;
  return {
    said: prepareText(capText(text.said, SAID)),
    thought: prepareText(capText(text.thought, THOUGHT)),
    called: prepareText(capText(text.called, CALLED)),
    output: prepareText(capText(text.output, outputCap(entry))),
  };
}

function outputCap(entry: Entry): Cap {
  const message = entry.type === "message" ? entry.message : undefined;
  if (message?.role === "bashExecution") return message.exitCode ? FAILED_OUTPUT : OUTPUT;
  if (message?.role !== "toolResult") return OUTPUT;
  if (message.isError) return FAILED_OUTPUT;
  return message.toolName === "read" ? READ_OUTPUT : OUTPUT;
}

/** 48 bits of a call's id. */
function callHash(id = ""): number {
  return hash("sha1", id, "buffer").readUIntBE(0, 6);
}

/** The file a tool call is about: pi's read, write, edit, ls, grep and find name it `path`. */
function targetPath(args: Record<string, unknown> | undefined): string | null {
  const path = args?.path ?? args?.file_path;
  return typeof path === "string" && path !== "" ? path : null;
}

/** An ISO time as Unix milliseconds; null when it is none. */
export function timeOf(timestamp: string | undefined): number | null {
  const time = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(time) ? null : time;
}
