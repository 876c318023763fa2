/** Patches as hunks: unified diffs, and the format without line numbers that models write for `apply_patch`. */
import type { FileChange, Hunk } from "./file-change.ts";

const SECTION = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/** The changes of a patch by file. @param path the file of a patch that names none */
export function splitPatch(patch: string, path: string): FileChange[] {
  const changes: FileChange[] = [];
  let file = path;
  let added: string[] | undefined;
  let hunks: Hunk[] = [];
  const flush = () => {
    if (added) changes.push({ kind: "whole", path: file, text: `${added.join("\n")}\n` });
    else if (hunks.length > 0) changes.push({ kind: "patch", path: file, hunks });
    added = undefined;
    hunks = [];
  };
  for (const line of patch.split("\n")) {
    const [, kind, named = ""] = SECTION.exec(line) ?? [];
    const unified = /^\+\+\+ (?:b\/)?([^\t]+)/.exec(line)?.[1];
    if (kind !== undefined || unified !== undefined) {
      flush();
      file = (unified ?? named).trim();
      if (kind === "Add") added = [];
    } else if (/^(?:--- |diff |index |\*\*\* )/.test(line)) {
      if (line.startsWith("diff ")) flush();
    } else if (line.startsWith("@@")) hunks.push({ before: [], after: [] });
    else if (added) {
      if (line.startsWith("+")) added.push(line.slice(1));
    } else addLine(hunks, line);
  }
  flush();
  return changes.filter((change) => change.path !== "" && change.path !== "/dev/null");
}

function addLine(hunks: Hunk[], line: string): void {
  if (line.startsWith("\\")) return; // "No newline at end of file"
  // A patch may begin without `@@`; an empty line is one that has lost its leading space.
  if (hunks.length === 0) {
    if (line === "") return;
    hunks.push({ before: [], after: [] });
  }
  const hunk = hunks.at(-1) as Hunk;
  const text = line.slice(1);
  if (!line.startsWith("+")) hunk.before.push(text);
  if (!line.startsWith("-")) hunk.after.push(text);
}
