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

/** The same as JSON. Differences between sorted ids are much shorter than ids. */
type SentPage = Omit<SearchPage, "seen"> & { steps: number[] };

/** Encodes a cursor. It is valid for one request: the same query, filters and sort. */
export function encodeSearchCursor({ seen, ...page }: SearchPage, request: unknown): string {
  const sorted = [...seen].sort((a, b) => a - b);
  const steps = sorted.map((each, n) => each - (sorted[n - 1] ?? 0));
  return encodeCursor({ ...page, steps } satisfies SentPage, request);
}

/** @throws PidexError `BAD_CURSOR` unless `encodeSearchCursor` created it for the same request */
export function decodeSearchCursor(cursor: string, request: unknown): SearchPage {
  const { steps, ...page } = decodeCursor<SentPage>(cursor, request, "search");
  let id = 0;
  const seen = steps.map((step) => {
    id += step;
    return id;
  });
  return { ...page, seen: new Set(seen) };
}
