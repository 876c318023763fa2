/** Lists that are filtered by a query. */
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { indexed } from "./opened-queries.ts";

async function shops() {
  return indexed(
    session({ id: "shop", cwd: "/w/shop" }).user("tax").assistant("ok"),
    session({ id: "blog", cwd: "/w/blog" }).user("tax"),
    session({ id: "old", cwd: "/w/shop" }).user("tax").custom("pidex", { archived: true }),
  );
}

test.each([
  ["project:shop", ["shop"]],
  ["-project:shop", ["blog"]],
  ["project:shop,blog messages:>1", ["shop"]],
  ["project:shop OR project:blog", ["blog", "shop"]],
  ["is:archived", ["old"]],
  ["project:none", []],
  [" ", ["blog", "shop"]],
])("%s", async (query, ids) => {
  const { index } = await shops();
  const { sessions, total } = await index.listAll({ query });
  expect(sessions.map(({ id }) => id).sort()).toEqual(ids);
  expect(total).toBe(ids.length);
});

test("pages, orders and summaries have the same filter", async () => {
  const { index } = await shops();
  const query = "project:shop,blog";
  const first = await index.listAll({ query, sort: "name", limit: 1 });
  const second = await index.listAll({ query, sort: "name", limit: 1, cursor: first.next ?? "" });
  expect(first.total).toBe(2);
  expect([...first.sessions, ...second.sessions].map(({ id }) => id).sort()).toEqual(["blog", "shop"]);
  expect((await index.listSummaries({ query: "project:blog" })).map(({ id }) => id)).toEqual(["blog"]);
  expect((await index.listThreads({ query: "project:blog", limit: 5 })).total).toBe(1);
});

test.each(["tax", "project:shop tax", "project:shop -tax", "role:user", "project:shop OR tax"])(
  "%s needs a search",
  async (query) => {
    const { index } = await shops();
    await expect(index.listAll({ query })).rejects.toMatchObject({ code: "BAD_OPTION" });
  },
);

test("an invalid query is an error", async () => {
  const { index } = await shops();
  await expect(index.listAll({ query: "cost:>abc" })).rejects.toMatchObject({ code: "BAD_QUERY" });
});

test("sessions without a recorded cost are last in both orders of costs", async () => {
  const cost = (total: number) => ({ usage: { input: 1, output: 1, cost: { total } } });
  const { index } = await indexed(
    session({ id: "dear" }).user("x").assistant("y", cost(2)),
    session({ id: "free" }).user("x"),
    session({ id: "cheap" }).user("x").assistant("y", cost(1)),
  );
  const ids = async (order: "newest" | "oldest") => {
    const first = await index.listAll({ sort: "cost", order, limit: 2 });
    const rest = await index.listAll({ sort: "cost", order, limit: 2, cursor: first.next ?? "" });
    return [...first.sessions, ...rest.sessions].map(({ id }) => id);
  };
  expect(await ids("newest")).toEqual(["dear", "cheap", "free"]);
  expect(await ids("oldest")).toEqual(["cheap", "dear", "free"]);
});
