import { basename } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../opened-queries.ts";

const ID = "019bd693-3ab4-7000-8000-000000000001";

async function opened() {
  const named = session({ id: ID }).user("the needle").assistant("found");
  const other = session({ id: "019c0000-0000-7000-8000-000000000002" }).user("something else");
  const { index, path } = await indexed(named, other);
  const entryId = String(named.entries[1]?.id);
  const ids = async (query: string) =>
    (await index.search(query)).sessions.map(({ session: { id }, hits }) => [id, hits[0]?.line]);
  return { index, path, entryId, ids };
}

test("an id, its prefix, a path and a file name find their session at its first user message", async () => {
  const { ids, path } = await opened();
  const queries = [
    ID,
    ID.toUpperCase(),
    ID.slice(0, 8),
    ID.slice(0, 13),
    `${ID.slice(0, 8)}*`,
    path,
    basename(path),
  ];
  for (const query of [...queries, `"${path}"`, `pi --session ${ID}`, `pi --session ${path}`]) {
    expect([query, await ids(query)]).toEqual([query, [[ID, 2]]]);
  }
});

test("an entry's id and a citation find their session at that entry", async () => {
  const { ids, path, entryId } = await opened();
  for (const query of [entryId, `${path}:3`, `${path}:3#${entryId}`]) {
    expect([query, await ids(query)]).toEqual([query, [[ID, 3]]]);
  }
});

test("a named session comes first and once, whatever else contains the id", async () => {
  const named = session({ id: ID }).user(`this is ${ID}`);
  const others = ["a", "b", "c", "d", "e", "f"].map((id) => session({ id }).user(`see ${ID} again ${ID}`));
  const { index } = await indexed(...others, named);
  for (const limit of [1, 3, 20]) {
    const all: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { sessions, next } = await index.search(ID, { limit, cursor });
      all.push(...sessions.map((each) => each.session.id));
      cursor = next;
      if (cursor === undefined) break;
    }
    expect(all[0]).toBe(ID);
    expect(all.toSorted()).toEqual([ID, "a", "b", "c", "d", "e", "f"]);
  }
});

test("a common id prefix finds the newest sessions; a short one finds none", async () => {
  const many = Array.from({ length: 7 }, (_, n) => session({ id: `abc1234-${n}` }).user("needle"));
  const { index } = await indexed(...many);
  expect((await index.search("ABC1234")).sessions).toHaveLength(7);
  expect((await index.search("abc12")).sessions).toEqual([]);
  const paged: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { sessions, next } = await index.search("abc1234", { limit: 2, cursor });
    paged.push(...sessions.map((each) => each.session.id));
    cursor = next;
    if (cursor === undefined) break;
  }
  expect(paged.toSorted()).toEqual(many.map(({ id }) => id));
});

test("an entry copied by forks is one hit, in the oldest session", async () => {
  const parent = session({ id: "parent" }).user("the needle");
  const forks = Array.from({ length: 7 }, (_, n) => parent.fork({ id: `fork${n}` }));
  const { index } = await indexed(parent, ...forks);
  const { sessions } = await index.search(String(parent.entries[0]?.id));
  expect(sessions.map(({ session: { id }, hits }) => [id, hits[0]?.alsoIn.length])).toEqual([["parent", 7]]);
});

test("fields, exclusions and filters apply to named sessions too", async () => {
  const { index, path } = await opened();
  const found = async (query: string, options = {}) =>
    (await index.search(query, options)).sessions.flatMap(({ hits }) => hits.map(({ line }) => line));
  expect(await found(`${ID} project:nowhere`)).toEqual([]);
  expect(await found(`${path} role:assistant`)).toEqual([3]);
  expect(await found(`${ID} -needle`)).toEqual([3]);
  expect(await found(ID, { since: "2030" })).toEqual([]);
  expect(await found(ID, { archived: "only" })).toEqual([]);
});

test("a path with spaces finds its session", async () => {
  const { index, root } = await indexed();
  const path = session({ id: "spaced" }).user("needle").write(`${root}/--home-a b--/x y_spaced.jsonl`);
  await index.sync();
  for (const query of [path, `"${path}"`, `(${path}:2)`, "x y_spaced.jsonl"]) {
    expect([query, (await index.search(query)).sessions.map((each) => each.session.id)]).toEqual([
      query,
      ["spaced"],
    ]);
  }
});
