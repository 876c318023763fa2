import SQLite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PidexError } from "../../../library/index.ts";
import { checkStatement } from "../../../query/sql/statement.ts";

function isRefused(sql: string): boolean {
  try {
    checkStatement(sql);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "BAD_SQL" });
    return error instanceof PidexError;
  }
}

const pieces = fc.constantFrom(
  ..."SELECT select WITH VALUES EXPLAIN QUERY PLAN PRAGMA user_version = 7 DELETE FROM t ; -- /* */ * ( ) ' 1 x AS \n \t".split(
    " ",
  ),
  "\n",
  "\r",
  "\v",
  "\f",
  "\u00a0",
  "\ufeff",
  "\0",
);

test("accepted statements change nothing, not even when they are prepared", () => {
  const db = new SQLite(":memory:");
  db.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  const state = () => [
    db.pragma("user_version", { simple: true }),
    db.prepare("SELECT count(*) FROM t").pluck().get(),
  ];
  const before = state();
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), fc.constantFrom("", " "), (words, space) => {
      const sql = words.join(space);
      if (isRefused(sql)) return;
      try {
        const statement = db.prepare(sql);
        if (statement.readonly && statement.reader) statement.all();
      } catch (error) {
        expect(error).toBeInstanceOf(Error); // invalid SQL, which SQLite rejects
      }
      expect(state()).toEqual(before);
    }),
    { numRuns: 1000 },
  );
  db.close();
});

test("comments and whitespace before a statement are ignored", () => {
  const skipped = fc.array(fc.constantFrom(" ", "\n", "\t", "-- SELECT\n", "/* DELETE */", "/**/", "--\n"));
  const statements = fc.constantFrom(
    "SELECT 1",
    "with a as (select 1) select 1",
    "DELETE FROM t",
    "PRAGMA x",
    "",
  );
  fc.assert(
    fc.property(skipped, statements, (before, sql) => {
      expect(isRefused(before.join("") + sql)).toBe(isRefused(sql));
    }),
  );
});
