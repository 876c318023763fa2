/** Snippets on one line of a terminal. */
import type { Piece } from "./hits.ts";
import { cutStart, width } from "./text.ts";

/** The segments of a snippet, with the text before the first match shortened if the match would be cut off. */
export function around(pieces: Piece[], columns: number): Piece[] {
  const [before, find, ...rest] = pieces;
  if (!before || !find || width(before.text) + width(find.text) <= (columns * 2) / 3) return pieces;
  if (width(pieces.map(({ text }) => text).join("")) <= columns) return pieces;
  return [{ ...before, text: cutStart(before.text, Math.floor(columns / 3)) }, find, ...rest];
}
