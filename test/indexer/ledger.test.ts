import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fields } from "../../fixtures/blocks.ts";
import { type Session, session } from "../../fixtures/builder.ts";
import { openIndex } from "../../library/index.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { at, createFile, fork, response, toolResult, v3 } from "./ledger-files.ts";

/** An empty root and an index of it. */
async function ledger() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const db = await databaseIn(folder);
  return { root, db, sync: () => syncFolders(db, root) };
}

/** The attribution of each event of a kind, as `file:line attribution`. */
const attributions = (db: Database, kind: string): unknown[] =>
  db.writer
    .prepare(
      `SELECT replace(path, rtrim(path, replace(path, '/', '')), '') || ':' || line || ' ' ||
         CASE attribution WHEN 0 THEN 'owner' WHEN 1 THEN 'duplicate' ELSE 'reported' END
       FROM event JOIN entry ON entry.id = entry JOIN file ON file.id = event.file_id
       WHERE kind = ? ORDER BY path, line, ordinal`,
    )
    .pluck()
    .all(kind);

const cost = (nano: number): Fields => ({ usage: { input: 1, output: 1, cost: { total: nano / 1e9 } } });
const reportRun = (session: Session, run: Fields): Session =>
  session.toolResult("call", "subagent", "done", { details: { results: [{ agent: "scout", ...run }] } });
const RUN = { usage: { input: 1, output: 1, cost: 0.5 } };

test.each([
  ["its caller recorded a path through a link", (link: string) => link, "sessions"],
  ["its caller recorded the real path of a linked root", (_: string, real: string) => real, "link"],
])("a run's session counts once if %s", async (_, toRecordedPath, indexedFolder) => {
  const folder = temporaryFolder();
  const [link, real] = [join(folder, "link"), join(folder, "sessions")];
  const results = [{ agent: "scout", sessionFile: join(toRecordedPath(link, real), "far/A.jsonl"), ...RUN }];
  createFile(real, "near/a.jsonl", v3("a", [toolResult("r", 9, { details: { results } })]));
  createFile(real, "far/A.jsonl", v3("A", [response("A1", 3, 0.5)], { timestamp: at(2) }));
  symlinkSync(real, link);
  const index = await openIndex({ db: join(folder, "index.db"), roots: [join(folder, indexedFolder)] });
  await index.sync();
  expect((await index.usage()).total.costUsd).toBe(0.5);
  await index.close();
});

test("a duplicated line counts at its first occurrence", async () => {
  const { root, db, sync } = await ledger();
  const twice = session().assistant("So it is.", cost(5));
  twice.raw(twice.lines.at(-1) as string).write(join(root, "a.jsonl"));
  await sync();
  expect(attributions(db, "assistant")).toEqual(["a.jsonl:2 owner", "a.jsonl:3 duplicate"]);
});

test("an event belongs to the session created first, and to the next one if that is deleted", async () => {
  const { root, db, sync } = await ledger();
  const first = session({ timestamp: "2026-01-05T09:00:00.000Z" }).assistant("So it is.", cost(5));
  first.fork({ id: "late", timestamp: "2026-01-07T09:00:00.000Z" }).write(join(root, "a.jsonl"));
  first.fork({ id: "soon", timestamp: "2026-01-06T09:00:00.000Z" }).write(join(root, "b.jsonl"));
  const never = { id: "never", timestamp: "2026-01-05T08:00:00.000Z", header: { timestamp: undefined } };
  first.fork(never).write(join(root, "0.jsonl"));
  first.write(join(root, "c.jsonl"));
  await sync();
  expect(attributions(db, "assistant")).toEqual([
    "0.jsonl:2 duplicate",
    "a.jsonl:2 duplicate",
    "b.jsonl:2 duplicate",
    "c.jsonl:2 owner",
  ]);
  rmSync(join(root, "c.jsonl"));
  await sync();
  expect(attributions(db, "assistant")).toEqual([
    "0.jsonl:2 duplicate",
    "a.jsonl:2 duplicate",
    "b.jsonl:2 owner",
  ]);
});

test("a run's usage counts in its own session, wherever both were moved, and otherwise where it is reported", async () => {
  const { root, db, sync } = await ledger();
  const run = join(root, "shop", "subagent-artifacts", "run.jsonl");
  reportRun(session({ id: "caller" }).user("Go."), { ...RUN, artifactPaths: { jsonlPath: run } }).write(
    join(root, "shop", "caller.jsonl"),
  );
  await sync();
  expect(attributions(db, "subagent")).toEqual(["caller.jsonl:3 owner"]);
  session({ id: "run" }).assistant("Done.", cost(500_000_000)).write(run);
  await sync();
  expect(attributions(db, "subagent")).toEqual(["caller.jsonl:3 reported"]);
  renameSync(join(root, "shop"), join(root, "till"));
  await sync();
  expect(attributions(db, "subagent")).toEqual(["caller.jsonl:3 reported"]);
  rmSync(join(root, "till", "subagent-artifacts", "run.jsonl"));
  await sync();
  expect(attributions(db, "subagent")).toEqual(["caller.jsonl:3 owner"]);
});

test("events that a run copied from its caller are not its own usage, even if the copy is found later", async () => {
  const { root, db, sync } = await ledger();
  const path = join(root, "run.jsonl");
  const caller = session({ id: "caller" }).assistant("So it is.", cost(5));
  caller.fork({ id: "run" }).write(path);
  const early = session({ id: "caller" });
  reportRun(early, { ...RUN, sessionFile: path }).write(join(root, "caller.jsonl"));
  await sync();
  expect(attributions(db, "subagent")).toEqual(["caller.jsonl:2 reported"]);
  early.raw(caller.lines[1] as string).appendTo(join(root, "caller.jsonl"));
  await sync();
  expect(attributions(db, "subagent")).toEqual(["caller.jsonl:2 owner"]);
});

test("paths of runs with lone surrogates do not stop a sync", async () => {
  const { root, db, sync } = await ledger();
  const odd = { ...RUN, sessionFile: "/tmp/\ud800", artifactPaths: { jsonlPath: "/tmp/\ud801" } };
  reportRun(session().user("Go."), odd).write(join(root, "a.jsonl"));
  await sync();
  expect(attributions(db, "subagent")).toEqual(["a.jsonl:3 owner"]);
});

test("an event whose owner is deleted in the sync that adds an unrelated one with the same key makes two events", async () => {
  const { root, db, sync } = await ledger();
  mkdirSync(root, { recursive: true });
  const parent = v3("aaaa", [response("11111111", 1, 1)]);
  createFile(root, "a.jsonl", parent);
  createFile(root, "b.jsonl", fork(parent, "bbbb", join(root, "a.jsonl")));
  await sync();
  createFile(root, "a.jsonl", v3("aaaa", []));
  createFile(root, "c.jsonl", v3("cccc", [response("22222222", 1, 1)]));
  await sync();
  expect(attributions(db, "assistant")).toEqual(["b.jsonl:2 owner", "c.jsonl:2 owner"]);
  expect(dumpTables(db.writer)).toEqual(await rebuilt(join(root, "..", "fresh.db"), [root]));
});

test("a session that was resumed and reported 1000 times is summed up in linear time", async () => {
  const folder = temporaryFolder();
  const [root, count] = [join(folder, "sessions"), 1000];
  const results = [{ agent: "scout", sessionFile: join(root, "A.jsonl") }, { agent: "worker" }];
  const report = (n: number) =>
    toolResult(`r${n}`, 2 * n + 1, {
      usage: { input: 20, output: 6, cost: { total: 2 } },
      details: { results },
    });
  const range = Array.from({ length: count }, (_, n) => n);
  createFile(root, "a.jsonl", v3("a", range.map(report)));
  createFile(
    root,
    "A.jsonl",
    v3(
      "A",
      range.map((n) => response(`A${n}`, 2 * n, 1)),
    ),
  );
  const index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  await index.sync();
  expect((await index.usage()).total.costUsd).toBe(2 * count);
  appendFileSync(join(root, "a.jsonl"), `${JSON.stringify(report(count))}\n`);
  await index.sync();
  expect((await index.usage()).total.costUsd).toBe(2 * count + 2);
  await index.close();
});

test("an inherited event has the same cost in a part of the index as in the parent there", async () => {
  const folder = temporaryFolder();
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  const results = [{ agent: "scout", sessionFile: join(two, "A.jsonl") }, { agent: "worker" }];
  const sum = { usage: { input: 20, output: 6, cost: { total: 0.75 } }, details: { results } };
  const parent = v3("aaaa", [response("a1", 1, 1), toolResult("r1", 9, sum)]);
  createFile(one, "a.jsonl", parent);
  createFile(one, "b.jsonl", fork(parent, "bbbb", join(one, "a.jsonl")));
  createFile(two, "A.jsonl", v3("A", [response("A1", 3, 0.5)], { timestamp: at(2) }));
  const db = join(folder, "index.db");
  const whole = await openIndex({ db, roots: [one, two] });
  await whole.sync();
  const costsIn = async (index: typeof whole) => {
    const { inherited, inheritedFrom } = await index.spend(join(one, "b.jsonl"));
    return [inherited.costUsd, ...inheritedFrom.map(({ costUsd }) => costUsd)];
  };
  expect(await costsIn(whole)).toEqual([1.25, 1.25]);
  await whole.close();
  const part = await openIndex({ db, roots: [one] });
  expect(await costsIn(part)).toEqual([1.75, 1.75]);
  await part.close();
});

test.each([
  ["all files", "file_id = 0"],
  ["all files and days", "file_id = -1"],
])("damaged sums over %s are recomputed, and do not stop a sync", async (_, damaged) => {
  const { root, db, sync } = await ledger();
  session({ id: "a" }).assistant("So it is.", cost(5)).write(join(root, "a.jsonl"));
  session({ id: "b" }).assistant("So it was.", cost(7)).write(join(root, "b.jsonl"));
  await sync();
  db.writer.exec(`DELETE FROM usage_rollup WHERE ${damaged}`);
  rmSync(join(root, "a.jsonl"));
  await sync();
  const fresh = await rebuilt(join(root, "..", "fresh.db"), root);
  expect(dumpTables(db.writer).usage_rollup).toEqual(fresh.usage_rollup);
});
