/**
 * An entry's position in the order in which a store searches: entries that were added later, or are newer, have greater ones. It
 * identifies an entry in one store until its file is indexed again. Only stores know what it contains: elsewhere it is a key, or
 * compared with `<`.
 */
export type Position = number | string;

/** A range of positions: `from` is included, `before` is not. */
export interface PositionRange {
  /** Undefined for the first position. */
  from: Position | undefined;
  before: Position;
}

/** Orders positions, oldest first. */
export function comparePositions(a: Position, b: Position): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The smallest position after this one, whether or not an entry has it. */
export function nextPosition(position: Position): Position {
  return typeof position === "number" ? position + 1 : `${position}${AFTER}`;
}

/** Whether a range contains a position. */
export function isInRange({ from, before }: PositionRange, position: Position): boolean {
  return position < before && (from === undefined || position >= from);
}

/** Sorts after the end of a text, and before all positions that are greater. */
const AFTER = "\u0000";
