import type { Hunk } from "../../src/session/file-change.ts";
import { isRecord } from "../../src/session/json.ts";

/** A part of the diff that a tool showed, and the number of its first line in the file before the change, from 1. */
export interface ShownHunk extends Hunk {
  start: number;
}

/** A line of pi's diffs: its sign, its number in the old or the new file, and its text. */
const NUMBERED = /^([ +-]) *(\d+) ?(.*)$/s;

/**
 * The hunks of the diff in the details of a tool result, as pi records them: with up to four unchanged lines around each change. Empty if
 * there is none.
 */
export function parseShownDiff(details: unknown): ShownHunk[] {
  const diff = isRecord(details) ? details.diff : undefined;
  if (typeof diff !== "string") return [];
  const hunks: ShownHunk[] = [];
  let hunk: ShownHunk | undefined;
  for (const line of diff.split("\n")) {
    const [, sign, number, text = ""] = NUMBERED.exec(line.replace(/\r$/, "")) ?? [];
    if (sign === undefined) {
      hunk = undefined; // `...` between two changes
      continue;
    }
    // An added line has the number that it gets: the same as the line before which it is inserted, in the first hunk.
    if (!hunk) {
      hunk = { start: Number(number), before: [], after: [] };
      hunks.push(hunk);
    }
    if (sign !== "+") hunk.before.push(text);
    if (sign !== "-") hunk.after.push(text);
  }
  return hunks;
}
