import type { TouchAction } from "../src/store/schema.ts";
import { resolvePath, type TouchedFile } from "./touched-file.ts";

const ACTIONS: Record<string, TouchAction> = { Add: "write", Update: "edit", Delete: "delete" };

/** `*** Update File: a.ts`, as in patches for `apply_patch`. */
const SECTION = /^\*\*\* (?:(Add|Update|Delete) File|(Move to)): (.+)$/;
/** `[a.ts#0A1B]`, or `¶a.ts#0A1B` before that: a file with a hash of its content, followed by edits of its lines. */
const ANCHORED = /^(?:\[([^\]#]+)#[0-9A-Za-z]+\]|¶([^#]+)(?:#[0-9A-Za-z]+)?)$/;
/** `MV b.ts` and `REM` after such a line: the file is moved or deleted. */
const WHOLE_FILE = /^(?:MV (.+)|REM)$/;
/** `<SM:EDIT path="a.ts">`, or `*** SM:EDIT a.ts`: followed by verbatim lines of the file. */
const QUOTING = /^(?:<SM:EDIT\s+path=(?:"([^"]+)"|'([^']+)')[^>]*>|\*\*\* SM:EDIT\s+(\S.*))$/;
/** `--- a/a.ts` and `+++ b/a.ts` in successive lines, as in the output of `diff -u` and `git diff`. */
const UNIFIED = /^--- (?:"?a\/)?([^\t\n"]+)"?(?:\t.*)?\n\+\+\+ (?:"?b\/)?([^\t\n"]+)"?(?:\t.*)?$/gm;
const RENAMED = /^rename (from|to) (.+)$/gm;
const NO_FILE = "/dev/null";

/** The files that a patch changes, by its headers. */
export function* extractPatchTouches(patch: string, cwd: string): Generator<TouchedFile> {
  for (const { named, action } of namedFiles(patch.replace(/\r\n/g, "\n"))) {
    const path = resolvePath(named.replace(/^(["'])(.*)\1$/, "$2"), cwd);
    if (path !== null) yield { path, action };
  }
}

interface NamedFile {
  named: string;
  action: TouchAction;
}

function namedFiles(patch: string): NamedFile[] {
  const lines = patch.split("\n").map((line) => line.trimEnd());
  // Verbatim lines may look like headers of other patch formats.
  if (QUOTING.test(lines.find(Boolean) ?? "")) {
    return lines.flatMap((line) => {
      const [, double, single, plain] = QUOTING.exec(line) ?? [];
      const named = double ?? single ?? plain?.replace(/[ \t]all$/, "").trimEnd();
      return named === undefined ? [] : { named, action: "edit" };
    });
  }
  const sections = sectionFiles(lines);
  return sections.length > 0 ? sections : unifiedFiles(patch);
}

function sectionFiles(lines: readonly string[]): NamedFile[] {
  const files: NamedFile[] = [];
  let isAnchored = false;
  const move = (target: string): void => {
    const source = files.at(-1);
    if (source) source.action = "delete";
    files.push({ named: target, action: "write" });
  };
  for (const line of lines) {
    const [, what, , named] = SECTION.exec(line) ?? [];
    const [, bracketed, marked] = ANCHORED.exec(line) ?? [];
    const anchored = bracketed ?? marked;
    const whole = isAnchored ? WHOLE_FILE.exec(line) : null;
    if (named !== undefined) {
      if (what === undefined) move(named);
      else files.push({ named, action: ACTIONS[what] as TouchAction });
      isAnchored = false;
    } else if (anchored !== undefined) {
      files.push({ named: anchored, action: "edit" });
      isAnchored = true;
    } else if (whole?.[1] !== undefined) move(whole[1]);
    else if (whole) (files.at(-1) as NamedFile).action = "delete";
  }
  return files;
}

function unifiedFiles(patch: string): NamedFile[] {
  const changed = Array.from(patch.matchAll(UNIFIED), ([, from = "", to = ""]): NamedFile => {
    if (to === NO_FILE) return { named: from, action: "delete" };
    return { named: to, action: from === NO_FILE ? "write" : "edit" };
  });
  const renamed = Array.from(
    patch.matchAll(RENAMED),
    ([, end, named = ""]): NamedFile => ({ named, action: end === "from" ? "delete" : "write" }),
  );
  return [...changed, ...renamed];
}
