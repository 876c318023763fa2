import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../fixtures/builder.ts";
import { PidexError } from "../index.ts";
import { nothing, talk } from "./indexer/synced.ts";
import { failure, indexed } from "./query/opened.ts";
import { temporaryFolder } from "./temporary.ts";

test("a file that was appended to, and what was appended alone is read", async () => {
  const one = talk({ id: "one" });
  const { index, path } = await indexed(one, talk({ id: "two" }));
  const line = `${one.user("One more.").lines.at(-1)}\n`;
  appendFileSync(path, line);
  const report = await index.syncFile(path);
  expect(report).toMatchObject({ ...nothing, files: 1, appended: 1, bytesRead: line.length, linesRead: 1 });
  expect((await index.find("one")).messageCount).toBe(3);
  expect((await index.search("one more")).sessions).toHaveLength(1);
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 1, bytesRead: 0 });
});

test("a file that is new, or gone; and no other is looked at", async () => {
  const { index, path, root } = await indexed(talk({ id: "one" }), talk({ id: "two" }));
  const other = talk({ id: "three" }).writeUnder(root);
  const path4 = talk({ id: "four" }).writeUnder(root);
  expect(await index.syncFile(path4)).toMatchObject({ ...nothing, files: 1, added: 1 });
  expect(await failure(index.find(other))).toBeInstanceOf(PidexError);
  rmSync(path);
  rmSync(path4);
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 0, forgotten: 1 });
  expect((await index.listAll()).sessions.map(({ id }) => id).sort()).toEqual(["four", "two"]);
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 0 });
});

test("a file that was replaced, or renamed", async () => {
  const { index, path, root } = await indexed(talk({ id: "one" }));
  session({ id: "other" }).user("Something else altogether.").write(path);
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 1, reindexed: 1 });
  const renamed = join(root, "renamed.jsonl");
  renameSync(path, renamed);
  await index.syncFile(renamed);
  await index.syncFile(path);
  expect((await index.listAll()).sessions.map(({ path }) => path)).toEqual([renamed]);
});

test("whose folder is gone is forgotten, and what took its place is no session", async () => {
  const { index, path, root } = await indexed(talk({ id: "one" }));
  rmSync(root, { recursive: true });
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 0, forgotten: 1 });
  writeFileSync(root, "a file now");
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 0, unlisted: [] });
  rmSync(root);
  mkdirSync(path, { recursive: true });
  expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 0, unlisted: [] });
});

test("a file that no sync would find is left alone", async () => {
  const { index, root } = await indexed(talk({ id: "one" }));
  const outside = talk({ id: "outside" }).write(join(temporaryFolder(), "outside.jsonl"));
  const unnamed = talk({ id: "unnamed" }).write(join(root, "session.txt"));
  for (const path of [outside, unnamed, join(root, "nowhere.jsonl")]) {
    expect(await index.syncFile(path)).toMatchObject({ ...nothing, files: 0 });
  }
  expect((await index.stats()).files).toBe(1);
});

test("a subagent's file is known as one", async () => {
  const { index, root } = await indexed(talk({ id: "one" }));
  const path = talk({ id: "run" }).write(join(root, "--home-ada-shop--", "one", "run-0", "run.jsonl"));
  await index.syncFile(path);
  expect(await index.find("run")).toMatchObject({ subagent: true });
});
