import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { EntryRange } from "./hits.ts";

/** The end of a page of hits. */
export interface SearchPage {
  /** Last entry at the time of the first page; newer ones are on no page. */
  lastEntry: number;
  /** Range of entries to search; newer or older ones have been returned completely. */
  within: EntryRange;
  /** Window of the first page in the same range: hits in it are preferred over their copies. */
  firstWindow?: EntryRange | undefined;
  /** Ids returned so far (files, or entries for flat results), so that none is repeated or skipped. */
  seen: ReadonlySet<number>;
}

/** Stands for the limits of a window that a page does not have. */
const NONE = -1;

/** Encodes a cursor. It is valid for one request: the same query, filters and sort. */
export function encodeSearchCursor(
  { lastEntry, within, firstWindow, seen }: SearchPage,
  request: unknown,
): string {
  const window = [within.first, within.last, firstWindow?.first ?? NONE, firstWindow?.last ?? NONE];
  // Differences between sorted ids are much shorter than ids.
  const sorted = [...seen].sort((a, b) => a - b);
  const steps = sorted.map((each, n) => each - (sorted[n - 1] ?? 0));
  return encodeCursor([lastEntry, ...window, ...steps], request);
}

/** @throws PidexError `BAD_CURSOR` unless `encodeSearchCursor` created it for the same request */
export function decodeSearchCursor(cursor: string, request: unknown): SearchPage {
  const numbers = decodeCursor(cursor, request, 5, "search");
  const [lastEntry, first, last, firstOfFirst, lastOfFirst, ...steps] = numbers as [
    ...[number, number, number, number, number],
    ...number[],
  ];
  let id = 0;
  const seen = steps.map((step) => {
    id += step;
    return id;
  });
  return {
    lastEntry,
    within: { first, last },
    firstWindow: firstOfFirst === NONE ? undefined : { first: firstOfFirst, last: lastOfFirst },
    seen: new Set(seen),
  };
}
