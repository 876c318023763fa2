import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { cacheStatements, lazyStatements } from "../../src/store/sqlite/statements.ts";

function opened() {
  const handle = new SQLite(":memory:");
  onTestFinished(() => void handle.close());
  handle.exec("CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (1), (2), (3)");
  return { handle, database: cacheStatements(handle) };
}

test("a statement is prepared once", () => {
  const { database } = opened();
  const first = database.prepare("SELECT n FROM number");
  expect(database.prepare("SELECT n FROM number")).toBe(first);
  expect(database.prepare("SELECT n FROM number WHERE n > ?")).not.toBe(first);
});

test("a statement that is still being iterated is not reused", () => {
  const { database } = opened();
  const rows = database.prepare("SELECT n FROM number").iterate([]);
  expect(rows.next().value).toEqual({ n: 1 });
  expect(database.prepare("SELECT n FROM number").all([])).toHaveLength(3);
  expect(rows.next().value).toEqual({ n: 2 });
  rows.return?.();
});

test("a statement prepared before a table was recreated reads the new table", () => {
  const { handle, database } = opened();
  expect(database.prepare("SELECT n FROM number").all([])).toHaveLength(3);
  handle.exec(
    "DROP TABLE number; CREATE TABLE number (other TEXT, n INTEGER); INSERT INTO number VALUES ('a', 7)",
  );
  expect(database.prepare("SELECT n FROM number").all([])).toEqual([{ n: 7 }]);
});

test("the cache is limited to a few hundred statements", () => {
  const { database } = opened();
  const first = database.prepare("SELECT 0");
  for (let n = 1; n < 300; n++) database.prepare(`SELECT ${n}`);
  expect(database.prepare("SELECT 0")).not.toBe(first);
});

test("a lazy statement is prepared when it is first run, once, with its settings", () => {
  const { handle } = opened();
  const texts: string[] = [];
  const counted = {
    prepare: (sql: string) => {
      texts.push(sql);
      return handle.prepare(sql);
    },
  } as Pick<SQLite.Database, "prepare">;
  const database = lazyStatements(counted);
  const largest = database.prepare<[number], bigint>("SELECT n FROM number WHERE n < ? ORDER BY n DESC");
  largest.pluck().safeIntegers();
  const insert = database.prepare("INSERT INTO number VALUES (?)");
  const wrong = database.prepare("SELECT FROM");
  expect(texts).toEqual([]);
  expect(largest.get(3)).toBe(2n);
  expect(insert.run(10)).toMatchObject({ changes: 1 });
  expect(largest.all(11)).toEqual([10n, 3n, 2n, 1n]);
  expect([...largest.iterate(3)]).toEqual([2n, 1n]);
  expect(largest.raw().get(2)).toEqual([1n]);
  expect(texts).toHaveLength(2);
  expect(() => wrong.get()).toThrow("syntax error");
});
