import type { TouchAction } from "../src/database/schema.ts";
import type { Entry } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import { shellTouches } from "./shell-touches.ts";
import { absolutePath, looksLikePath, type TouchedFile } from "./touched-file.ts";

/** A file an entry touched: by its tool call `ordinal`, or by itself (-1). */
export interface Touch extends TouchedFile {
  ordinal: number;
}

/** No entry touches more than this many files; some list a whole project. */
const MAX_TOUCHES = 1_000;

const NOTHING: readonly Touch[] = [];

/** Entries that name files by themselves. */
const ITSELF = -1;

interface ToolCall {
  name?: string;
  arguments?: Record<string, unknown>;
}

interface TouchSources {
  /** The entry's tool calls: their positions are the ordinals. */
  calls: readonly ToolCall[];
  /** The subagent runs it tells of, which may hold all that the subagent said. */
  subagents: readonly { messages?: unknown }[];
  /** The session's working directory; "" when it is not known. */
  cwd: string;
}

/** The files an entry touched, as far as its text plainly says so; each path and action once a tool call. */
export function touches(entry: Entry, { calls, subagents, cwd }: TouchSources): readonly Touch[] {
  const { type } = entry;
  const isCommand = type === "message" && entry.message?.role === "bashExecution";
  const isSummary = type === "compaction" || type === "branch_summary";
  if (calls.length + subagents.length === 0 && !isCommand && !isSummary) return NOTHING;
  const found = new Map<string, Touch>();
  const add = (ordinal: number, files: Iterable<TouchedFile>): void => {
    for (const { path, action } of files) {
      if (found.size >= MAX_TOUCHES) return;
      found.set(`${ordinal} ${action} ${path}`, { ordinal, path, action });
    }
  };
  calls.forEach((call, ordinal) => {
    add(ordinal, callTouches(call, cwd));
  });
  for (const { messages } of subagents) {
    for (const call of inlineCalls(messages)) add(ITSELF, callTouches(call, cwd));
  }
  if (entry.type === "message" && entry.message?.role === "bashExecution") {
    add(ITSELF, shellTouches(entry.message.command ?? "", cwd));
  }
  if ((entry.type === "compaction" || entry.type === "branch_summary") && isRecord(entry.details)) {
    add(ITSELF, listed(entry.details.readFiles, "read", cwd));
    add(ITSELF, listed(entry.details.modifiedFiles, "edit", cwd));
  }
  return [...found.values()];
}

function* callTouches({ name = "", arguments: args }: ToolCall, cwd: string): Generator<TouchedFile> {
  if (!args) return;
  if (name.toLowerCase() === "bash") {
    if (typeof args.command === "string") yield* shellTouches(args.command, cwd);
    return;
  }
  const action = actionOf(name);
  for (const written of writtenPaths(args)) {
    // Of a tool nobody knows, `path` may be anything.
    const path = action !== "use" || looksLikePath(written) ? toolPath(written, cwd) : null;
    if (path !== null) yield { path, action };
  }
}

/** pi's tools take a path after an `@`, as users write it. */
function toolPath(written: string, cwd: string): string | null {
  return absolutePath(written.startsWith("@") ? written.slice(1) : written, cwd);
}

/** Which words in a tool's name tell what it does, the strongest first: `search_replace` edits. */
const ACTION_WORDS: readonly [TouchAction, ReadonlySet<string>][] = [
  ["edit", new Set(["edit", "multiedit", "replace", "patch", "update", "insert", "append"])],
  ["delete", new Set(["delete", "remove"])],
  ["write", new Set(["write", "create", "save"])],
  ["search", new Set(["ls", "list", "find", "grep", "glob", "search", "tree"])],
  ["read", new Set(["read", "view", "cat", "open"])],
];

/** What pi's own tools do. */
const ACTIONS = new Map<string, TouchAction>([
  ["read", "read"],
  ["write", "write"],
  ["edit", "edit"],
  ["ls", "search"],
  ["find", "search"],
  ["grep", "search"],
]);

/** What a tool does to the files it names: pi's own by their names, others by the words in theirs. */
function actionOf(tool: string): TouchAction {
  const known = ACTIONS.get(tool);
  if (known) return known;
  const words = tool
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return ACTION_WORDS.find(([, telling]) => words.some((word) => telling.has(word)))?.[0] ?? "use";
}

/** The paths among a tool's arguments, of several files too where a tool takes several. */
function* writtenPaths(args: Record<string, unknown>): Generator<string> {
  for (const path of [args.path, args.file_path, args.filePath]) if (typeof path === "string") yield path;
  for (const list of [args.paths, args.files, args.edits, args.multi]) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      if (typeof item === "string") yield item;
      else if (isRecord(item)) {
        for (const path of [item.path, item.file_path]) if (typeof path === "string") yield path;
      }
    }
  }
}

/** The tool calls in the messages a subagent run left. These were never typed: every field may be anything. */
function* inlineCalls(messages: unknown): Generator<ToolCall> {
  if (!Array.isArray(messages)) return;
  for (const message of messages) {
    if (!isRecord(message) || message.role !== "assistant" || !Array.isArray(message.content)) continue;
    for (const block of message.content) {
      if (!isRecord(block) || block.type !== "toolCall" || !isRecord(block.arguments)) continue;
      yield { name: typeof block.name === "string" ? block.name : "", arguments: block.arguments };
    }
  }
}

function* listed(paths: unknown, action: TouchAction, cwd: string): Generator<TouchedFile> {
  if (!Array.isArray(paths)) return;
  for (const written of paths) {
    const path = typeof written === "string" ? toolPath(written, cwd) : null;
    if (path !== null) yield { path, action };
  }
}
