/** A home folder may contain thousands of session folders. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import type { Index } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { collect, openOver } from "./opened-queries.ts";

/** Results of all kinds of queries. */
async function answers(index: Index, id: string) {
  const search = await index.search("hello");
  const found = {
    all: await index.listAll(),
    page: await index.listAll({ limit: 2, subagents: "yes" }),
    brief: await index.listSummaries(),
    threads: await index.listThreads({ limit: 1 }),
    search: search.sessions,
    named: (await index.search(id)).sessions,
    entries: (await index.searchEntries("hello")).hits,
    complete: await index.complete("agent:"),
    scan: await collect(index.scan({ substring: "hello" })),
    secrets: await collect(index.secrets()),
    files: await index.files("**"),
    find: [await index.find(id), await index.find("@last")],
    outline: await index.outline(id),
    forks: await index.forks(id),
    labels: await index.labels(),
    usage: (await index.usage()).total,
    byDay: (await index.usage({ by: ["day"] })).rows,
    spend: await index.spend(id),
    events: await collect(index.usageEvents()),
    stats: (await index.stats()).sessions,
  };
  // Scores decrease over time.
  return JSON.parse(JSON.stringify(found, (key, value) => (key === "score" ? undefined : value)));
}

test("with two thousand roots, results equal those with the few roots that contain sessions", async () => {
  const folder = temporaryFolder();
  const roots = Array.from({ length: 2_000 }, (_, n) => join(folder, `agents/${n}/sessions`));
  const held = [roots[3], roots[700], roots[1_999]] as string[];
  const paths = held.map((root, n) =>
    session({ cwd: `/p${n}`, id: `session-${n}` })
      .user(`hello ${n}`)
      .assistant("hi")
      .writeUnder(root),
  );
  session({ cwd: "/elsewhere", id: "elsewhere" })
    .user("hello from elsewhere")
    .writeUnder(join(folder, "elsewhere"));
  const db = join(folder, "index.db");
  const all = await openOver([...held, join(folder, "elsewhere")], db);
  await all.sync();
  const { id } = await all.find(paths[0] as string);
  const few = await answers(await openOver(held, db), id);
  expect(few.all.total).toBe(3);
  const many = await openOver(roots, db);
  expect(await answers(many, id)).toEqual(few);
  expect(await many.sync()).toMatchObject({ bytesRead: 0 });
});
