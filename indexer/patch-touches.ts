import type { TouchAction } from "../src/database/schema.ts";
import { absolutePath, type TouchedFile } from "./touched-file.ts";

const ACTIONS: Record<string, TouchAction> = {
  Add: "write",
  Update: "edit",
  Delete: "delete",
  "Move to": "write",
};

/** `*** Update File: a.ts`, as in patches for `apply_patch`. */
const SECTION = /^\*\*\* (?:(Add|Update|Delete) File|(Move to)): (.+)$/;
/** `[a.ts#0A1B]`, or `¶a.ts#0A1B` before that: a file, and a hash of what it holds, before the edits of its lines. */
const ANCHORED = /^(?:\[([^\]#]+)#[0-9A-Za-z]+\]|¶([^#]+)(?:#[0-9A-Za-z]+)?)$/;

/** The files that a patch in one text is for. What is to be put into them is not looked at. */
export function* patchTouches(patch: string, cwd: string): Generator<TouchedFile> {
  for (const line of patch.split("\n")) {
    const text = line.trimEnd();
    const [, what, move, named] = SECTION.exec(text) ?? [];
    const [, bracketed, marked] = named === undefined ? (ANCHORED.exec(text) ?? []) : [];
    const path = absolutePath(named ?? bracketed ?? marked ?? "", cwd);
    if (path !== null) yield { path, action: ACTIONS[what ?? move ?? "Update"] as TouchAction };
  }
}
