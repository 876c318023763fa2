import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { sql } from "../../src/store/sql.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import { temporaryFolder } from "../temporary.ts";

/** A database with a writing connection, and a reader of it. */
function opened() {
  const path = join(temporaryFolder(), "numbers.db");
  const writer = new SQLite(path);
  writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE number (n INTEGER)");
  const handle = new SQLite(path, { readonly: true });
  onTestFinished(() => {
    handle.close();
    writer.close();
  });
  const add = (n: number) => void writer.prepare("INSERT INTO number VALUES (?)").run(n);
  const statements: string[] = [];
  return { add, handle, statements, reader: Reader.of(handle, ({ sql }) => void statements.push(sql)) };
}

const count = async (db: Reader): Promise<number | undefined> =>
  (await sql<{ n: number }>`SELECT count(*) AS n FROM number`.execute(db)).rows[0]?.n;

test("a query returns its rows and is reported to onStatement", async () => {
  const { add, statements, reader } = opened();
  add(5);
  add(7);
  const { rows } = await sql<{ n: number }>`SELECT n FROM number WHERE n > ${5}`.execute(reader);
  expect(rows).toEqual([{ n: 7 }]);
  expect(statements).toEqual(["SELECT n FROM number WHERE n > ?"]);
});

test("an error in a statement is thrown to its caller", async () => {
  await expect(sql`SELECT nosuch FROM number`.execute(opened().reader)).rejects.toThrow("nosuch");
});

test("queries in a snapshot don't see later writes", async () => {
  const { add, reader } = opened();
  const counts = await reader.snapshot(async (db) => {
    const before = await count(db);
    add(1);
    return [before, await count(db)];
  });
  expect(counts).toEqual([0, 0]);
  expect(await count(reader)).toBe(1);
});

test("other queries wait for the snapshot, and see later writes", async () => {
  const { add, reader } = opened();
  const events: string[] = [];
  const first = reader.snapshot(async (db) => {
    await count(db);
    add(1);
    events.push(`first: ${await count(db)}`);
  });
  const plain = count(reader).then((n) => events.push(`plain: ${n}`));
  const second = reader.snapshot(async (db) => events.push(`second: ${await count(db)}`));
  await Promise.all([first, plain, second]);
  expect(events[0]).toBe("first: 0");
  expect(events.slice(1).sort()).toEqual(["plain: 1", "second: 1"]);
});

test("a failed query ends its snapshot", async () => {
  const { handle, reader } = opened();
  await expect(reader.snapshot(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(handle.inTransaction).toBe(false);
  expect(await reader.snapshot(count)).toBe(0);
});

test("a cached value is computed again once another handle has changed the database", async () => {
  const { add, reader } = opened();
  const cached = () => reader.cachedUntilChange("numbers", async () => (await count(reader)) ?? 0);
  expect([await cached(), await cached()]).toEqual([0, 0]);
  add(1);
  expect(await cached()).toBe(1);
});

test("a value that could not be computed is not cached", async () => {
  const { reader } = opened();
  const failed = reader.cachedUntilChange("numbers", () => Promise.reject(new Error("no")));
  await expect(failed).rejects.toThrow("no");
  expect(await reader.cachedUntilChange("numbers", async () => 2)).toBe(2);
});

test("a query rejects once its reader is cancelled, and those of other readers don't", async () => {
  const { reader } = opened();
  const abort = new AbortController();
  const cancelled = reader.cancelledBy(abort.signal);
  expect(await count(cancelled)).toBe(0);
  abort.abort(new Error("not needed any more"));
  await expect(count(cancelled)).rejects.toThrow("not needed any more");
  expect(await count(reader)).toBe(0);
});

test("a cancellation arrives between two statements of a snapshot, and ends it", async () => {
  const { add, handle, reader } = opened();
  for (let n = 0; n < 1_000; n++) add(n);
  const abort = new AbortController();
  let statements = 0;
  const countPairs = async (db: Reader) => {
    for (; statements < 10_000; statements++)
      await sql`SELECT count(*) FROM number AS a, number AS b WHERE a.n < b.n`.execute(db);
  };
  const result = reader.cancelledBy(abort.signal).snapshot(countPairs);
  setTimeout(() => abort.abort(new Error("not needed any more")), 1);
  await expect(result).rejects.toThrow("not needed any more");
  expect(statements).toBeLessThan(10_000);
  expect(handle.inTransaction).toBe(false);
});
