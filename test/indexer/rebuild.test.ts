import {
  appendFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { rebuild } from "../../indexer/rebuild.ts";
import type { SyncReport } from "../../indexer/report.ts";
import { migrations } from "../../migrations/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { acquireLock } from "../../src/store/sqlite/lock.ts";
import { type Database, openDatabase } from "../../src/store/sqlite/open.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { age, countOf, indexed, NO_CHANGES, talk } from "./synced.ts";

const open = (path: string): Promise<Database> => openDatabase({ path, migrations });

const rebuildFolder = (db: Database, root: string, options: Partial<Parameters<typeof rebuild>[1]> = {}) =>
  rebuild(db, { roots: [toRoot(root)], open, ...options });

test("wrong rows are corrected, also for other handles on the database", async () => {
  const { db, root, folder, expectRebuilt } = await indexed();
  const reader = await databaseIn(folder);
  const { ino } = statSync(db.path);
  db.writer.exec("UPDATE entry SET role = 'nobody'; DELETE FROM session WHERE id = 'one'");
  expect(await rebuildFolder(db, root)).toMatchObject({ ...NO_CHANGES, files: 3, added: 3 });
  await expectRebuilt();
  expect(countOf(reader, "session")).toBe(3);
  expect(statSync(db.path).ino).toBe(ino);
  expect(readdirSync(folder).filter((name) => name.includes("rebuild"))).toEqual([]);
  expect(db.writer.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(await syncFolders(reader, root)).toMatchObject({ ...NO_CHANGES, skipped: 3 });
});

test("readers see the old rows until the rebuild is complete", async () => {
  const { db, root, folder } = await indexed();
  const reader = await databaseIn(folder);
  db.writer.exec("UPDATE session SET name = 'old'");
  const names = reader.readerHandle.prepare("SELECT name FROM session").pluck();
  const openQuery = reader.readerHandle.prepare("SELECT name FROM session").pluck().iterate();
  expect(openQuery.next().value).toBe("old");
  const other = await databaseIn(folder);
  const seen: unknown[] = [];
  await rebuildFolder(db, root, {
    onProgress: () =>
      void seen.push(other.readerHandle.prepare("SELECT DISTINCT name FROM session").pluck().get()),
  });
  expect(seen).toEqual(["old"]);
  expect([...openQuery]).toEqual(["old", "old"]);
  expect(names.all()).toEqual([null, null, null]);
});

test("files of other roots and their attributions are kept", async () => {
  const { db, root, folder, expectRebuilt } = await indexed();
  const other = join(folder, "other");
  age(talk({ id: "run" }).write(join(other, "project", "one", "run-0", "run.jsonl")));
  await syncFolders(db, other);
  await rebuildFolder(db, root);
  await expectRebuilt([root, other]);
});

test("an aborted rebuild changes nothing", async () => {
  const { db, root, folder } = await indexed();
  db.writer.exec("UPDATE session SET name = 'old'");
  const before = dumpTables(db.writer);
  const stop = new AbortController();
  const stopped = rebuildFolder(db, root, {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error("enough")),
  });
  await expect(stopped).rejects.toThrow("enough");
  expect(dumpTables(db.writer)).toEqual(before);
  expect(readdirSync(folder).filter((name) => name.includes("rebuild"))).toEqual([]);
});

test("the files of a killed rebuild are removed by the next one", async () => {
  const { db, root, expectRebuilt } = await indexed();
  for (const side of ["", "-wal"]) writeFileSync(`${db.path}.rebuild${side}`, "half");
  await rebuildFolder(db, root);
  await expectRebuilt();
  expect(existsSync(`${db.path}.rebuild-wal`)).toBe(false);
});

test("a sync during a rebuild reads nothing and reports how far it is behind; afterwards it reads what is new", async () => {
  const { db, root, folder, paths, expectRebuilt } = await indexed();
  const other = await databaseIn(folder);
  let meanwhile: SyncReport | undefined;
  await rebuildFolder(db, root, {
    onProgress: async () => {
      appendFileSync(paths[0] as string, '{"type":"message","id":"0000000a","message":{"role":"user"}}\n');
      rmSync(paths[1] as string);
      meanwhile = await syncFolders(other, root, { patienceMs: 0 });
    },
  });
  expect(meanwhile).toMatchObject({ ...NO_CHANGES, busy: true });
  expect(meanwhile?.behind).toBeGreaterThanOrEqual(2); // three if the third was written a moment ago
  expect(await syncFolders(other, root)).toMatchObject({ ...NO_CHANGES, appended: 1, forgotten: 1 });
  await expectRebuilt();
});

test("an unreadable folder is an error, and its files stay indexed", async () => {
  const { db, root } = await indexed();
  const before = dumpTables(db.writer);
  renameSync(root, `${root}-away`);
  symlinkSync(root, root); // a link to itself fails, for root too
  await expect(rebuildFolder(db, root)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  expect(dumpTables(db.writer)).toEqual(before);
});

test("a rebuild that doesn't get the lock is an error", async () => {
  const { db, root } = await indexed();
  const lock = await acquireLock(db.path, "sync", { timeoutMs: 0 });
  await expect(rebuildFolder(db, root, { patienceMs: 0 })).rejects.toMatchObject({ code: "DATABASE_BUSY" });
  lock?.release();
});

test("a rebuild of a database locked by another program is an error", async () => {
  const { db, root } = await indexed();
  db.writer.exec("UPDATE session SET name = 'old'");
  const other = new SQLite(db.path);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  await expect(rebuildFolder(db, root)).rejects.toMatchObject({ code: "DATABASE_BUSY" });
  other.exec("ROLLBACK");
  expect(db.writer.prepare("SELECT DISTINCT name FROM session").pluck().all()).toEqual(["old"]);
});

test("a rebuilt database has the same rows as another one", async () => {
  const { db, root, folder } = await indexed();
  await rebuildFolder(db, root);
  expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "again.db"), root));
});
