/** What a tool call wrote to files, from its arguments: for the tools of all agents. */
import {
  getTextArgument,
  INSERTED_TEXT_ARGUMENTS,
  isPatch,
  NEW_TEXT_ARGUMENTS,
  OLD_TEXT_ARGUMENTS,
  PATCH_ARGUMENTS,
  PATH_ARGUMENTS,
  WHOLE_TEXT_ARGUMENTS,
} from "./edit-arguments.ts";
import type { FileChange, Replacement } from "./file-change.ts";
import { isRecord } from "./json.ts";
import { splitPatch } from "./patch-sections.ts";

type Fields = Record<string, unknown>;

/** The changes that a call made if it succeeded; empty if it writes no files. */
export function extractFileChanges(name = "", args: Fields | null | undefined): FileChange[] {
  if (!args) return [];
  const path = getTextArgument(args, PATH_ARGUMENTS) ?? "";
  const edits = toReplacements(args);
  if (edits.length > 0) return path === "" ? [] : [{ kind: "replace", path, edits }];
  if (/patch|diff|edit/i.test(name)) {
    const patch = getTextArgument(args, PATCH_ARGUMENTS);
    if (patch !== undefined && isPatch(patch)) return splitPatch(withoutReturns(patch), path);
  }
  if (path === "") return [];
  const kind = `${name} ${typeof args.command === "string" ? args.command.slice(0, 20) : ""}`;
  if (/insert/i.test(kind)) return toInsertion(args, path);
  if (!/write|create/i.test(kind)) return [];
  const text = getTextArgument(args, WHOLE_TEXT_ARGUMENTS);
  return text === undefined ? [] : [{ kind: "whole", path, text: withoutReturns(text) }];
}

function toReplacements(args: Fields): Replacement[] {
  return [args, ...toEdits(args.edits)].flatMap((edit) => {
    if (!isRecord(edit)) return [];
    const before = getTextArgument(edit, OLD_TEXT_ARGUMENTS);
    if (before === undefined || before === "") return [];
    const after = getTextArgument(edit, NEW_TEXT_ARGUMENTS) ?? "";
    const everywhere = edit.replace_all === true || edit.replaceAll === true || edit.all === true;
    return [{ before: withoutReturns(before), after: withoutReturns(after), everywhere }];
  });
}

/** Some models write the list as JSON in a string, which agents accept. */
function toEdits(edits: unknown): unknown[] {
  if (Array.isArray(edits)) return edits;
  if (typeof edits !== "string" || !edits.trimStart().startsWith("[")) return [];
  try {
    const parsed: unknown = JSON.parse(edits);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function toInsertion(args: Fields, path: string): FileChange[] {
  const text = getTextArgument(args, INSERTED_TEXT_ARGUMENTS);
  const after = args.insert_line ?? args.line;
  if (text === undefined || typeof after !== "number") return [];
  return [{ kind: "insert", path, text: withoutReturns(text), after }];
}

function withoutReturns(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
