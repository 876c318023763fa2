import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type CompiledQuery, compileQuery } from "../../../query/compile-query.ts";
import { findHits, type HitRow } from "../../../query/search/hits.ts";
import { scoreTerms } from "../../../query/search/score-terms.ts";
import { readTermStats } from "../../../query/search/term-stats.ts";
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
  return database.reader;
}

/** Rows of hits, scored by some of their words as if the others were common, best first. */
async function scoreBy(query: string, scored: string[], more: boolean) {
  const db = await opened();
  const { clauses } = compileQuery(query);
  const expressions = clauses.flatMap((part) => ("expression" in part ? [part.expression] : []));
  const plan = { expressions, scored, excluded: [], conditions: [] };
  const within = { first: 0, last: 100 };
  const { rows } = await findHits(db, plan, { size: undefined, from: "newest", within });
  await scoreTerms(db, rows, plan, more);
  return rows.toSorted((a, b) => b.words - a.words);
}
const lines = (rows: readonly HitRow[]) => rows.map(({ line }) => line);

describe("a hit is scored", () => {
  test("by its uncommon words, if it has any", async () => {
    const rows = await scoreBy("the total", ['"total"'], true);
    const alone = await scoreBy("total", ['"total"'], true);
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
    const atOnce = await scoreBy("tax", ['"tax"'], false);
    expect(few.map(({ words }) => words)).toEqual(atOnce.map(({ words }) => words));
  });
});

describe("term statistics contain", () => {
  const counts = async ({ clauses }: CompiledQuery) => {
    const { lastEntry, counts } = await readTermStats(await opened(), clauses);
    return { lastEntry, counts: clauses.map((part) => counts.get(part)) };
  };

  test("the number of entries per word; for a phrase, of its rarest word; for a condition, nothing", async () => {
    const query = compileQuery('the tax "the total" (tax OR total) qwertzuiop file:a.ts');
    expect(await counts(query)).toEqual({ lastEntry: 5, counts: [5, 3, 2, 5, 0, undefined] });
  });

  test("the last entry, if the query has no words", async () => {
    expect(await counts(compileQuery("role:user"))).toEqual({ lastEntry: 5, counts: [] });
  });
});
