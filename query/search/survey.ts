import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, sql } from "../../src/store/sqlite/sql.ts";
import type { Part } from "../match.ts";

/**
 * From how many entries on words are common. To weigh words, bm25 first counts all entries that have them, which takes a
 * millisecond for so many and is told by few of them: what stands everywhere weighs next to nothing.
 */
export const COMMON = 20_000;

/** What is looked up before a search begins. */
export interface Survey {
  /** The last entry there is. */
  lastEntry: number;
  /**
   * In how many entries the words of each part stand, counted up to `COMMON`; of a phrase, its rarest word. Of conditions
   * that is not known.
   */
  counts: ReadonlyMap<Part, number>;
  /** Of an OR that many entries match, the sides that few do: their hits would be lost among those of the others. */
  rareSides: ReadonlyMap<Part, string[]>;
}

/** A side of an OR with fewer entries than this is rare: all of its hits fit the first window. */
const RARE = 2_000;

export async function survey(db: Reader, parts: readonly Part[]): Promise<Survey> {
  const words = parts.filter((part) => part.kind === "words");
  const sides = words.flatMap(({ alternatives = [] }) => alternatives);
  const counts = [
    ...words.flatMap(({ bounds }) => bounds).map((bound) => sql`, ${countUpTo(COMMON, bound)}`),
    ...sides.map((side) => sql`, ${countUpTo(RARE, side)}`),
  ];
  const { rows } = await sql<{ found: string }>`
    SELECT json_array((SELECT max(id) FROM entry)${sql.join(counts, sql``)}) AS found`.execute(db);
  const [lastEntry, ...counted] = JSON.parse(rows[0]?.found ?? "[]") as (number | null)[]; // what SQLite has just made
  const next = () => counted.shift() ?? 0;
  const countOf = new Map(words.map((part) => [part, Math.min(...part.bounds.map(next))]));
  const rareSides = new Map<Part, string[]>();
  for (const part of words) {
    const rare = (part.alternatives ?? []).filter(() => next() < RARE);
    if (rare.length > 0 && (countOf.get(part) ?? 0) >= RARE) rareSides.set(part, rare);
  }
  return { lastEntry: lastEntry ?? 0, counts: countOf, rareSides };
}

/** Whether any entry matches an expression. */
export async function isAnywhere(db: Reader, expression: string): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`SELECT ${countUpTo(1, expression)} AS count`.execute(db);
  return rows[0]?.count === 1;
}

function countUpTo(most: number, expression: string): Sql<number> {
  return sql`(SELECT count(*) FROM (SELECT rowid FROM entry_text WHERE entry_text MATCH ${expression} LIMIT ${sql.lit(most)}))`;
}
