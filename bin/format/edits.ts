/** File changes made by tool calls, for the tools of all agents. */
import { truncateText } from "./bounded-text.ts";
import { diffLines, type LineDiff, splitLines } from "./line-diff.ts";
import { toOneLine } from "./safe.ts";
import { getMainArgument, relativeTo } from "./tool-call.ts";

export interface Edit extends LineDiff {
  /** The path, or the number of files. Not safe for a terminal. */
  about: string;
  /** The arguments that the diff covers. */
  coveredArguments: ReadonlySet<string>;
}

type Fields = Record<string, unknown>;

/** A tool call on one line, safe for a terminal, and the change it makes if it edits files. */
export interface CallSummary {
  name: string;
  about: string;
  /** Whether `about` is a path. */
  isPath: boolean;
  edit: Edit | undefined;
}

/** @param folder the session's folder; paths below it are relative to it */
export function summarizeCall(
  name: string | undefined,
  args: Fields | null | undefined,
  folder?: string,
): CallSummary {
  const edit = extractEdit(name, args);
  const { text, isPath } = edit
    ? { text: toOneLine(relativeTo(folder, edit.about).slice(0, 1000)), isPath: true }
    : getMainArgument(args, folder);
  return { name: toOneLine((name ?? "?").slice(0, 200)), about: text, isPath, edit };
}

const PATH = ["path", "file_path", "filePath", "filename", "file"];
const OLD = ["oldText", "old_string", "oldString", "old_str", "old_text"];
const NEW = ["newText", "new_string", "newString", "new_str", "new_text"];
const WHOLE = ["content", "file_text", "contents", "text"];
const INSERTED = ["insert_text", "new_str", "text", "content"];
const PATCH = ["patch", "diff", "patchText", "input"];
const COVERED: ReadonlySet<string> = new Set([...PATH, ...OLD, ...NEW, "edits"]);

/** The change that a tool call makes; undefined if it doesn't edit files. */
export function extractEdit(name = "", args: Fields | null | undefined): Edit | undefined {
  if (!args) return undefined;
  const about = textOf(args, PATH) ?? "";
  const replaced = replacements(args);
  if (replaced.length > 0) return { ...joined(replaced), about, coveredArguments: COVERED };
  const kind = `${name} ${typeof args.command === "string" ? args.command.slice(0, 20) : ""}`;
  if (/patch|diff|edit/i.test(name)) {
    const patch = textOf(args, PATCH);
    if (patch !== undefined && isPatch(patch)) {
      const coveredArguments = new Set([...PATH, ...PATCH]);
      return { ...countPatch(patch), about: about || filesOf(patch), coveredArguments };
    }
  }
  if (about === "") return undefined;
  if (/insert/i.test(kind)) return allAdded(args, about, INSERTED);
  return /write|create/i.test(kind) ? allAdded(args, about, WHOLE) : undefined;
}

/** The file that a call names, whatever it does with it. Not safe for a terminal. */
export function findPath(args: Fields): string | undefined {
  const patch = textOf(args, PATCH);
  return (
    textOf(args, PATH) ?? (patch !== undefined && isPatch(patch) ? filesOf(patch) || undefined : undefined)
  );
}

function textOf(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) if (typeof fields[name] === "string") return fields[name];
  return undefined;
}

/** The replacements in a file. A text without a replacement is removed. */
function replacements(args: Fields): LineDiff[] {
  const edits = Array.isArray(args.edits) ? args.edits : [];
  return [args, ...edits].flatMap((edit) => {
    if (typeof edit !== "object" || edit === null) return [];
    const before = textOf(edit as Fields, OLD);
    if (before === undefined) return [];
    return [diffLines(before, textOf(edit as Fields, NEW) ?? "", edits.length || 1)];
  });
}

function joined(parts: readonly LineDiff[]): LineDiff {
  const lines: string[] = [];
  let [added, removed] = [0, 0];
  for (const part of parts) {
    if (lines.length > 0) lines.push(" …");
    for (const line of part.lines) lines.push(line);
    added += part.added;
    removed += part.removed;
  }
  return { lines, added, removed };
}

function allAdded(args: Fields, about: string, names: readonly string[]): Edit | undefined {
  const text = textOf(args, names);
  if (text === undefined) return undefined;
  return { ...diffLines("", text), about, coveredArguments: new Set([...PATH, ...names]) };
}

/** Whether a text is a unified diff, or a patch in the format without line numbers that models write. */
export function isPatch(text: string): boolean {
  return /^(?:@@ -\d+(?:,\d+)? \+\d+|\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: ))/m.test(text);
}

/** The line that names a file in a patch. */
export const FILE_LINE = /^(?:\+\+\+ (?:b\/)?|\*\*\* (?:Update|Add|Delete) File: )(\S.*)$/;

function countPatch(patch: string): LineDiff {
  const { start, more } = truncateText(patch);
  return {
    lines: more === "" ? splitLines(start) : [...splitLines(start), ` ${more}`],
    added: patch.match(/^\+(?!\+\+ )/gm)?.length ?? 0,
    removed: patch.match(/^-(?!-- )/gm)?.length ?? 0,
  };
}

function filesOf(patch: string): string {
  const files = new Set(
    splitLines(truncateText(patch).start).flatMap((line) => FILE_LINE.exec(line)?.[1] ?? []),
  );
  const [first = ""] = files;
  return files.size > 1 ? `${files.size} files` : first;
}
