/** Lists that are filtered by a query. */
import { expect, test } from "vitest";
import { filtersSessions } from "../../bin/format/query-terms.ts";
import { session } from "../../fixtures/builder.ts";
import { FIELDS, type FieldName } from "../../query/fields.ts";
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

test.each([
  ["a value that is not one", "cost:>abc"],
  ["a huge query", "project:a OR ".repeat(20_000)],
  ["deep groups", `${"(".repeat(500)}project:a`],
  ["an open group", "(project:a"],
])("%s is an error", async (_, query) => {
  const { index } = await shops();
  await expect(index.listAll({ query })).rejects.toMatchObject({ code: "BAD_QUERY" });
});

test("an error does not repeat a long query", async () => {
  const { index } = await shops();
  const error = await index.listAll({ query: "x".repeat(90_000) }).catch((error: Error) => error);
  expect((error as Error).message.length).toBeLessThan(200);
});

test("the queries that the page lists are those that a list accepts", async () => {
  const { index } = await shops();
  const values: Partial<Record<FieldName, string>> = {
    cost: ">1",
    messages: ">1",
    role: "user",
    type: "message",
  };
  const accepts = (query: string) =>
    index.listAll({ query }).then(
      () => true,
      (error: { code?: string }) => {
        expect(error.code).toBe("BAD_OPTION");
        return false;
      },
    );
  const times: readonly FieldName[] = ["since", "until"];
  const fields = FIELDS.filter((field) => field !== "is" && !times.includes(field));
  const queries = [
    ...fields.flatMap((field) => [
      `${field}:${values[field] ?? "x"}`,
      `project:x -${field}:${values[field] ?? "x"}`,
    ]),
    ...["named", "forked", "pinned", "archived", "error", "current"].map((state) => `is:${state}`),
    ...["since:2026-01", "project:x until:2026-01", "project:x word", "project:x OR word"],
  ];
  for (const query of queries) expect([query, await accepts(query)]).toEqual([query, filtersSessions(query)]);
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
