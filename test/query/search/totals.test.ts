import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { SearchOptions } from "../../../query/options.ts";
import { searchEntries, searchSessions } from "../../../query/search/search.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { PI } from "../../bin/cli.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";

/** So few hits are ranked that there are always more. */
const FEW = { first: 3, wide: 3 };

async function indexedAt(...roots: string[]) {
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, roots);
  return new SqliteStore(db.reader, { roots: roots.map((root) => toRoot(root)) });
}

describe("totals count all matches, however few hits are ranked", () => {
  test.each<[string, SearchOptions]>([
    ["tax", {}],
    ["the", {}],
    ["the", { subagents: "yes" }],
    ["the", { subagents: "only" }],
    ["the", { archived: "no" }],
    ["the OR tax", { role: "user" }],
    ["the", { since: "2026-01-01" }],
    ["role:user", {}],
    ["t* -role:user", { sort: "oldest" }],
    ["the", { named: true }],
  ])("%s %j", async (query, options) => {
    const store = await indexedAt(PI);
    for (const search of [searchSessions, searchEntries]) {
      const request = { ...options, facets: true, limit: 1, strict: true };
      const few = await search(store, query, request, FEW);
      const all = await search(store, query, { ...request, exact: true });
      expect([few.facets, few.totals]).toEqual([all.facets, all.totals]);
      expect(few.totals?.isWhole).toBe(true);
      expect([all.totals?.hits, all.totals?.sessions]).toEqual([all.hitCount, all.sessionCount]);
    }
  });
});

test("entries copied by forks count once, and for the sessions that contain them", async () => {
  const root = temporaryFolder();
  const talk = session({ id: "talk" });
  for (let n = 0; n < 9; n++) talk.user(`needle ${n}`, { id: `u${n}` });
  talk.writeUnder(root);
  talk.fork({ id: "fork", leaf: "u5" }).user("another needle").writeUnder(root);
  const store = await indexedAt(root);
  const { more, totals, facets } = await searchSessions(store, "needle", { facets: true, limit: 1 }, FEW);
  expect(more).toBe(true);
  expect(totals).toEqual({ hits: 10, sessions: 2, isWhole: true });
  expect(facets?.roles).toEqual([{ value: "user", hits: 10, sessions: 2 }]);
});

test("beyond the limit only the newest matches are counted, and the result says so", async () => {
  const root = temporaryFolder();
  for (const n of [1, 2, 3]) {
    const talk = session({ id: `talk${n}`, timestamp: `2026-01-0${n}T12:00:00.000Z` });
    for (let k = 0; k < 8; k++) talk.user(`needle ${k}`);
    talk.writeUnder(root);
  }
  const store = await indexedAt(root);
  const request = { facets: true, limit: 1 };
  const { totals } = await searchSessions(store, "needle", request, { ...FEW, counted: 10 });
  expect(totals).toEqual({ hits: 10, sessions: 2, isWhole: false });
  const exact = await searchSessions(store, "needle", { ...request, exact: true }, { ...FEW, counted: 10 });
  expect(exact.totals).toEqual({ hits: 24, sessions: 3, isWhole: true });
});

test("cross-entry matches count, whether or not the page has room for them", async () => {
  const root = temporaryFolder();
  for (let n = 0; n < 6; n++)
    session({ id: `whole${n}` })
      .user(`alpha beta ${n}`)
      .writeUnder(root);
  for (let n = 0; n < 3; n++)
    session({ id: `across${n}` })
      .user(`alpha ${n}`)
      .user(`beta ${n}`)
      .writeUnder(root);
  const store = await indexedAt(root);
  const searchPage = (limit: number, windows?: typeof FEW) =>
    searchSessions(store, "alpha beta", { facets: true, limit }, windows);
  for (const answer of [await searchPage(1), await searchPage(100), await searchPage(1, FEW)]) {
    expect(answer.totals).toEqual({ hits: 12, sessions: 9, isWhole: true });
    expect(answer.facets?.roles).toEqual([{ value: "user", hits: 12, sessions: 9 }]);
  }
});
