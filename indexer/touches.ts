import type { Entry, Message } from "../src/session/entries.ts";
import { isRecord } from "../src/session/json.ts";
import type { TouchAction } from "../src/store/sqlite/schema.ts";
import { ipythonTouches } from "./ipython-touches.ts";
import { javascriptTouches } from "./javascript-touches.ts";
import { patchTouches } from "./patch-touches.ts";
import { powershellTouches } from "./powershell-touches.ts";
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
      return ipythonTouches(message.code ?? "", cwd);
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

/** Tools that run code: prime-agent's only one, and oh-my-pi's `eval`, in Python where they don't say what it is. */
const CODE = new Set(["ipython", "python", "eval"]);
/** `%load tools/x.py` as a whole cell of oh-my-pi's `eval`. */
const LOADED = /^%load[ \t]+(["']?)([^"'\s][^"'\n]*)\1$/;

function* callTouches({ name = "", arguments: args }: ToolCall, cwd: string): Generator<TouchedFile> {
  if (!args) return;
  const shell = SHELLS.get(name.toLowerCase());
  if (shell) {
    if (typeof args.command === "string") yield* shell(args.command, folderOf(args, cwd));
    return;
  }
  if (CODE.has(name)) {
    for (const cell of cells(args)) yield* cellTouches(cell, cwd, name === "eval");
    return;
  }
  if (name === "lsp") {
    yield* lspTouches(args, cwd);
    return;
  }
  const action = editorAction(name, args) ?? actionOf(name);
  // A patch in one text names the files itself.
  if (action === "edit") {
    for (const patch of [args.input, args.patch]) {
      if (typeof patch === "string") yield* patchTouches(patch, cwd);
    }
  }
  for (const { written, action: own = action } of writtenPaths(name, args, action)) {
    // Of a tool nobody knows, `path` may be anything.
    const path = own !== "use" || looksLikePath(written) ? toolPath(written, own, cwd) : null;
    if (path !== null) yield { path, action: own };
  }
}

function cellTouches({ code, language }: Cell, cwd: string, hasHelpers: boolean): Iterable<TouchedFile> {
  const loaded = hasHelpers ? LOADED.exec(code.trim())?.[2] : undefined;
  if (loaded !== undefined) return listed([loaded], "read", cwd);
  return language === "js" ? javascriptTouches(code, cwd, hasHelpers) : ipythonTouches(code, cwd, hasHelpers);
}

/** oh-my-pi's language server: what it changes besides the file that is named stands in its answer alone. */
function* lspTouches(args: Record<string, unknown>, cwd: string): Generator<TouchedFile> {
  const { action, file, new_name: target, apply } = args;
  if (typeof file !== "string" || file.includes("*")) return;
  const isApplied = action === "code_actions" ? apply === true : apply !== false;
  const changes = isApplied && (action === "rename" || action === "code_actions");
  const moves = isApplied && action === "rename_file" && typeof target === "string";
  yield* listed([file], moves ? "delete" : changes ? "edit" : "read", cwd);
  if (moves) yield* listed([target], "write", cwd);
}

/** What the editors that Anthropic and others describe do, by their `command`. */
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

interface Cell {
  code: string;
  language: "py" | "js";
}

/** The pieces of code that a tool was to run. Of cells in other languages nothing is read. */
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

/** More than any system takes. */
const LONGEST_PATH = 4096;

/** What is read out of a file: `a.zip:src/a.ts`, `a.zip!/src/a.ts`, `till.db:sales?limit=5`. */
const WITHIN =
  /^(.+?\.(?:zip|jar|apk|whl|asar|iso|rar|7z|deb|rpm|tgz|txz|tar(?:\.\w{2,4})?)(?=:|!\/)|.+?\.(?:db|sqlite3?)(?=[:?]))/i;

/** oh-my-pi reads `src/a.ts:10-40`, `:raw`, `:5,9-12`, `:-20`: lines of a file, which is named before. */
function withoutSelector(path: string): string {
  if (path.length > LONGEST_PATH) return path; // no file has it, and the expression would take long
  const whole = WITHIN.exec(path)?.[1] ?? path;
  return whole.replace(
    /(?::(?:raw|img|conflicts|-?L?\d+(?:(?:-|\.\.|\+)(?:L?\d+)?)?(?:,L?\d+(?:-L?\d+)?)*))+$/,
    "",
  );
}

/** pi's tools take a path after an `@`, as users write it. */
function toolPath(written: string, action: TouchAction, cwd: string): string | null {
  const named = written.startsWith("@") ? written.slice(1) : written;
  const path = action === "read" ? withoutSelector(named) : named;
  const wildcard = path.indexOf("*");
  if (wildcard < 0) return absolutePath(path, cwd);
  // Of a pattern only the folder is known that is searched.
  const folder = /^(.*)[\\/]/s.exec(path.slice(0, wildcard))?.[1];
  return action === "search" && folder ? absolutePath(folder, cwd) : null;
}

/** Which words in a tool's name tell what it does, the strongest first: `search_replace` edits. */
const ACTION_WORDS: readonly [TouchAction, ReadonlySet<string>][] = [
  ["edit", new Set(["edit", "multiedit", "replace", "patch", "update", "insert", "append", "rename"])],
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
  const words = nameWords(tool);
  return ACTION_WORDS.find(([, telling]) => words.some((word) => telling.has(word)))?.[0] ?? "use";
}

/** The words in a tool's name, in small letters. */
function nameWords(tool: string): string[] {
  return tool
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

interface WrittenPath {
  written: string;
  /** Where it is another than the tool's. */
  action?: TouchAction;
}

/** Arguments that hold a path, and those of tools that move or copy, in pairs. */
const PATH_ARGUMENTS = ["path", "file_path", "filePath", "notebook_path", "target_file", "relative_path"];
const MOVES = [
  ["source", "destination"],
  ["source_path", "destination_path"],
  ["old_path", "new_path"],
];

/** The paths among a tool's arguments, of several files too where a tool takes several. */
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
  const moves = nameWords(name).find((word) => word === "move" || word === "rename" || word === "copy");
  for (const [from = "", to = ""] of moves ? MOVES : []) {
    const [source, target] = [args[from], args[to]];
    if (typeof source !== "string" || typeof target !== "string") continue;
    // Of other things than files, such as tickets, both are words.
    if (!looksLikePath(source) && !looksLikePath(target)) continue;
    yield { written: source, action: moves === "copy" ? "read" : "delete" };
    yield { written: target, action: "write" };
  }
}

/** oh-my-pi's patches by `op` and `rename`, each of which is for the file that the call names. */
function entryActions(edits: unknown): { action?: TouchAction; rename?: string }[] {
  if (!Array.isArray(edits)) return [];
  return edits.filter(isRecord).map(({ op, rename, move }) => {
    const target = typeof rename === "string" ? rename : typeof move === "string" ? move : undefined;
    const removes = op === "delete" || target !== undefined;
    const action: TouchAction | undefined = removes ? "delete" : op === "create" ? "write" : undefined;
    return { ...(action && { action }), ...(target !== undefined && { rename: target }) };
  });
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
    const path = typeof written === "string" ? toolPath(written, action, cwd) : null;
    if (path !== null) yield { path, action };
  }
}
