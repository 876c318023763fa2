import type { TouchAction } from "../src/database/schema.ts";
import type { Entry, Message } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import { patchTouches } from "./patch-touches.ts";
import { powershellTouches } from "./powershell-touches.ts";
import { pythonTouches } from "./python-touches.ts";
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
  arguments?: Record<string, unknown> | undefined;
}

interface TouchSources {
  /** The entry's tool calls, or those that a tool made whose result it is: their positions are the ordinals. */
  calls: readonly ToolCall[];
  /** The subagent runs it tells of, which may hold all that the subagent said. */
  subagents: readonly { messages?: unknown }[];
  /** The session's working directory; "" when it is not known. */
  cwd: string;
}

/** The files an entry touched, as far as its text plainly says so; each path and action once a tool call. */
export function touches(entry: Entry, { calls, subagents, cwd }: TouchSources): readonly Touch[] {
  const { type } = entry;
  const role = type === "message" ? entry.message?.role : undefined;
  const isCommand = role === "bashExecution" || role === "pythonExecution" || role === "fileMention";
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
  if (isCommand && entry.type === "message" && entry.message) add(ITSELF, messageTouches(entry.message, cwd));
  if ((entry.type === "compaction" || entry.type === "branch_summary") && isRecord(entry.details)) {
    add(ITSELF, listed(entry.details.readFiles, "read", cwd));
    add(ITSELF, listed(entry.details.modifiedFiles, "edit", cwd));
  }
  return [...found.values()];
}

/** What a message names that is no call: a command of the user's, or files. */
function messageTouches(message: Message, cwd: string): Iterable<TouchedFile> {
  switch (message.role) {
    case "bashExecution":
      return shellTouches(message.command ?? "", cwd);
    case "pythonExecution":
      return pythonTouches(message.code ?? "", cwd);
    case "fileMention":
      return listed(
        (message.files ?? []).map(({ path }) => path),
        "read",
        cwd,
      );
    default:
      return [];
  }
}

/** Tools that run Python: prime-agent's only one, and oh-my-pi's, by their arguments. */
const PYTHON = new Set(["ipython", "python", "eval"]);

function* callTouches({ name = "", arguments: args }: ToolCall, cwd: string): Generator<TouchedFile> {
  if (!args) return;
  const shell = SHELLS.get(name.toLowerCase());
  if (shell) {
    if (typeof args.command === "string") yield* shell(args.command, folderOf(args, cwd));
    return;
  }
  if (PYTHON.has(name)) {
    for (const code of cells(args)) yield* pythonTouches(code, cwd);
    return;
  }
  const action = actionOf(name);
  // oh-my-pi edits by a patch in one text, which names the files.
  if (action === "edit" && typeof args.input === "string") yield* patchTouches(args.input, cwd);
  for (const argument of writtenPaths(args)) {
    const written = name === "read" ? withoutSelector(argument) : argument;
    // Of a tool nobody knows, `path` may be anything.
    const path = action !== "use" || looksLikePath(written) ? toolPath(written, cwd) : null;
    if (path !== null) yield { path, action };
  }
}

/** The folder that a command runs in: oh-my-pi's `cwd`, OpenClaw's `workdir`, else the session's. */
function folderOf({ cwd: own, workdir }: Record<string, unknown>, cwd: string): string {
  const named = [own, workdir].find((each) => typeof each === "string" && each !== "");
  return typeof named === "string" ? (absolutePath(named, cwd) ?? cwd) : cwd;
}

/** Tools that run a command, by what reads its language: pi's, and OpenClaw's `exec`. */
const SHELLS = new Map([
  ["bash", shellTouches],
  ["exec", shellTouches],
  ["powershell", powershellTouches],
]);

/** The pieces of Python that a tool was to run. Of cells in another language nothing is read. */
function* cells({ code, cells, language }: Record<string, unknown>): Generator<string> {
  if (typeof code === "string" && (language === undefined || isPython(language))) yield code;
  for (const cell of Array.isArray(cells) ? cells : []) {
    if (isRecord(cell) && typeof cell.code === "string" && isPython(cell.language ?? "py")) yield cell.code;
  }
}

function isPython(language: unknown): boolean {
  return typeof language === "string" && /^(?:py|ipython)/i.test(language);
}

/** More than any system takes. */
const LONGEST_PATH = 4096;

/** oh-my-pi reads `src/a.ts:10-40`, `:raw`, `:5,9-12`: lines of a file, which is named before. */
function withoutSelector(path: string): string {
  if (path.length > LONGEST_PATH) return path; // no file has it, and the expression would take long
  return path.replace(
    /(?::(?:raw|img|conflicts|L?\d+(?:(?:-|\.\.|\+)(?:L?\d+)?)?(?:,L?\d+(?:-L?\d+)?)*))+$/,
    "",
  );
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
