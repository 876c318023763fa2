import type { Position, PositionRange } from "../../src/store/position.ts";
import { decodePositions, encodeCursor } from "../cursor.ts";

/** The end of a page of hits. */
export interface SearchPage {
  /** The position after the last entry at the time of the first page; later ones are on no page. */
  end: Position;
  /** Range of entries to search; newer or older ones have been returned completely. */
  within: PositionRange;
  /** Window of the first page in the same range: hits in it are preferred over their copies. */
  firstWindow?: PositionRange | undefined;
  /** What was returned so far (files, or entries for flat results), so that none is repeated or skipped. */
  seen: ReadonlySet<Position>;
}

/** Stands for the first position, and for a window that a page does not have. */
const NONE = -1;

/** Raise it if the contents of a cursor change: older versions may have written those that are still in use. */
const LAYOUT = 2;

/** Encodes a cursor. It is valid for one request: the same query, filters and sort. */
export function encodeSearchCursor({ end, within, firstWindow, seen }: SearchPage, request: unknown): string {
  const limits = [within.from, within.before, firstWindow?.from, firstWindow?.before];
  return encodeCursor([end, ...limits.map((each) => each ?? NONE), ...toSteps(seen)], [LAYOUT, request]);
}

/** @throws PidexError `BAD_CURSOR` unless `encodeSearchCursor` created it for the same request */
export function decodeSearchCursor(cursor: string, request: unknown): SearchPage {
  const [end, from, before, firstFrom, firstBefore, ...steps] = decodePositions(
    cursor,
    [LAYOUT, request],
    5,
  ) as [...[Position, Position, Position, Position, Position], ...Position[]];
  const start = (position: Position) => (position === NONE ? undefined : position);
  return {
    end,
    within: { from: start(from), before },
    firstWindow: firstBefore === NONE ? undefined : { from: start(firstFrom), before: firstBefore },
    seen: fromSteps(steps),
  };
}

/** Differences between sorted numbers are much shorter than the numbers. Texts stay as they are. */
function toSteps(seen: ReadonlySet<Position>): Position[] {
  const numbers = [...seen].filter((each) => typeof each === "number").sort((a, b) => a - b);
  const steps = numbers.map((each, n) => each - (numbers[n - 1] ?? 0));
  return [...steps, ...[...seen].filter((each) => typeof each === "string")];
}

function fromSteps(steps: readonly Position[]): Set<Position> {
  let last = 0;
  return new Set(
    steps.map((step) => {
      if (typeof step === "string") return step;
      last += step;
      return last;
    }),
  );
}
