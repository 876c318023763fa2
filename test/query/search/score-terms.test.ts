import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type CompiledQuery, compileQuery } from "../../../query/compile-query.ts";
import { scoreTerms } from "../../../query/search/score-terms.ts";
import { readTermStats } from "../../../query/search/term-stats.ts";
import { toRoot } from "../../../src/session/locations.ts";
import type { HitConditions } from "../../../src/store/conditions.ts";
import type { HitRow } from "../../../src/store/search-reads.ts";
import { SqliteSearchReads } from "../../../src/store/sqlite/search-reads.ts";
import { toPhrase } from "../../../src/store/text-expression.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";

const LONG = "and so on and on, in very many words ".repeat(100);

async function opened() {
  const root = temporaryFolder();
  session({ id: "talk" })
    .user("the tax")
    .user(`the tax is late ${LONG}`)
    .user(`the total of it, the total ${LONG}`)
    .user("the total once")
    .assistant("the tax")
    .writeUnder(root);
  const database = await databaseIn(temporaryFolder());
  await syncFolders(database, root);
  return new SqliteSearchReads(database.reader, { roots: [toRoot(root)] });
}

/** Rows of hits, scored by some of their words as if the others were common, best first. */
async function scoreBy(query: string, scored: string[], more: boolean) {
  const reads = await opened();
  const { clauses } = compileQuery(query);
  const conditions: HitConditions = {
    texts: clauses.flatMap((part) => ("expression" in part ? [part.expression] : [])),
    scored: scored.map((word) => toPhrase(word, false)),
    excluded: [],
    session: { kind: "all", of: [] },
    entry: [],
  };
  const within = { from: undefined, before: 101 };
  const { rows } = await reads.findHits(conditions, { size: undefined, from: "newest", within });
  await scoreTerms(reads, rows, conditions, more);
  return rows.toSorted((a, b) => b.words - a.words);
}
const lines = (rows: readonly HitRow[]) => rows.map(({ line }) => line);

describe("a hit is scored", () => {
  test("by its uncommon words, if it has any", async () => {
    const rows = await scoreBy("the total", ["total"], true);
    const alone = await scoreBy("total", ["total"], true);
    expect(rows.map(({ line, words }) => [line, words])).toEqual(
      alone.map(({ line, words }) => [line, words]),
    );
    expect(rows[0]?.words).toBeGreaterThan(rows[1]?.words as number);
  });

  test("by role and length, if all words are common and hits are many", async () => {
    const rows = await scoreBy("the", [], true);
    expect(lines(rows).slice(0, 2)).toEqual([2, 5]); // short, and written by the user
    expect(lines(rows)[2]).toBe(6); // short, but written by the model
    for (const { words } of rows) expect(words).toBeGreaterThan(0);
  });

  test("by all words, if they are common and hits are few", async () => {
    const few = await scoreBy("tax", [], false);
    const atOnce = await scoreBy("tax", ["tax"], false);
    expect(few.map(({ words }) => words)).toEqual(atOnce.map(({ words }) => words));
  });
});

describe("term statistics contain", () => {
  const counts = async ({ clauses }: CompiledQuery) => {
    const { end, entries, counts } = await readTermStats(await opened(), clauses);
    return { end, entries, counts: clauses.map((part) => counts.get(part)) };
  };

  test("the number of entries per word; for a phrase, of its rarest word; for a condition, nothing", async () => {
    const query = compileQuery('the tax "the total" (tax OR total) qwertzuiop file:a.ts');
    expect(await counts(query)).toEqual({ end: 6, entries: 5, counts: [5, 3, 2, 5, 0, undefined] });
  });

  test("the last entry, if the query has no words", async () => {
    expect(await counts(compileQuery("role:user"))).toEqual({ end: 6, entries: 5, counts: [] });
  });
});
