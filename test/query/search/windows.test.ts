import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { SearchOptions } from "../../../library/index.ts";
import { searchEntries, searchSessions } from "../../../query/search/search.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";
import { FIXTURES } from "../opened-queries.ts";

/** Too small for even a few hits. */
const TINY = { first: 2, wide: 5 };
const SORTS = ["relevance", "newest", "oldest"] as const;

async function synced(...folders: string[]) {
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, folders);
  const store = new SqliteStore(db.reader, { roots: folders.map(toRoot) });
  return {
    sessions: async (query: string, options: SearchOptions) => {
      const { sessions, next } = await searchSessions(store, query, options, TINY);
      return { shown: sessions.map(({ session }) => session.path), next };
    },
    entries: async (query: string, options: SearchOptions) => {
      const { hits, next } = await searchEntries(store, query, options, TINY);
      // The location of a copied entry may differ: later windows are unknown.
      return { shown: hits.map(({ entryId, timestamp, type }) => `${entryId} ${timestamp} ${type}`), next };
    },
    places: async (query: string) => {
      const { hits } = await searchEntries(store, query, { exact: true, limit: 1000 }, TINY);
      return hits.map(({ path, alsoIn }) => [path, ...alsoIn.map((place) => place.path)]);
    },
  };
}

type FetchPage = Awaited<ReturnType<typeof synced>>["entries"];

async function pages(fetchPage: FetchPage, query: string, options: SearchOptions): Promise<string[]> {
  const all: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { shown, next } = await fetchPage(query, { ...options, cursor });
    all.push(...shown);
    if (next === undefined) return all;
    expect(shown.length).toBeGreaterThan(0);
    cursor = next;
  }
}

describe("pages beyond a window contain", () => {
  test.each(["tax", "the", "a*", "role:user", "tax total"])("all entries, each once: %s", async (query) => {
    const { entries } = await synced(join(FIXTURES, "pi"), join(FIXTURES, "atomic"));
    for (const sort of SORTS) {
      const whole = (await entries(query, { sort, exact: true, limit: 1000 })).shown;
      expect(whole.length).toBeGreaterThan(1);
      for (const limit of [1, 3, 100]) {
        expect((await pages(entries, query, { sort, limit })).toSorted()).toEqual(whole.toSorted());
      }
    }
  });

  test.each(["tax", "the", "a*", "role:user"])("sessions for all entries, each once: %s", async (query) => {
    const { sessions, places } = await synced(join(FIXTURES, "pi"), join(FIXTURES, "atomic"));
    const entries = await places(query);
    for (const sort of SORTS) {
      for (const limit of [1, 3, 100]) {
        const all = await pages(sessions, query, { sort, limit });
        expect(new Set(all).size).toBe(all.length);
        expect(entries.filter((paths) => !paths.some((path) => all.includes(path)))).toEqual([]);
      }
    }
  });

  const write = (...talks: Session[]): string => {
    const root = temporaryFolder();
    for (const talk of talks) talk.writeUnder(root);
    return root;
  };

  test("a cross-entry match that is newer than the window", async () => {
    const crowd = session({ id: "crowd", timestamp: "2026-02-01T00:00:00.000Z" });
    for (let n = 0; n < 12; n++) crowd.user("apple and pear");
    const olds = [1, 2, 3, 4].map((n) =>
      session({ id: `old${n}`, timestamp: `2026-01-0${n}T00:00:00.000Z` }).user("apple and pear"),
    );
    const apart = session({ id: "apart", timestamp: "2026-03-01T00:00:00.000Z" }).user("apple").user("pear");
    const root = write(...olds, crowd, apart);
    const { sessions } = await synced(root);
    for (const limit of [1, 2, 20]) {
      const all = await pages(sessions, "apple pear", { limit });
      expect(all).toHaveLength(6);
      expect(new Set(all).size).toBe(6);
    }
  });

  test("a copied entry once, even if its copies are windows apart", async () => {
    const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00.000Z" }).user(
      "needle in the parent",
    );
    const crowd = session({ id: "crowd", timestamp: "2026-02-01T00:00:00.000Z" });
    for (let n = 0; n < 12; n++) crowd.user("needle");
    const fork = parent.fork({ id: "fork", timestamp: "2026-03-01T00:00:00.000Z" });
    const { sessions, entries } = await synced(write(parent, crowd, fork));
    for (const sort of SORTS) {
      // The fork is found before its parent, or after it.
      const paged = await pages(sessions, "needle", { sort, limit: 1 });
      expect(new Set(paged).size).toBe(paged.length);
      expect(paged.some((path) => path.includes("_parent"))).toBe(true);
      expect(await pages(entries, "needle", { sort, limit: 4 })).toHaveLength(13);
    }
  });

  test("a copied entry once, whatever the page sizes", async () => {
    const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00.000Z" }).user("needle one");
    for (let n = 0; n < 3; n++) parent.user("needle");
    const fork = parent.fork({ id: "fork", timestamp: "2026-03-01T00:00:00.000Z" });
    const { entries } = await synced(write(parent, fork));
    for (const sizes of [
      [1, 3, 1, 1],
      [2, 1, 3],
      [3, 1, 1],
    ]) {
      const all: string[] = [];
      let cursor: string | undefined;
      for (const limit of sizes) {
        const page: Awaited<ReturnType<FetchPage>> = await entries("needle", {
          sort: "newest",
          limit,
          cursor,
        });
        all.push(...page.shown);
        cursor = page.next;
        if (cursor === undefined) break;
      }
      expect(all).toHaveLength(4);
      expect(new Set(all).size).toBe(4);
    }
  });

  test("an entry repeated in its own file, even in different windows", async () => {
    const twice = { id: "0000abcd", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
    const talk = session().user("needle twice", twice);
    for (let n = 0; n < 12; n++) talk.user("needle");
    const { entries } = await synced(write(talk.user("needle twice", twice)));
    for (const sort of SORTS) expect(await pages(entries, "needle", { sort, limit: 4 })).toHaveLength(14);
  });

  test("the oldest session too, even if an earlier page had a copy of its entry", async () => {
    const best = "needle needle needle";
    const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00.000Z" }).user(best);
    const other = session({ id: "other", timestamp: "2026-02-01T00:00:00.000Z" }).user("a needle in the hay");
    const fork = parent.fork({ id: "fork", timestamp: "2026-03-01T00:00:00.000Z" });
    const last = session({ id: "last", timestamp: "2026-04-01T00:00:00.000Z" }).user("a needle in the hay");
    const root = write(parent, other, fork, last);
    const { sessions } = await synced(root);
    const all = (await pages(sessions, "needle", { limit: 1 })).map(
      (path) => /_(\w+)\.jsonl$/.exec(path)?.[1],
    );
    expect(all[0]).toBe("fork"); // the only one in the first window
    expect(all.toSorted()).toEqual(["fork", "last", "other", "parent"]);
  });
});
