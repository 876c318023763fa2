import type { Entry, Message } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import type { TouchAction } from "../src/store/schema.ts";
import { extractJavascriptTouches } from "./code-touches.ts";
import { extractIpythonTouches } from "./ipython-touches.ts";
import { extractPatchTouches } from "./patch-touches.ts";
import { extractPowershellTouches } from "./powershell-touches.ts";
import { extractShellTouches } from "./shell-touches.ts";
import { looksLikePath, MAX_PATH_CHARACTERS, resolvePath, type TouchedFile } from "./touched-file.ts";

/** A file that an entry touched: by its tool call `ordinal`, or without a call (-1). */
export interface Touch extends TouchedFile {
  ordinal: number;
}

/** Touches kept per entry; some list a whole project. */
const MAX_TOUCHES = 1_000;

const NO_TOUCHES: readonly Touch[] = [];

/** The ordinal of touches without a tool call. */
const NO_CALL = -1;

interface ToolCall {
  name?: string;
  arguments?: Record<string, unknown> | undefined;
}

interface TouchSources {
  /** The entry's tool calls, or those made by the tool that it is the result of. Their positions are the ordinals. */
  calls: readonly ToolCall[];
  /** The subagent runs it reports, which may contain the subagent's messages. */
  subagents: readonly { messages?: unknown }[];
  /** The session's working directory; "" if unknown. */
  cwd: string;
}

/** The files that an entry literally names as touched; each path and action once per tool call. */
export function extractTouches(entry: Entry, { calls, subagents, cwd }: TouchSources): readonly Touch[] {
  const { type } = entry;
  const role = type === "message" ? entry.message?.role : undefined;
  const isCommand = role === "bashExecution" || role === "pythonExecution" || role === "fileMention";
  const isSummary = type === "compaction" || type === "branch_summary";
  if (calls.length + subagents.length === 0 && !isCommand && !isSummary) return NO_TOUCHES;
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
    for (const call of inlineCalls(messages)) add(NO_CALL, callTouches(call, cwd));
  }
  if (isCommand && entry.type === "message" && entry.message)
    add(NO_CALL, messageTouches(entry.message, cwd));
  if ((entry.type === "compaction" || entry.type === "branch_summary") && isRecord(entry.details)) {
    add(NO_CALL, touchAll(entry.details.readFiles, "read", cwd));
    add(NO_CALL, touchAll(entry.details.modifiedFiles, "edit", cwd));
  }
  return [...found.values()];
}

/** Touches of a message without tool calls: a user's command, or mentioned files. */
function messageTouches(message: Message, cwd: string): Iterable<TouchedFile> {
  switch (message.role) {
    case "bashExecution":
      return extractShellTouches(message.command ?? "", cwd);
    case "pythonExecution":
      return extractIpythonTouches(message.code ?? "", cwd);
    case "fileMention":
      return touchAll(
        (message.files ?? []).map(({ path }) => path),
        "read",
        cwd,
      );
    default:
      return [];
  }
}

/** Tools that run code: prime-agent's only tool, and oh-my-pi's `eval`. The default language is Python. */
const CODE_TOOLS = new Set(["ipython", "python", "eval"]);
/** `%load tools/x.py` as a whole cell of oh-my-pi's `eval`. */
const LOAD_CELL = /^%load[ \t]+(["']?)([^"'\s][^"'\n]*)\1$/;

function* callTouches({ name = "", arguments: args }: ToolCall, cwd: string): Generator<TouchedFile> {
  if (!args) return;
  const shell = SHELLS.get(name.toLowerCase());
  if (shell) {
    if (typeof args.command === "string") yield* shell(args.command, workingFolder(args, cwd));
    return;
  }
  if (CODE_TOOLS.has(name)) {
    for (const cell of cells(args)) yield* cellTouches(cell, cwd, name === "eval");
    return;
  }
  if (name === "lsp") {
    yield* lspTouches(args, cwd);
    return;
  }
  const action = editorAction(name, args) ?? toolAction(name);
  // The text of a patch contains the paths.
  if (action === "edit") {
    for (const patch of [args.input, args.patch]) {
      if (typeof patch === "string") yield* extractPatchTouches(patch, cwd);
    }
  }
  for (const { written, action: own = action } of writtenPaths(name, args, action)) {
    // The `path` of an unknown tool may be anything.
    const path = own !== "use" || looksLikePath(written) ? toolPath(written, own, cwd) : null;
    if (path !== null) yield { path, action: own };
  }
}

function cellTouches({ code, language }: Cell, cwd: string, hasHelpers: boolean): Iterable<TouchedFile> {
  const loaded = hasHelpers ? LOAD_CELL.exec(code.trim())?.[2] : undefined;
  if (loaded !== undefined) return touchAll([loaded], "read", cwd);
  return language === "js"
    ? extractJavascriptTouches(code, cwd, hasHelpers)
    : extractIpythonTouches(code, cwd, hasHelpers);
}

/** oh-my-pi's language server. Only its result lists other files that it changes. */
function* lspTouches(args: Record<string, unknown>, cwd: string): Generator<TouchedFile> {
  const { action, file, new_name: target, apply } = args;
  if (typeof file !== "string" || file.includes("*")) return;
  const isApplied = action === "code_actions" ? apply === true : apply !== false;
  const changes = isApplied && (action === "rename" || action === "code_actions");
  const moves = isApplied && action === "rename_file" && typeof target === "string";
  yield* touchAll([file], moves ? "delete" : changes ? "edit" : "read", cwd);
  if (moves) yield* touchAll([target], "write", cwd);
}

/** Actions of Anthropic's and similar text editor tools, by their `command`. */
const EDITOR_COMMANDS: Record<string, TouchAction> = {
  view: "read",
  create: "write",
  str_replace: "edit",
  insert: "edit",
  undo_edit: "edit",
  delete: "delete",
};

function editorAction(name: string, { command }: Record<string, unknown>): TouchAction | undefined {
  if (typeof command !== "string" || !/^(?:str_replace_|text_editor)/.test(name)) return undefined;
  return Object.hasOwn(EDITOR_COMMANDS, command) ? EDITOR_COMMANDS[command] : undefined;
}

/** The working directory of a command: oh-my-pi's `cwd`, OpenClaw's `workdir`, else the session's. */
function workingFolder({ cwd: own, workdir }: Record<string, unknown>, cwd: string): string {
  const named = [own, workdir].find((each) => typeof each === "string" && each !== "");
  return typeof named === "string" ? (resolvePath(named, cwd) ?? cwd) : cwd;
}

/** Parsers for the commands of shell tools: pi's, and OpenClaw's `exec`. */
const SHELLS = new Map([
  ["bash", extractShellTouches],
  ["exec", extractShellTouches],
  ["powershell", extractPowershellTouches],
]);

interface Cell {
  code: string;
  language: "py" | "js";
}

/** The code cells that a tool runs. Cells in other languages are skipped. */
function* cells({ code, cells: several, language }: Record<string, unknown>): Generator<Cell> {
  const all = [{ code, language }, ...(Array.isArray(several) ? several : [])];
  for (const cell of all) {
    if (!isRecord(cell) || typeof cell.code !== "string") continue;
    const written = cell.language ?? "py";
    if (typeof written !== "string" || !/^(?:py|ipython|js|javascript|ts|typescript)/i.test(written))
      continue;
    yield { code: cell.code, language: /^[jt]s|script/i.test(written) ? "js" : "py" };
  }
}

/** A path within an archive or a database: `a.zip:src/a.ts`, `a.zip!/src/a.ts`, `till.db:sales?limit=5`. */
const CONTAINER =
  /^(.+?\.(?:zip|jar|apk|whl|asar|iso|rar|7z|deb|rpm|tgz|txz|tar(?:\.\w{2,4})?)(?=:|!\/)|.+?\.(?:db|sqlite3?)(?=[:?]))/i;

/** A path without the line ranges that oh-my-pi appends: `src/a.ts:10-40`, `:raw`, `:5,9-12`, `:-20`. */
function withoutSelector(path: string): string {
  if (path.length > MAX_PATH_CHARACTERS) return path; // no file has it, and the expression would take long
  const whole = CONTAINER.exec(path)?.[1] ?? path;
  return whole.replace(
    /(?::(?:raw|img|conflicts|-?L?\d+(?:(?:-|\.\.|\+)(?:L?\d+)?)?(?:,L?\d+(?:-L?\d+)?)*))+$/,
    "",
  );
}

/** pi's tools accept paths with a leading `@`, as users write them. */
function toolPath(written: string, action: TouchAction, cwd: string): string | null {
  const named = written.startsWith("@") ? written.slice(1) : written;
  const path = action === "read" ? withoutSelector(named) : named;
  const wildcard = path.indexOf("*");
  if (wildcard < 0) return resolvePath(path, cwd);
  // A pattern only shows which folder is searched.
  const folder = /^(.*)[\\/]/s.exec(path.slice(0, wildcard))?.[1];
  return action === "search" && folder ? resolvePath(folder, cwd) : null;
}

/** Words in a tool's name that imply its action, highest priority first: `search_replace` edits. */
const ACTION_WORDS: readonly [TouchAction, ReadonlySet<string>][] = [
  ["edit", new Set(["edit", "multiedit", "replace", "patch", "update", "insert", "append", "rename"])],
  ["delete", new Set(["delete", "remove"])],
  ["write", new Set(["write", "create", "save"])],
  ["search", new Set(["ls", "list", "find", "grep", "glob", "search", "tree"])],
  ["read", new Set(["read", "view", "cat", "open"])],
];

/** The action of a tool on its files, derived from words in its name. */
function toolAction(tool: string): TouchAction {
  const words = nameWords(tool);
  return ACTION_WORDS.find(([, actionWords]) => words.some((word) => actionWords.has(word)))?.[0] ?? "use";
}

/** The words in a tool's name, in lower case. */
function nameWords(tool: string): string[] {
  return tool
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

interface WrittenPath {
  written: string;
  /** Set if it differs from the tool's action. */
  action?: TouchAction;
}

/** Arguments that contain a path. */
const PATH_ARGUMENTS = ["path", "file_path", "filePath", "notebook_path", "target_file", "relative_path"];
/** Pairs of arguments of tools that move or copy. */
const MOVES = [
  ["source", "destination"],
  ["source_path", "destination_path"],
  ["old_path", "new_path"],
];

/** The paths in a tool's arguments, including lists of several files. */
function* writtenPaths(
  name: string,
  args: Record<string, unknown>,
  action: TouchAction,
): Generator<WrittenPath> {
  const changed = action === "edit" ? entryActions(args.edits) : [];
  for (const argument of PATH_ARGUMENTS) {
    const path = args[argument];
    if (typeof path !== "string") continue;
    const own = changed.find((each) => each.action !== undefined)?.action;
    yield own ? { written: path, action: own } : { written: path };
    for (const { rename } of changed) if (rename !== undefined) yield { written: rename, action: "write" };
  }
  yield* movedPaths(name, args);
  for (const list of [args.paths, args.files, args.edits, args.multi]) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      if (typeof item === "string") yield { written: item };
      else if (isRecord(item)) {
        for (const path of [item.path, item.file_path]) if (typeof path === "string") yield { written: path };
      }
    }
  }
}

/** The two paths of a tool that moves or copies. */
function* movedPaths(name: string, args: Record<string, unknown>): Generator<WrittenPath> {
  const operation = nameWords(name).find((word) => word === "move" || word === "rename" || word === "copy");
  for (const [from = "", to = ""] of operation ? MOVES : []) {
    const [source, target] = [args[from], args[to]];
    if (typeof source !== "string" || typeof target !== "string") continue;
    // Tools may move other things than files, such as tickets.
    if (!looksLikePath(source) && !looksLikePath(target)) continue;
    yield { written: source, action: operation === "copy" ? "read" : "delete" };
    yield { written: target, action: "write" };
  }
}

/** Actions of oh-my-pi's edits by their `op` and `rename`. All are for the file in the call's arguments. */
function entryActions(edits: unknown): { action?: TouchAction; rename?: string }[] {
  if (!Array.isArray(edits)) return [];
  return edits.filter(isRecord).map(({ op, rename, move }) => {
    const target = typeof rename === "string" ? rename : typeof move === "string" ? move : undefined;
    const removes = op === "delete" || target !== undefined;
    const action: TouchAction | undefined = removes ? "delete" : op === "create" ? "write" : undefined;
    return { ...(action && { action }), ...(target !== undefined && { rename: target }) };
  });
}

/** The tool calls in a subagent's messages. These are unvalidated JSON. */
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

function* touchAll(paths: unknown, action: TouchAction, cwd: string): Generator<TouchedFile> {
  if (!Array.isArray(paths)) return;
  for (const written of paths) {
    const path = typeof written === "string" ? toolPath(written, action, cwd) : null;
    if (path !== null) yield { path, action };
  }
}
