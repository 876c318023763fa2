/** Hits of searches on a line of a terminal. */
import type { Piece } from "./hits.ts";
import { cutStart, width } from "./text.ts";

/** Pieces with less before the first find, where it would not be seen else. */
export function around(pieces: Piece[], columns: number): Piece[] {
  const [before, find, ...rest] = pieces;
  if (!before || !find || width(before.text) + width(find.text) <= (columns * 2) / 3) return pieces;
  if (width(pieces.map(({ text }) => text).join("")) <= columns) return pieces;
  return [{ ...before, text: cutStart(before.text, Math.floor(columns / 3)) }, find, ...rest];
}
