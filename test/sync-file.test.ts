import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, test } from "vitest";
import { session } from "../fixtures/builder.ts";
import { openIndex, PidexError } from "../library/index.ts";
import { NO_CHANGES, talk } from "./indexer/synced.ts";
import { failure, indexed } from "./query/opened-queries.ts";
import { temporaryFolder } from "./temporary.ts";

test("a file that was appended to: only the new lines are read", async () => {
  const one = talk({ id: "one" });
  const { index, path } = await indexed(one, talk({ id: "two" }));
  const line = `${one.user("One more.").lines.at(-1)}\n`;
  appendFileSync(path, line);
  const report = await index.syncFile(path);
  expect(report).toMatchObject({
    ...NO_CHANGES,
    files: 1,
    appended: 1,
    bytesRead: line.length,
    linesRead: 1,
  });
  expect((await index.find("one")).messageCount).toBe(3);
  expect((await index.search("one more")).sessions).toHaveLength(1);
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 1, bytesRead: 0 });
});

test("a new or deleted file: no other file is scanned", async () => {
  const { index, path, root } = await indexed(talk({ id: "one" }), talk({ id: "two" }));
  const other = talk({ id: "three" }).writeUnder(root);
  const path4 = talk({ id: "four" }).writeUnder(root);
  expect(await index.syncFile(path4)).toMatchObject({ ...NO_CHANGES, files: 1, added: 1 });
  expect(await failure(index.find(other))).toBeInstanceOf(PidexError);
  rmSync(path);
  rmSync(path4);
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 0, forgotten: 1 });
  expect((await index.listAll()).sessions.map(({ id }) => id).sort()).toEqual(["four", "two"]);
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 0 });
});

test("a file that was replaced, or renamed", async () => {
  const { index, path, root } = await indexed(talk({ id: "one" }));
  session({ id: "other" }).user("Something else altogether.").write(path);
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 1, reindexed: 1 });
  const renamed = join(root, "renamed.jsonl");
  renameSync(path, renamed);
  await index.syncFile(renamed);
  await index.syncFile(path);
  expect((await index.listAll()).sessions.map(({ path }) => path)).toEqual([renamed]);
});

test("a file in a deleted folder is removed, and its replacement is not a session", async () => {
  const { index, path, root } = await indexed(talk({ id: "one" }));
  rmSync(root, { recursive: true });
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 0, forgotten: 1 });
  writeFileSync(root, "a file now");
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 0, unlisted: [] });
  rmSync(root);
  mkdirSync(path, { recursive: true });
  expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 0, unlisted: [] });
});

test("a file that no sync would find is ignored", async () => {
  const { index, root } = await indexed(talk({ id: "one" }));
  const outside = talk({ id: "outside" }).write(join(temporaryFolder(), "outside.jsonl"));
  const unnamed = talk({ id: "unnamed" }).write(join(root, "session.txt"));
  for (const path of [outside, unnamed, join(root, "nowhere.jsonl")]) {
    expect(await index.syncFile(path)).toMatchObject({ ...NO_CHANGES, files: 0 });
  }
  expect((await index.stats()).files).toBe(1);
});

test("a subagent's file is recognized", async () => {
  const { index, root } = await indexed(talk({ id: "one" }));
  const path = talk({ id: "run" }).write(join(root, "--home-ada-shop--", "one", "run-0", "run.jsonl"));
  await index.syncFile(path);
  expect(await index.find("run")).toMatchObject({ subagent: true });
});

test("a database that is found to be broken is rebuilt completely", async () => {
  const root = join(temporaryFolder(), "sessions");
  const db = join(temporaryFolder(), "index.db");
  const paths = ["one", "two"].map((id) => talk({ id }).writeUnder(root));
  await using first = await openIndex({ db, roots: [root] });
  await first.sync();
  await first.close();
  const handle = new SQLite(db);
  const page = handle
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_file_1'")
    .pluck();
  const at = ((page.get() as number) - 1) * 4096;
  handle.close();
  const bytes = readFileSync(db);
  bytes.fill(0xaa, at, at + 4096);
  writeFileSync(db, bytes);
  const notices: string[] = [];
  await using index = await openIndex({ db, roots: [root], onNotice: (notice) => notices.push(notice) });
  rmSync(paths[0] as string);
  expect(await index.syncFile(paths[0] as string)).toMatchObject({ ...NO_CHANGES, added: 1 });
  expect(notices).toEqual([expect.stringContaining("is damaged")]);
});

test("the real paths of roots are resolved once per sync", async () => {
  const folder = realpathSync(temporaryFolder());
  const [root, outside] = [join(folder, "root"), join(folder, "outside")];
  const path = talk({ id: "one" }).writeUnder(root);
  await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  await index.sync();
  const before = index.realRoots();
  expect(before).toEqual([`${root}/`]);
  expect(index.leadsOutside(path)).toBe(false);
  renameSync(root, outside);
  symlinkSync(outside, root); // a root that is replaced by a link in between must not be written to
  expect(index.realRoots()).toBe(before);
  expect(index.leadsOutside(path)).toBe(true);
  await index.sync();
  expect(index.realRoots()).toEqual([`${outside}/`]);
  expect(index.leadsOutside(path)).toBe(false);
});
