import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { keepingStatements } from "../../src/database/statements.ts";

function opened() {
  const handle = new SQLite(":memory:");
  onTestFinished(() => void handle.close());
  handle.exec("CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (1), (2), (3)");
  return { handle, database: keepingStatements(handle) };
}

test("a statement is prepared once", () => {
  const { database } = opened();
  const first = database.prepare("SELECT n FROM number");
  expect(database.prepare("SELECT n FROM number")).toBe(first);
  expect(database.prepare("SELECT n FROM number WHERE n > ?")).not.toBe(first);
});

test("one whose rows are still being read is left alone", () => {
  const { database } = opened();
  const rows = database.prepare("SELECT n FROM number").iterate([]);
  expect(rows.next().value).toEqual({ n: 1 });
  expect(database.prepare("SELECT n FROM number").all([])).toHaveLength(3);
  expect(rows.next().value).toEqual({ n: 2 });
  rows.return?.();
});

test("one that was prepared before a table was made anew reads the new one", () => {
  const { handle, database } = opened();
  expect(database.prepare("SELECT n FROM number").all([])).toHaveLength(3);
  handle.exec(
    "DROP TABLE number; CREATE TABLE number (other TEXT, n INTEGER); INSERT INTO number VALUES ('a', 7)",
  );
  expect(database.prepare("SELECT n FROM number").all([])).toEqual([{ n: 7 }]);
});

test("not more than some hundreds are kept", () => {
  const { database } = opened();
  const first = database.prepare("SELECT 0");
  for (let n = 1; n < 300; n++) database.prepare(`SELECT ${n}`);
  expect(database.prepare("SELECT 0")).not.toBe(first);
});
