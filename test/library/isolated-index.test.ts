/** An isolated index returns the same results as one in this thread. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { type Index, openIndex, type SyncReport } from "../../library/index.ts";
import { library } from "../../rolldown.config.ts";
import { temporaryFolder } from "../temporary.ts";
import { waitUntil } from "../until.ts";

const HOME = join(import.meta.dirname, "..", "..");

/** Two sessions, with an index in this thread and an isolated one. */
async function opened(): Promise<{ here: Index; there: Index; root: string }> {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const talk = session({ id: "talk" });
  for (let n = 0; n < 50; n++) talk.user(`needle ${n}`).assistant(`answer ${n}`);
  talk.writeUnder(root);
  session({ id: "other", timestamp: "2026-02-01T09:00:00.000Z" }).user("Why?").writeUnder(root);
  const place = { db: join(folder, "index.db"), roots: [root] };
  const there = await openIndex({ ...place, isolated: true });
  onTestFinished(() => there.close());
  const here = await openIndex(place);
  onTestFinished(() => here.close());
  return { here, there, root };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const known: T[] = [];
  for await (const item of items) known.push(item);
  return known;
}

test("it syncs, and returns the same results", async () => {
  const { here, there, root } = await opened();
  expect(there.path).toBe(here.path);
  expect(there.roots).toEqual([root]);
  expect(there.realRoots()).toEqual(here.realRoots());
  expect(there.leadsOutside(join(root, "x.jsonl"))).toBe(false);
  const plans: unknown[] = [];
  const report = await there.sync({ onPlan: (plan) => void plans.push(plan) });
  expect(report).toMatchObject({ added: 2, busy: false });
  expect(plans).toMatchObject([{ files: 2 }]);

  expect(await there.listAll()).toEqual(await here.listAll());
  const { allMessagesText } = await there.find("talk");
  expect(allMessagesText).toContain("needle 49");
  expect(allMessagesText).toBe((await here.find("talk")).allMessagesText);
  const found = async (index: Index) => {
    const { sessions, facets, totals } = await index.search("needle 7", { facets: true });
    // Scores depend on the current time.
    return { facets, totals, hits: sessions.map(({ hits }) => hits.map(({ score: _, ...hit }) => hit)) };
  };
  expect(await found(there)).toEqual(await found(here));
  expect(await there.complete("is:er")).toEqual(await here.complete("is:er"));
  expect(await there.tree("talk")).toEqual(await here.tree("talk"));
  expect(await there.outline("talk")).toEqual(await here.outline("talk"));
  expect(await there.usage({ by: ["model"] })).toEqual(await here.usage({ by: ["model"] }));
  expect(await all(there.entries("talk"))).toEqual(await all(here.entries("talk")));
  expect(await all(there.usageEvents())).toEqual(await all(here.usageEvents()));
  expect(await all(there.secrets())).toEqual([]);
  const hits = await all(there.scan({ regex: "needle" }));
  expect(hits).toHaveLength(50);
  expect(hits).toEqual(await all(here.scan({ regex: "needle" })));
  const { columns, rows } = await there.sql("SELECT count(*) AS n FROM sessions");
  expect([columns, await all(rows)]).toEqual([["n"], [[2]]]);
  await there.verify();
});

test("it throws the same errors, with the same code", async () => {
  const { there } = await opened();
  await there.sync();
  await expect(there.find("nosuch")).rejects.toMatchObject({ name: "PidexError", code: "NOT_FOUND" });
  await expect(there.search("(")).rejects.toMatchObject({ code: "BAD_QUERY" });
  await expect(all(there.scan({ regex: "(" }))).rejects.toMatchObject({ code: "BAD_QUERY" });
  await expect(there.sql("DROP TABLE x")).rejects.toMatchObject({ code: "BAD_SQL" });
  await expect(there.listAll({ limit: -1 })).rejects.toMatchObject({ code: "BAD_OPTION" });
  const db = temporaryFolder(); // a folder instead of a database
  await expect(openIndex({ db, isolated: true })).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});

test("it watches; a watch can be closed, or ends with the index", async () => {
  const { there, root } = await opened();
  const reports: SyncReport[] = [];
  const watch = await there.watch({ onSynced: (report) => void reports.push(report) });
  expect(reports[0]).toMatchObject({ added: 2 });
  const path = session({ id: "third", timestamp: "2026-03-01T09:00:00.000Z" })
    .user("And now?")
    .writeUnder(root);
  await waitUntil("it is indexed", async () => (await there.listAll()).total === 3);
  expect((await there.find("third")).path).toBe(path);
  await watch.close();
  writeFileSync(path, "");
  const stop = new AbortController();
  stop.abort(new Error("enough"));
  await expect(there.watch({ signal: stop.signal })).rejects.toThrow("enough");
  const second = await there.watch();
  await there.close();
  await second.closed;
});

test("closing it ends its pending calls, and other indexes continue", async () => {
  const { here, there } = await opened();
  await there.sync();
  const scanning = all(there.scan({ regex: "needle" }));
  const refused = expect(scanning).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  await new Promise((resolve) => setImmediate(resolve)); // it is in transit
  await there.close();
  await refused;
  expect((await here.listAll()).total).toBe(2);
});

const CALLS: Record<string, (index: Index, signal: AbortSignal) => Promise<unknown>> = {
  sync: (index, signal) => index.sync({ signal }),
  syncFile: (index, signal) => index.syncFile("/a/b.jsonl", { signal }),
  rebuild: (index, signal) => index.rebuild({ signal }),
  verify: (index, signal) => index.verify({ signal }),
  list: (index, signal) => index.list("/a", { signal }),
  listAll: (index, signal) => index.listAll({ signal }),
  find: (index, signal) => index.find("talk", { signal }),
  search: (index, signal) => index.search("needle", { signal }),
  searchEntries: (index, signal) => index.searchEntries("needle", { signal }),
  complete: (index, signal) => index.complete("is:er", undefined, { signal }),
  scan: (index, signal) => all(index.scan({ regex: "needle" }, { signal })),
  secrets: (index, signal) => all(index.secrets({ signal })),
  files: (index, signal) => index.files("a.ts", { signal }),
  tree: (index, signal) => index.tree("talk", { signal }),
  treeEntries: (index, signal) => index.treeEntries("talk", { signal }),
  outline: (index, signal) => index.outline("talk", { signal }),
  forks: (index, signal) => index.forks("talk", { signal }),
  branch: (index, signal) => index.branch("talk", undefined, { signal }),
  children: (index, signal) => index.children("talk", "x", { signal }),
  labels: (index, signal) => index.labels("talk", { signal }),
  problems: (index, signal) => index.problems(undefined, { signal }),
  entries: (index, signal) => all(index.entries("talk", { signal })),
  entry: (index, signal) => index.entry("talk", "x", { signal }),
  context: (index, signal) => index.context("talk", undefined, { signal }),
  usage: (index, signal) => index.usage({ signal }),
  spend: (index, signal) => index.spend("talk", { signal }),
  usageEvents: (index, signal) => all(index.usageEvents({ signal })),
  sql: (index, signal) => index.sql("SELECT 1", { signal }),
  sqlViews: (index, signal) => index.sqlViews({ signal }),
  stats: (index, signal) => index.stats({ signal }),
  listTrashed: (index, signal) => index.listTrashed({ signal }),
  restore: (index, signal) => index.restore("/a/b.jsonl", { signal }),
  isRestorable: (index, signal) => index.isRestorable({ path: "/a/b.jsonl", since: new Date() }, { signal }),
  watch: (index, signal) => index.watch({ signal }),
};

test("every method takes a signal, isolated or not", async () => {
  const { here, there } = await opened();
  await here.sync();
  const signal = AbortSignal.abort(new Error("enough"));
  for (const [name, call] of Object.entries(CALLS)) {
    for (const index of [here, there]) await expect(call(index, signal), name).rejects.toThrow("enough");
  }
});

test("streams stop between two entries", async () => {
  const { here, there } = await opened();
  await here.sync();
  for (const index of [here, there]) {
    const stop = new AbortController();
    const read = async () => {
      let count = 0;
      for await (const _ of index.entries("talk", { signal: stop.signal }))
        if (++count === 3) stop.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
  }
});

test("the built library finds its host program", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  session({ id: "talk" }).user("needle").writeUnder(root);
  const { output, ...input } = library;
  await using bundle = await rolldown({ ...input, cwd: HOME });
  await bundle.write({ ...output, dir: join(folder, "dist") });
  symlinkSync(join(HOME, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  const file = join(folder, "dist", "index.js");
  const built = (await import(pathToFileURL(file).href)) as { openIndex: typeof openIndex };
  const index = await built.openIndex({ db: join(folder, "index.db"), roots: [root], isolated: true });
  onTestFinished(() => index.close());
  expect(await index.sync()).toMatchObject({ added: 1 });
  expect((await index.search("needle")).sessions).toHaveLength(1);
  expect((await index.find("talk")).allMessagesText).toContain("needle");
});
