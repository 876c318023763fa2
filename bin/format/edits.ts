/** File changes made by tool calls, for the tools of all agents. */
import {
  getTextArgument,
  INSERTED_TEXT_ARGUMENTS,
  isPatch,
  NEW_TEXT_ARGUMENTS,
  OLD_TEXT_ARGUMENTS,
  PATCH_ARGUMENTS,
  PATCH_FILE_LINE,
  PATH_ARGUMENTS,
  WHOLE_TEXT_ARGUMENTS,
} from "../../src/session/edit-arguments.ts";
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

export { isPatch, PATCH_FILE_LINE };

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

const COVERED: ReadonlySet<string> = new Set([
  ...PATH_ARGUMENTS,
  ...OLD_TEXT_ARGUMENTS,
  ...NEW_TEXT_ARGUMENTS,
  "edits",
]);

/** The change that a tool call makes; undefined if it doesn't edit files. */
export function extractEdit(name = "", args: Fields | null | undefined): Edit | undefined {
  if (!args) return undefined;
  const about = getTextArgument(args, PATH_ARGUMENTS) ?? "";
  const replaced = replacements(args);
  if (replaced.length > 0) return { ...joined(replaced), about, coveredArguments: COVERED };
  const kind = `${name} ${typeof args.command === "string" ? args.command.slice(0, 20) : ""}`;
  if (/patch|diff|edit/i.test(name)) {
    const patch = getTextArgument(args, PATCH_ARGUMENTS);
    if (patch !== undefined && isPatch(patch)) {
      const coveredArguments = new Set([...PATH_ARGUMENTS, ...PATCH_ARGUMENTS]);
      return { ...countPatch(patch), about: about || filesOf(patch), coveredArguments };
    }
  }
  if (about === "") return undefined;
  if (/insert/i.test(kind)) return allAdded(args, about, INSERTED_TEXT_ARGUMENTS);
  return /write|create/i.test(kind) ? allAdded(args, about, WHOLE_TEXT_ARGUMENTS) : undefined;
}

/** The file that a call names, whatever it does with it. Not safe for a terminal. */
export function findPath(args: Fields): string | undefined {
  const patch = getTextArgument(args, PATCH_ARGUMENTS);
  return (
    getTextArgument(args, PATH_ARGUMENTS) ??
    (patch !== undefined && isPatch(patch) ? filesOf(patch) || undefined : undefined)
  );
}

/** The replacements in a file. A text without a replacement is removed. */
function replacements(args: Fields): LineDiff[] {
  const edits = Array.isArray(args.edits) ? args.edits : [];
  return [args, ...edits].flatMap((edit) => {
    if (typeof edit !== "object" || edit === null) return [];
    const before = getTextArgument(edit as Fields, OLD_TEXT_ARGUMENTS);
    if (before === undefined) return [];
    return [diffLines(before, getTextArgument(edit as Fields, NEW_TEXT_ARGUMENTS) ?? "", edits.length || 1)];
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
  const text = getTextArgument(args, names);
  if (text === undefined) return undefined;
  return { ...diffLines("", text), about, coveredArguments: new Set([...PATH_ARGUMENTS, ...names]) };
}

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
    splitLines(truncateText(patch).start).flatMap((line) => PATCH_FILE_LINE.exec(line)?.[1] ?? []),
  );
  const [first = ""] = files;
  return files.size > 1 ? `${files.size} files` : first;
}
