import { PidexError } from "../../src/errors.ts";
import type { EntryRange } from "./hits.ts";

/** Contents of a cursor: the request it belongs to, and the page. */
type Parts = [
  requestHash: string,
  lastEntry: number,
  within: [number, number],
  before: [number, number] | null,
  steps: number[],
];

/** The end of a page of hits. */
export interface SearchPage {
  /** Last entry at the time of the first page; newer ones are on no page. */
  lastEntry: number;
  /** Range of entries to search; newer or older ones have been returned completely. */
  within: EntryRange;
  /** Window of the first page in the same range: hits in it are preferred over their copies. */
  firstWindow: EntryRange | undefined;
  /** Ids returned so far (files, or entries for flat results), so that none is repeated or skipped. */
  seen: ReadonlySet<number>;
}

/** Encodes a cursor. It is valid for one request: the same query, filters and sort. */
export function encodeSearchCursor(
  { lastEntry, within, firstWindow, seen }: SearchPage,
  request: unknown,
): string {
  // Differences between sorted ids are much shorter than ids.
  const sorted = [...seen].sort((a, b) => a - b);
  const steps = sorted.map((each, n) => each - (sorted[n - 1] ?? 0));
  return Buffer.from(
    JSON.stringify([
      hashRequest(request),
      lastEntry,
      pair(within),
      firstWindow ? pair(firstWindow) : null,
      steps,
    ]),
  ).toString("base64url");
}

/** @throws PidexError `BAD_CURSOR` unless `encodeSearchCursor` created it for the same request */
export function decodeSearchCursor(cursor: string, request: unknown): SearchPage {
  try {
    const text = Buffer.from(cursor, "base64url").toString("utf8");
    const parts: unknown = JSON.parse(text);
    if (isParts(parts) && parts[0] === hashRequest(request)) {
      const [, lastEntry, within, before, steps] = parts;
      let id = 0;
      const seen = steps.map((step) => {
        id += step;
        return id;
      });
      return {
        lastEntry,
        within: range(within),
        firstWindow: before ? range(before) : undefined,
        seen: new Set(seen),
      };
    }
  } catch (error) {
    throw badCursor(error);
  }
  throw badCursor();
}

function pair({ first, last }: EntryRange): [number, number] {
  return [first, last];
}

function range([first, last]: [number, number]): EntryRange {
  return { first, last };
}

function isParts(parts: unknown): parts is Parts {
  if (!Array.isArray(parts) || parts.length !== 5) return false;
  const [requestHash, lastEntry, within, before, steps] = parts;
  const isPair = (pair: unknown) => areIntegers(pair) && pair.length === 2;
  return (
    typeof requestHash === "string" &&
    Number.isSafeInteger(lastEntry) &&
    isPair(within) &&
    (before === null || isPair(before)) &&
    areIntegers(steps)
  );
}

function areIntegers(values: unknown): values is number[] {
  return Array.isArray(values) && values.every(Number.isSafeInteger);
}

/**
 * Detects cursors used with another request by mistake. It need not be secure: a cursor grants no access. Loading node:crypto
 * takes 10 ms.
 */
function hashRequest(request: unknown): string {
  const text = JSON.stringify(request);
  return [0x811c9dc5, 0x9747b28c].map((seed) => fnv(text, seed).toString(36)).join("");
}

/** 32-bit FNV hash over UTF-16 units, with a seed. */
function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function badCursor(cause?: unknown): PidexError {
  const hint =
    "Pass the `next` of the previous page with the same query and options, or omit the cursor to start over.";
  return new PidexError("BAD_CURSOR", "the cursor does not belong to this search", hint, { cause });
}
