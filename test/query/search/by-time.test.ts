import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { SearchOptions } from "../../../library/index.ts";
import { searchEntries, searchSessions } from "../../../query/search/search.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";

const WINDOWS = { first: 10, wide: 20 };
const DAY = 86_400_000;
const SESSIONS = 90;

/** A session a day. Those of the last month are indexed first, those of the first month last. */
async function indexed() {
  const folder = temporaryFolder();
  const months = ["third", "first", "second"].map((name) => join(folder, name));
  const db = await databaseIn(join(folder, "db"));
  const newestFirst: string[] = [];
  for (const [n, from] of [60, 0, 30].entries()) {
    for (let day = from; day < from + SESSIONS / 3; day++) {
      const timestamp = new Date(Date.UTC(2026, 0, 1) + day * DAY).toISOString();
      const talk = session({ id: `day-${String(day).padStart(2, "0")}`, timestamp });
      for (let line = 0; line < 4; line++) talk.user("needle").tool("bash", { command: "ls" }, "hay");
      talk.writeUnder(months[n] as string);
    }
    await syncFolders(db, months.slice(0, n + 1));
  }
  for (let day = SESSIONS - 1; day >= 0; day--) newestFirst.push(`day-${String(day).padStart(2, "0")}`);
  const store = new SqliteStore(db.reader, { roots: months.map(toRoot) });
  const totals: unknown[] = [];
  const pages = async (query: string, options: SearchOptions) => {
    const all: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const found = await searchSessions(store, query, { ...options, cursor }, WINDOWS);
      all.push(...found.sessions.map((each) => each.session.id));
      totals.push(found.totals);
      cursor = found.next;
      if (cursor === undefined) return all;
    }
  };
  const entries = async (query: string, options: SearchOptions) => {
    const all: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const found = await searchEntries(store, query, { ...options, cursor }, WINDOWS);
      all.push(...found.hits.map(({ timestamp }) => Date.parse(timestamp ?? "")));
      cursor = found.next;
      if (cursor === undefined) return all;
    }
  };
  return { newestFirst, pages, entries, totals };
}

describe("hits sorted by time, although older sessions were indexed after newer ones,", () => {
  test.each(["needle", "tool:bash", "role:user", "needle -hay"])("are in order: %s", async (query) => {
    const { newestFirst, pages, entries } = await indexed();
    expect(await pages(query, { sort: "newest", limit: 7 })).toEqual(newestFirst);
    expect(await pages(query, { sort: "oldest", limit: 7 })).toEqual(newestFirst.toReversed());
    const each = query === "tool:bash" ? 2 : 1; // calls and their output
    const newest = await entries(query, { sort: "newest", limit: 25 });
    expect(newest).toHaveLength(each * 4 * SESSIONS);
    expect(newest).toEqual(newest.toSorted((a, b) => b - a));
    const oldest = await entries(query, { sort: "oldest", limit: 25 });
    expect(oldest).toHaveLength(each * 4 * SESSIONS);
    expect(oldest).toEqual(oldest.toSorted((a, b) => a - b));
  });

  test("and of fields alone are sorted by time unless the caller says otherwise", async () => {
    const { newestFirst, pages } = await indexed();
    expect(await pages("tool:bash", { limit: 7 })).toEqual(newestFirst);
    const since = "2026-01-11";
    expect(await pages("role:user", { limit: 7, since, until: "2026-03-02" })).toEqual(
      newestFirst.filter((id) => id >= "day-10" && id < "day-60"),
    );
  });

  test("have the totals of all pages on each page", async () => {
    const { pages, totals } = await indexed();
    await pages("needle", { sort: "newest", limit: 40, facets: true });
    const whole = { hits: 4 * SESSIONS, sessions: SESSIONS, isWhole: true };
    expect(totals).toEqual([whole, whole, whole]);
  });
});
