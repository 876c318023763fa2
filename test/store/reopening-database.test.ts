import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { acquireLock } from "../../src/store/sqlite/lock.ts";
import { type Database, openDatabase } from "../../src/store/sqlite/open.ts";
import { ReopeningDatabase } from "../../src/store/sqlite/reopening-database.ts";
import { DatabaseReplacedError } from "../../src/store/sqlite/replaced-database.ts";
import { schemaVersion } from "../../src/store/sqlite/schema-version.ts";
import { temporaryFolder } from "../temporary.ts";

async function live(folder = temporaryFolder()) {
  const path = join(folder, "index.db");
  const notices: string[] = [];
  const database = await ReopeningDatabase.open({
    path,
    migrations,
    busyTimeoutMs: 200,
    onNotice: (notice) => notices.push(notice),
  });
  onTestFinished(() => database.close());
  return { path, database, notices, folder };
}

const mark = ({ writer }: Database): unknown => writer.exec("CREATE TABLE mark (x)");
const isMarked = ({ reader, readerHandle }: Database): boolean =>
  reader !== undefined &&
  readerHandle.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'mark'").get() !== undefined;
const quarantinedIn = (folder: string) => readdirSync(folder).filter((name) => /\.broken-.*Z$/.test(name));
const corrupt = () => Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" });

/** Replaces the database, as another process would. */
async function replaceByAnother(path: string): Promise<void> {
  const other = `${path}.other`;
  const database = await openDatabase({ path: other, migrations });
  mark(database);
  await database.close();
  for (const side of ["-wal", "-shm"]) rmSync(path + side, { force: true });
  renameSync(other, path);
}

test("a database that another process replaced is reopened for the next query", async () => {
  const { path, database } = await live();
  expect(await database.use(isMarked)).toBe(false);
  await replaceByAnother(path);
  const prepared: string[] = [];
  expect(await database.use(isMarked, async () => void prepared.push("new"))).toBe(true);
  expect(await database.use(isMarked, async () => void prepared.push("again"))).toBe(true);
  expect(prepared).toEqual(["new"]);
});

test("a deleted database is created again, and new rows are written to the new file", async () => {
  const { path, database } = await live();
  rmSync(path);
  await database.use(mark);
  expect(existsSync(path)).toBe(true);
  const again = await openDatabase({ path, migrations });
  expect(isMarked(again)).toBe(true);
  await again.close();
});

test("queries in progress continue with the old database, and the last one closes it", async () => {
  const { path, database } = await live();
  let old: Database | undefined;
  await database.use(async (current) => {
    old = current;
    const kept = database.retain(current);
    await replaceByAnother(path);
    expect(await database.use(isMarked)).toBe(true);
    expect(isMarked(current)).toBe(false);
    await kept.release();
    await kept.release(); // a second call does nothing
    expect(current.writer.open).toBe(true);
  });
  expect([old?.writer.open, old?.readerHandle.open]).toEqual([false, false]);
});

test("concurrent queries that find the database broken quarantine it once, and each is repeated", async () => {
  const { database, notices, folder } = await live();
  await database.use(mark);
  const query = () =>
    database.use((current) => {
      if (isMarked(current)) throw corrupt();
      return "done";
    });
  expect(await Promise.all([query(), query(), query()])).toEqual(["done", "done", "done"]);
  expect(notices).toEqual([expect.stringContaining("is damaged")]);
  expect(quarantinedIn(folder)).toHaveLength(1);
});

test("a database that another process has quarantined is not moved a second time", async () => {
  const [one, other] = await (async () => {
    const first = await live();
    return [first, await live(first.folder)];
  })();
  await one.database.use(mark);
  const query = (database: ReopeningDatabase) =>
    database.use((current) => {
      if (isMarked(current)) throw corrupt();
    });
  await query(one.database);
  await one.database.use(({ writer }) => writer.exec("CREATE TABLE kept (x)"));
  await query(other.database);
  expect(quarantinedIn(one.folder)).toHaveLength(1);
  const tables = ({ readerHandle }: Database) =>
    readerHandle.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kept'").get();
  expect(await other.database.use(tables)).toBeDefined();
});

test("a broken database is quarantined while a sync holds the writer lock, but not while it is being opened", async () => {
  const { path, database, folder } = await live();
  const [sync, open] = [
    await acquireLock(path, "sync", { timeoutMs: 0 }),
    await acquireLock(path, "open", { timeoutMs: 0 }),
  ];
  let found = 0;
  const query = () =>
    database.use(() => {
      if (++found <= 2) throw corrupt();
    });
  await expect(query()).rejects.toMatchObject({ code: "DATABASE_BUSY" });
  expect(quarantinedIn(folder)).toEqual([]);
  open?.release();
  await query();
  expect(quarantinedIn(folder)).toHaveLength(1);
  sync?.release();
});

test("a database that a newer pidex migrated while it was open is left alone", async () => {
  const { path, database, notices } = await live();
  const newer = new SQLite(path);
  newer.pragma("user_version = 199");
  newer.close();
  const known = schemaVersion(migrations);
  expect(await database.use((current) => current.path)).toBe(`${path}.v${known}`);
  expect(notices).toEqual([expect.stringContaining("newer")]);
});

test("concurrent queries of a new database wait until it is prepared once", async () => {
  const { path, database } = await live();
  await replaceByAnother(path);
  let prepared = 0;
  const prepare = async () => {
    await database.use(() => {}); // as a sync does
    prepared++;
  };
  const query = () => database.use(() => prepared, prepare);
  expect(await Promise.all([query(), query(), query()])).toEqual([1, 1, 1]);
  expect(await query()).toBe(1);
});

test("work on a replaced database is repeated a limited number of times", async () => {
  const { database } = await live();
  let times = 0;
  const result = database.use(() => {
    if (++times < 3) throw new DatabaseReplacedError();
    return times;
  });
  expect(await result).toBe(3);
  const never = database.use(() => {
    times++;
    throw new DatabaseReplacedError();
  });
  await expect(never).rejects.toThrow("replaced");
  expect(times).toBeLessThan(10);
});

test("the WAL of a deleted database is not applied to a new one", async () => {
  const { path, database, folder } = await live();
  await database.use(mark);
  const log = readFileSync(`${path}-wal`);
  expect(log.length).toBeGreaterThan(0);
  await database.close();
  rmSync(path);
  writeFileSync(`${path}-wal`, log);
  const next = await live(folder);
  expect(await next.database.use(isMarked)).toBe(false);
  expect(new SQLite(path, { readonly: true }).pragma("quick_check", { simple: true })).toBe("ok");
});

test("other errors are thrown, and nothing is moved", async () => {
  const { database, notices } = await live();
  await expect(database.use(() => Promise.reject(new Error("other")))).rejects.toThrow("other");
  expect(notices).toEqual([]);
});

test("using a closed database is an error", async () => {
  const { path, database } = await live();
  await database.close();
  rmSync(path);
  await expect(database.use(isMarked)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});
