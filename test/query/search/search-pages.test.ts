import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { Index, SearchOptions } from "../../../library/index.ts";
import { failure, indexed, indexedFixtures } from "../opened-queries.ts";

/** The contents of all pages; `between` is called after each. */
async function pages(
  fetchPage: (options: SearchOptions) => Promise<{ shown: string[]; next?: string }>,
  options: SearchOptions,
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const { shown, next } = await fetchPage({ ...options, cursor });
    all.push(...shown);
    cursor = next;
    await between();
  } while (cursor !== undefined);
  return all;
}

const bySession = (index: Index, query: string) => async (options: SearchOptions) => {
  const { sessions, next } = await index.search(query, options);
  return { shown: sessions.map(({ session }) => session.path), next };
};
const byEntry = (index: Index, query: string) => async (options: SearchOptions) => {
  const { hits, next } = await index.searchEntries(query, options);
  return { shown: hits.map(({ path, line }) => `${path}:${line}`), next };
};

const QUERIES = ["tax", "the", "tax total", "role:user", "a*", "tax OR 书", "is:error", "file:*.ts"];

describe("all pages together", () => {
  test.each(QUERIES)("equal the whole result, each part once: %s", async (query) => {
    const index = await indexedFixtures();
    for (const fetchPage of [bySession(index, query), byEntry(index, query)]) {
      for (const sort of ["relevance", "newest", "oldest"] as const) {
        const whole = (await fetchPage({ sort, limit: 1000 })).shown;
        expect(whole.length).toBeGreaterThan(0);
        for (const limit of [1, 2, 5, whole.length]) {
          expect(await pages(fetchPage, { sort, limit })).toEqual(whole);
        }
      }
    }
  });

  test("continue beyond the hits ranked at once", async () => {
    const talk = session();
    for (let n = 0; n < 2_500; n++) talk.user(`needle ${n}`);
    const { index } = await indexed(talk);
    const all = await pages(byEntry(index, "needle"), { limit: 900 });
    expect(all).toHaveLength(2_500);
    expect(new Set(all).size).toBe(2_500);
  });

  test("contain the state at the time of the first, however the index grows meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (sizes, limit) => {
          const talks = sizes.map((size, n): Session => {
            const talk = session({ id: `s${n}`, timestamp: `2026-01-0${n + 1}T00:00:00.000Z` });
            for (let m = 0; m < size; m++) talk.user(`needle ${"x ".repeat((m * 7 + n) % 5)}`);
            return talk;
          });
          for (const getPages of [bySession, byEntry]) {
            const { index, paths } = await indexed(...talks);
            const fetchPage = getPages(index, "needle");
            const whole = (await fetchPage({ limit: 1000 })).shown;
            const all = await pages(fetchPage, { limit }, async () => {
              const more = session({ id: "later" }).user("needle needle needle", {
                id: null,
                parentId: null,
              });
              appendFileSync(paths[0] as string, `${more.lines.at(-1)}\n`);
              await index.sync();
            });
            expect(all.toSorted()).toEqual(whole.toSorted());
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  test("include cross-entry matches", async () => {
    const talks = ["a", "b", "c", "d"].map((id) => session({ id }).user("apple").user("pear"));
    const { index } = await indexed(session({ id: "e" }).user("apple pear"), ...talks);
    expect(await pages(bySession(index, "apple pear"), { limit: 2 })).toHaveLength(5);
    expect(await pages(byEntry(index, "apple pear"), { limit: 2 })).toHaveLength(9);
  });
});

describe("a cursor", () => {
  test("is valid only for the same request", async () => {
    const index = await indexedFixtures();
    const { next = "" } = await index.search("tax", { limit: 1 });
    await index.search("tax", { limit: 5, hits: 9, facets: true, cursor: next });
    const wrong: [string, SearchOptions][] = [
      ["total", {}],
      ["tax", { sort: "newest" }],
      ["tax", { role: "user" }],
      ["tax", { exact: true }],
    ];
    for (const [query, options] of wrong) {
      expect((await failure(index.search(query, { ...options, cursor: next }))).code).toBe("BAD_CURSOR");
    }
    expect((await failure(index.searchEntries("tax", { cursor: next }))).code).toBe("BAD_CURSOR");
  });

  test.each(["", "x", "e30", "W10", "%%%", "bnVsbA", "WyJ4IiwxLFsxXV0"])(
    "made up is refused: %j",
    async (cursor) => {
      const index = await indexedFixtures();
      expect((await failure(index.search("tax", { cursor }))).code).toBe("BAD_CURSOR");
    },
  );
});
