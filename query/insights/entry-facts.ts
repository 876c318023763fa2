import { createHash } from "node:crypto";
import { extractFileChanges } from "../../src/session/file-changes.ts";
import { isRecord } from "../../src/session/json.ts";
import { nameCommand } from "./command-name.ts";
import { normalizeError } from "./normalize-error.ts";
import { isShell } from "./tools.ts";

/** What insights need of an entry that was read back: a few bytes of lines that may have megabytes. */
export interface EntryFacts {
  /** Of a model response: its tool calls, by ordinal. */
  calls: CallFacts[];
  /** Of a tool result: its error; undefined if no line of it says what failed. */
  error: string | undefined;
}

export interface CallFacts {
  /** Equal calls have equal hashes. */
  arguments: string;
  /** The program of a shell command; "" for other tools. */
  command: string;
  replacements: Replacement[];
}

/** Lines that a call replaced in a file, as hashes. */
export interface Replacement {
  path: string;
  removed: string;
  added: string;
}

/** Extracts the facts of an entry. Never throws: any field may be missing. */
export function extractFacts(entry: Record<string, unknown>): EntryFacts {
  const message = isRecord(entry.message) ? entry.message : {};
  const { content } = message;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const calls = blocks.filter(({ type }) => type === "toolCall");
  return {
    calls: calls.map(({ name, arguments: args }) =>
      toCallFacts(String(name ?? ""), isRecord(args) ? args : {}),
    ),
    error: message.role === "toolResult" ? normalizeError(textOf(content)) : undefined,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
}

function toCallFacts(tool: string, args: Record<string, unknown>): CallFacts {
  const { command } = args;
  return {
    arguments: hash(JSON.stringify(args)),
    command: isShell(tool) && typeof command === "string" ? nameCommand(command) : "",
    replacements: extractReplacements(tool, args),
  };
}

function extractReplacements(tool: string, args: Record<string, unknown>): Replacement[] {
  return extractFileChanges(tool, args).flatMap((change) => {
    if (change.kind !== "replace") return [];
    return change.edits.flatMap(({ before, after }) => {
      const { removed, added } = toChangedLines(before, after);
      return /\S/.test(removed + added)
        ? [{ path: change.path, removed: hash(removed), added: hash(added) }]
        : [];
    });
  });
}

/** Two texts without the lines that they have in common at the start and at the end. */
function toChangedLines(before: string, after: string): { removed: string; added: string } {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return {
    removed: a.slice(start, a.length - end).join("\n"),
    added: b.slice(start, b.length - end).join("\n"),
  };
}

function hash(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
