import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { acquireLock, isWriterLocked } from "../../src/store/sqlite/lock.ts";
import { temporaryFolder } from "../temporary.ts";

const MODULE = join(import.meta.dirname, "../../src/store/sqlite/lock.ts");
const AT_ONCE = { timeoutMs: 0 };
const FOREVER = { timeoutMs: Number.POSITIVE_INFINITY };

const databaseIn = (folder: string) => join(folder, "index.db");

test("one process syncs at a time, and several open the database, unless one replaces it", async () => {
  const path = databaseIn(temporaryFolder());
  const sync = await acquireLock(path, "sync", AT_ONCE);
  expect(sync).toBeDefined();
  expect(await acquireLock(path, "sync", AT_ONCE)).toBeUndefined();
  expect(await isWriterLocked(path)).toBe(true);

  const [one, two] = [await acquireLock(path, "open", AT_ONCE), await acquireLock(path, "open", AT_ONCE)];
  expect([one, two]).not.toContain(undefined);
  expect(await acquireLock(path, "replace", AT_ONCE)).toBeUndefined();
  one?.release();
  two?.release();
  const replace = await acquireLock(path, "replace", AT_ONCE);
  expect(replace).toBeDefined(); // a sync in progress may continue with the replaced database
  expect(await acquireLock(path, "open", AT_ONCE)).toBeUndefined();
  expect(await acquireLock(path, "replace", AT_ONCE)).toBeUndefined();
  replace?.release();

  sync?.release();
  expect(await isWriterLocked(path)).toBe(false);
});

test("a waiting call gets the lock when it is released, and only the lock file remains", async () => {
  const folder = temporaryFolder();
  const path = databaseIn(folder);
  const first = await acquireLock(path, "sync", AT_ONCE);
  const second = acquireLock(path, "sync", FOREVER);
  first?.release();
  (await second)?.release();
  expect(readdirSync(folder)).toEqual(["index.db.turn"]);
  expect(statSync(`${path}.turn`).mode & 0o777).toBe(0o600);
});

test("an aborted signal ends the wait with its reason", async () => {
  const path = databaseIn(temporaryFolder());
  const held = await acquireLock(path, "sync", AT_ONCE);
  const stop = new AbortController();
  const waiting = acquireLock(path, "sync", { ...FOREVER, signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  held?.release();
  expect(await isWriterLocked(path)).toBe(false);
});

test("a lock excludes other processes, however many calls wait in this one", async () => {
  const path = databaseIn(temporaryFolder());
  const lock = await acquireLock(path, "sync", AT_ONCE);
  expect(await acquireLock(path, "sync", AT_ONCE)).toBeUndefined();
  expect(await isWriterLocked(path)).toBe(true);
  const script = `const { isWriterLocked } = await import(process.argv[1]);
    console.log(await isWriterLocked(process.argv[2]))`;
  const taken = execFileSync(process.execPath, ["--input-type=module", "-e", script, MODULE, path]);
  expect(taken.toString().trim()).toBe("true");
  lock?.release();
});

test.each([
  ["garbage", "garbage ".repeat(1_000)],
  ["half a page", "SQLite format 3\0"],
])("is acquired even if the lock file contains %s", async (_, bytes) => {
  const path = databaseIn(temporaryFolder());
  writeFileSync(`${path}.turn`, bytes);
  const lock = await acquireLock(path, "sync", AT_ONCE);
  expect(lock).toBeDefined();
  expect(await acquireLock(path, "sync", AT_ONCE)).toBeUndefined();
  lock?.release();
});

test("the lock of a killed process is released", async () => {
  const path = databaseIn(temporaryFolder());
  const script = `const { acquireLock } = await import(process.argv[1]);
    await acquireLock(process.argv[2], "sync", { timeoutMs: 0 });
    console.log("mine"); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, MODULE, path]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  expect(await isWriterLocked(path)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await isWriterLocked(path)).toBe(false);
});
