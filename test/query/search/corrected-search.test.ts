import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { failure, indexed } from "../opened-queries.ts";

/** 30 sessions about rounding, one per day; the first 20 are in a folder of their own. */
const sessions = Array.from({ length: 30 }, (_, n) =>
  session({
    id: `s${n}`,
    cwd: n < 20 ? "/home/ada/shop" : "/home/ada/blog",
    timestamp: `2026-01-${String(n + 1).padStart(2, "0")}T09:00:00.000Z`,
  })
    .user(`Rounding of total ${n}`)
    .assistant("The rounding is wrong."),
);

/** Scores depend on the time of the search. */
const withoutScores = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each) => (key === "score" ? undefined : each)));

describe("a query that matches nothing in full because of misspelled words", () => {
  test.each([
    ["a typo in one word of several", "roundign total", "rounding total"],
    ["a typo in the only word", "roundign", "rounding"],
    ["two typos in a long word", "roundigm", "rounding"],
    ["a letter too many", "roundingg", "rounding"],
    ["a field beside it", "roundign project:shop", "rounding project:shop"],
  ])("has the results of the corrected query: %s", async (_, query, corrected) => {
    const { index } = await indexed(...sessions);
    const found = await index.search(query, { limit: 8, facets: true });
    const { next, ...expected } = await index.search(corrected, { limit: 8, facets: true });
    expect(withoutScores(found)).toEqual(
      withoutScores({ ...expected, next: found.next, correctedQuery: corrected }),
    );
    expect(found.next === undefined).toBe(next === undefined);
    expect(found.closest).toBeUndefined();
    const flat = await index.searchEntries(query, { limit: 8 });
    expect(withoutScores(flat.hits)).toEqual(
      withoutScores((await index.searchEntries(corrected, { limit: 8 })).hits),
    );
    expect(flat.correctedQuery).toBe(corrected);
  });

  test("has them on all pages, in any order, and its cursor belongs to it alone", async () => {
    const { index } = await indexed(...sessions);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await index.search("roundign", { limit: 7, cursor, sort: "oldest" });
      expect(page.correctedQuery).toBe("rounding");
      ids.push(...page.sessions.map((each) => each.session.id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(ids).toEqual(sessions.map((_, n) => `s${n}`));
    const { next } = await index.search("roundign", { limit: 7 });
    for (const query of ["roundingg", "rounding"]) {
      expect(await failure(index.search(query, { limit: 7, cursor: next }))).toMatchObject({
        code: "BAD_CURSOR",
      });
    }
    expect(await failure(index.search("roundign", { limit: 7, cursor: "~x" }))).toMatchObject({
      code: "BAD_CURSOR",
    });
  });

  test.each([
    ["is strict", "roundign", { strict: true }],
    ["quotes them", '"roundign"', {}],
  ])("finds nothing if it %s", async (_, query, options) => {
    const { index } = await indexed(...sessions);
    const { sessions: found, correctedQuery } = await index.search(query, options);
    expect([found, correctedQuery]).toEqual([[], undefined]);
  });

  test("is not corrected if the corrected query matches nothing in full either", async () => {
    const { index } = await indexed(...sessions);
    const { correctedQuery, closest } = await index.search("roundign zebra");
    expect(correctedQuery).toBeUndefined();
    expect(closest).toMatchObject({ missing: ["zebra"], corrected: [{ from: "roundign", to: "rounding" }] });
  });

  test("is not corrected if it matches as typed", async () => {
    const typo = session({ id: "typo" }).user("a roundign error");
    const { index } = await indexed(...sessions, typo);
    const found = await index.search("roundign");
    expect(found.correctedQuery).toBeUndefined();
    expect(found.sessions[0]?.session.id).toBe("typo");
  });
});
