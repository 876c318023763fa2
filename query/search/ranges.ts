import { nextPosition, type Position, type PositionRange } from "../../src/store/position.ts";

/** All entries before the end of a search. */
export function wholeRange(end: Position): PositionRange {
  return { from: undefined, before: end };
}

/** Whether a range contains all entries before the end of a search. */
export function isWhole({ from, before }: PositionRange, end: Position): boolean {
  return from === undefined && before === end;
}

export function areEqual(a: PositionRange, b: PositionRange): boolean {
  return a.from === b.from && a.before === b.before;
}

/** The smallest range that contains all rows, of which there must be one. */
export function rangeOf(rows: readonly { position: Position }[]): PositionRange {
  let { position: first } = rows[0] as { position: Position };
  let last = first;
  for (const { position } of rows) {
    if (position < first) first = position;
    if (position > last) last = position;
  }
  return { from: first, before: nextPosition(last) };
}

/** The part of a range beyond its last hit, in the direction in which hits are read. */
export function rangeBeyond(
  { from, before }: PositionRange,
  last: Position,
  direction: "newest" | "oldest",
): PositionRange {
  return direction === "newest" ? { from, before: last } : { from: nextPosition(last), before };
}

/** A range without the part beyond its window. */
export function windowOf({ from, before }: PositionRange, beyond: PositionRange | undefined): PositionRange {
  if (!beyond) return { from, before };
  return beyond.from === from ? { from: beyond.before, before } : { from, before: beyond.from as Position };
}
