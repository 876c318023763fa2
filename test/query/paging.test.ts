import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import type { Index, ListOptions } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { failure, indexed, indexedFixtures, openOver } from "./opened-queries.ts";

/** The paths of all pages; `between` is called after each. */
async function pages(
  index: Index,
  options: ListOptions,
  between: (page: number) => Promise<void> = async () => {},
): Promise<{ paths: string[]; totals: Set<number> }> {
  const paths: string[] = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor; page++) {
    const list = await index.listAll(cursor === undefined ? options : { ...options, cursor });
    expect(list.sessions.length).toBeGreaterThan(0);
    paths.push(...list.sessions.map(({ path }) => path));
    totals.add(list.total);
    cursor = list.next;
    await between(page);
  }
  return { paths, totals };
}

describe("all pages together", () => {
  const SORTS = ["modified", "created", "messages", "size"] as const;

  test.each(SORTS)("equal the whole list for any size and order, by %s", async (sort) => {
    const index = await indexedFixtures();
    for (const order of ["newest", "oldest"] as const) {
      const whole = await index.listAll({ sort, order, subagents: "yes" });
      expect(whole.next).toBeUndefined();
      expect(whole.total).toBe(whole.sessions.length);
      for (const limit of [1, 2, 7, whole.total - 1, whole.total, whole.total + 1, Number.MAX_SAFE_INTEGER]) {
        const { paths, totals } = await pages(index, { sort, order, limit, subagents: "yes" });
        expect(paths).toEqual(whole.sessions.map(({ path }) => path));
        expect([...totals]).toEqual([whole.total]);
      }
    }
  });

  test("equal the whole filtered list", async () => {
    const index = await indexedFixtures();
    const options: ListOptions = { project: "shop", subagents: "yes" };
    const whole = await index.listAll(options);
    const { paths, totals } = await pages(index, { ...options, limit: 3 });
    expect(paths).toEqual(whole.sessions.map(({ path }) => path));
    expect([...totals]).toEqual([whole.total]);
  });

  test("with pinned sessions first omit none and keep the sort order among them", async () => {
    const talks = Array.from({ length: 9 }, (_, n) => {
      const talk = session({ id: `n${n}`, timestamp: `2026-01-05T09:0${n >> 1}:00.000Z` }).user("Hello.");
      return n % 3 === 1 ? talk.custom("pidex", { pinned: true }) : talk;
    });
    const { index } = await indexed(...talks);
    for (const order of ["newest", "oldest"] as const) {
      const plain = (await index.listAll({ order })).sessions;
      const isPinned = ({ id }: { id: string }) => ["n1", "n4", "n7"].includes(id);
      const expected = [...plain.filter(isPinned), ...plain.filter((each) => !isPinned(each))];
      const whole = await index.listAll({ order, pinnedFirst: true });
      expect(whole.sessions).toEqual(expected);
      for (const limit of [1, 2, 3, 4, 8]) {
        const { paths, totals } = await pages(index, { order, limit, pinnedFirst: true });
        expect(paths).toEqual(expected.map(({ path }) => path));
        expect([...totals]).toEqual([9]);
      }
    }
  });

  test("omit no session with the same time as another", async () => {
    const sessions = ["a", "b", "c", "d", "e"].map((id) => session({ id }).user("Same."));
    const { index, paths } = await indexed(...sessions);
    const paged = await pages(index, { limit: 2 });
    expect(paged.paths.toSorted()).toEqual(paths.toSorted());
  });
});

describe("a session added while paging", () => {
  const numbered = (n: number) =>
    session({ id: `n${n}`, timestamp: `2026-01-05T09:${String(n).padStart(2, "0")}:00.000Z` }).user("Hello.");

  test.each([
    ["newest", 59],
    ["newest", 1],
    ["newest", 25],
    ["oldest", 59],
    ["oldest", 25],
  ] as const)("in order %s, at minute %d, repeats and loses no other", async (order, minute) => {
    const { index, root, paths } = await indexed(...[10, 20, 30, 40, 50].map(numbered));
    const expected = order === "oldest" ? paths : paths.toReversed();
    const seen = await pages(index, { order, limit: 2 }, async (page) => {
      if (page > 0) return;
      numbered(minute).writeUnder(root);
      await index.sync();
    });
    expect(seen.paths.filter((path) => paths.includes(path))).toEqual(expected);
    expect(new Set(seen.paths).size).toBe(seen.paths.length);
  });

  test("or deleted removes no other session from later pages", async () => {
    const { index, paths } = await indexed(...[10, 20, 30, 40].map(numbered));
    const first = await index.listAll({ limit: 2 });
    rmSync(first.sessions[1]?.path as string);
    await index.sync();
    const second = await index.listAll({ limit: 2, cursor: first.next });
    expect(second.sessions.map(({ path }) => path)).toEqual(paths.slice(0, 2).toReversed());
    expect(second.total).toBe(3);
  });
});

describe("an invalid cursor", () => {
  const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  test.each([
    [""],
    ["x"],
    ["\0"],
    ["…"],
    [coded({})],
    [coded(null)],
    [coded([])],
    [coded(["modified newest", "1", 1])],
    [coded(["modified newest", 1])],
    [coded(["modified newest", 1, 1, 1])],
    [coded(["created newest", 1, 1])],
    [coded(["modified oldest", 1, 1])],
    [Buffer.from('["modified newest",1e999,1]').toString("base64url")],
  ])("is rejected: %j", async (cursor) => {
    const index = await openOver([temporaryFolder()]);
    expect((await failure(index.listAll({ cursor }))).code).toBe("BAD_CURSOR");
  });

  test("is rejected, as is one for another sort or order", async () => {
    const index = await indexedFixtures();
    const { next } = await index.listAll({ limit: 1 });
    expect((await index.listAll({ limit: 1, cursor: next })).sessions).toHaveLength(1);
    expect((await failure(index.listAll({ cursor: next, order: "oldest" }))).code).toBe("BAD_CURSOR");
    expect((await failure(index.listAll({ cursor: next, sort: "size" }))).code).toBe("BAD_CURSOR");
    expect((await failure(index.listAll({ cursor: next, pinnedFirst: true }))).code).toBe("BAD_CURSOR");
  });
});
