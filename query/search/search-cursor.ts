import { hash } from "node:crypto";
import { z } from "zod";
import { PidexError } from "../../src/errors.ts";
import type { EntryRange } from "./hits.ts";

const Range = z.tuple([z.int(), z.int()]);
const Cursor = z.tuple([z.string(), z.int(), Range, Range.nullable(), z.array(z.int())]);

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
    const [madeFor, lastEntry, within, before, steps] = Cursor.parse(JSON.parse(text));
    if (madeFor === hashOf(question)) {
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

function hashOf(question: unknown): string {
  return hash("sha1", JSON.stringify(question), "base64url").slice(0, 10);
}

function badCursor(cause?: unknown): PidexError {
  const hint = "Give the `next` of the page before, with the same query and options, or none to start over.";
  return new PidexError("BAD_CURSOR", "the cursor does not belong to this search", hint, { cause });
}
