/** Snippets on one line of a terminal. */
import type { Segment } from "./hits.ts";
import { measureWidth, truncateStart } from "./text.ts";

/** The segments of a snippet, with the text before the first match shortened if the match would be cut off. */
export function showFirstMatch(pieces: Segment[], columns: number): Segment[] {
  const [before, find, ...rest] = pieces;
  if (!before || !find || measureWidth(before.text) + measureWidth(find.text) <= (columns * 2) / 3)
    return pieces;
  if (measureWidth(pieces.map(({ text }) => text).join("")) <= columns) return pieces;
  return [{ ...before, text: truncateStart(before.text, Math.floor(columns / 3)) }, find, ...rest];
}
