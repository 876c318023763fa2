import { PidexError } from "../../src/errors.ts";
import type { EntryRange } from "./hits.ts";

/** What a cursor holds: the question it belongs to, and a page. */
type Parts = [
  madeFor: string,
  lastEntry: number,
  within: [number, number],
  before: [number, number] | null,
  steps: number[],
];

/** Where a page of hits ended. */
export interface SearchPage {
  /** The last entry there was at the first page: those that came later are on no page. */
  lastEntry: number;
  /** The entries to look among: those before them were looked at to the end. */
  within: EntryRange;
  /** The window of the first page among the same entries: what it knew of stands for its copies. */
  before: EntryRange | undefined;
  /** What was shown already (files, or entries of a flat answer), so that nothing comes twice or is passed over. */
  seen: ReadonlySet<number>;
}

/** A cursor belongs to one question: the same query, filters and sort. */
export function encodeSearchCursor(
  { lastEntry, within, before, seen }: SearchPage,
  question: unknown,
): string {
  // As steps from one to the next: much shorter.
  const sorted = [...seen].sort((a, b) => a - b);
  const steps = sorted.map((each, n) => each - (sorted[n - 1] ?? 0));
  return Buffer.from(
    JSON.stringify([hashOf(question), lastEntry, pair(within), before ? pair(before) : null, steps]),
  ).toString("base64url");
}

/** @throws PidexError `BAD_CURSOR` for anything `encodeSearchCursor` did not make for the same question */
export function decodeSearchCursor(cursor: string, question: unknown): SearchPage {
  try {
    const text = Buffer.from(cursor, "base64url").toString("utf8");
    const parts: unknown = JSON.parse(text);
    if (isParts(parts) && parts[0] === hashOf(question)) {
      const [, lastEntry, within, before, steps] = parts;
      let id = 0;
      const seen = steps.map((step) => {
        id += step;
        return id;
      });
      return {
        lastEntry,
        within: range(within),
        before: before ? range(before) : undefined,
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
  const [madeFor, lastEntry, within, before, steps] = parts;
  const isPair = (pair: unknown) => areIntegers(pair) && pair.length === 2;
  return (
    typeof madeFor === "string" &&
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
 * Tells questions apart that are asked by mistake, not by an enemy: a cursor gives nothing that its owner could not ask for.
 * Node's own hashes take 10 ms to load.
 */
function hashOf(question: unknown): string {
  const text = JSON.stringify(question);
  return [0x811c9dc5, 0x9747b28c].map((seed) => fnv(text, seed).toString(36)).join("");
}

/** Fowler, Noll and Vo's hash of 32 bits, over UTF-16 units, from any start. */
function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function badCursor(cause?: unknown): PidexError {
  const hint = "Give the `next` of the page before, with the same query and options, or none to start over.";
  return new PidexError("BAD_CURSOR", "the cursor does not belong to this search", hint, { cause });
}
