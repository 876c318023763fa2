import { hash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type Index, openIndex, PidexError } from "../../../library/index.ts";
import { collect } from "../opened-queries.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-hostile-sql-"));
const db = join(folder, "index.db");
const loot = join(folder, "loot");
const SECRET = "not readable by any query";
let index: Index;
let before: Record<string, string>;

/** Hashes of the files in the folder. The shared-memory file is excluded: reading changes it. */
function hashFiles(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("."),
  );
  const kept = names.filter((name) => !name.endsWith("-shm") && !name.endsWith(".jsonl"));
  return Object.fromEntries(kept.map((name) => [name, hash("sha256", readFileSync(join(folder, name)))]));
}

beforeAll(async () => {
  const talk = session({ cwd: "/p" });
  for (let n = 0; n < 200; n++) talk.user(`question ${n}`).assistant(`answer ${n}`);
  talk.writeUnder(join(folder, "sessions"));
  writeFileSync(join(folder, "secret.txt"), SECRET);
  index = await openIndex({ db, roots: [join(folder, "sessions")] });
  await index.sync();
  before = hashFiles();
});
afterAll(async () => {
  // No statement changed anything::
  expect(hashFiles()).toEqual(before);
  expect((await index.stats()).messages).toBe(400);
  await index.close();
  rmSync(folder, { recursive: true, force: true });
});

const LIMIT_MS = 400;

/** All rows of a query, or its error code. */
async function outcome(sql: string, timeoutMs = LIMIT_MS): Promise<unknown> {
  try {
    const { rows } = await index.sql(sql, { timeoutMs });
    return await collect(rows);
  } catch (error) {
    expect(error).toBeInstanceOf(PidexError);
    const { code, message, hint } = error as PidexError;
    expect(message).not.toBe("");
    expect(hint).not.toBe("");
    return code;
  }
}

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";

/** Statements that write, access other files, or are not a single query. Most are rejected before SQLite sees them. */
const REFUSED = [
  "INSERT INTO label VALUES (1, 'x', 'x', 1)",
  "UPDATE event SET cost = 0",
  "DELETE FROM file",
  "REPLACE INTO model VALUES (1, 'a', 'b')",
  "WITH gone AS (SELECT id FROM file) DELETE FROM file WHERE id IN gone",
  "WITH a(x) AS (SELECT 1) INSERT INTO path SELECT NULL, x FROM a RETURNING *",
  "INSERT INTO path VALUES (NULL, 'x') RETURNING id",
  "CREATE TABLE x (y)",
  "CREATE TEMP TABLE x AS SELECT 1",
  "CREATE VIRTUAL TABLE x USING fts5(y)",
  "DROP TABLE event",
  "ALTER TABLE event RENAME TO x",
  "CREATE TRIGGER x AFTER INSERT ON file BEGIN SELECT 1; END",
  "REINDEX",
  "ANALYZE",
  "VACUUM",
  `VACUUM INTO '${loot}.db'`,
  `ATTACH '${loot}.db' AS loot`,
  `ATTACH 'file:${loot}.db?mode=rwc' AS loot`,
  "DETACH main",
  "BEGIN",
  "BEGIN EXCLUSIVE",
  "COMMIT",
  "SAVEPOINT x",
  "PRAGMA user_version",
  "PRAGMA user_version = 0",
  "PRAGMA journal_mode = DELETE",
  "PRAGMA query_only = OFF",
  "PRAGMA writable_schema = ON",
  `PRAGMA temp_store_directory = '${folder}'`,
  "pragma wal_checkpoint(TRUNCATE)",
  "EXPLAIN PRAGMA journal_mode = DELETE",
  "EXPLAIN QUERY PLAN PRAGMA journal_mode = DELETE",
  "EXPLAIN /* a */ DELETE FROM file",
  "EXPLAIN QUERY DELETE FROM file",
  "EXPLAIN EXPLAIN SELECT 1",
  "EXPLAIN",
  "SELECT * FROM pragma_query_only('0')",
  "SELECT * FROM pragma_optimize",
  "SELECT * FROM pragma_wal_checkpoint",
  "SELECT load_extension('/tmp/x.so')",
  "INSERT INTO entry_text (entry_text) VALUES ('delete-all')",
  "INSERT INTO entry_text (entry_text, rank) VALUES ('automerge', 0)",
  "SELECT fts3_tokenizer('simple', x'0000000000000000')",
  `SELECT writefile('${loot}.txt', 'x')`,
  "SELECT 1; DELETE FROM file",
  "SELECT 1; -- more\nDELETE FROM file",
  "-- SELECT 1\nDELETE FROM file",
  "/* SELECT 1 */ DELETE FROM file",
  "/* /* SELECT */ DELETE FROM file",
  "SELECT 1 \0; DELETE FROM file",
  "\0SELECT 1",
  "\ufeffDELETE FROM file",
  "(SELECT 1)",
  "; DELETE FROM file",
  "",
  "   \n\t",
  ";",
  "-- nothing",
  "/* nothing",
  "SELECT",
  "SELECT ?",
  "SELECT 'a' REGEXP 'b'",
  `SELECT ${"(".repeat(5_000)}1${")".repeat(5_000)}`,
  `SELECT ${"1 + ".repeat(5_000)}1`,
  `SELECT ${Array.from({ length: 1_000 }, () => "1").join(" UNION SELECT ")}`,
  `SELECT '${"x".repeat(1_000_000)}'`,
  `SELECT 1 ${"-- \n".repeat(250_000)}`,
  `SELECT 'a' LIKE '${"%a".repeat(30_000)}'`,
  "SELECT randomblob(1e9)",
  "SELECT printf('%.*c', 1e9, 'x')",
];

describe.concurrent("refused", () => {
  test.each(REFUSED.map((sql) => ({ sql, shown: sql.slice(0, 60) })))("$shown", async ({ sql }) => {
    expect(await outcome(sql, 25_000)).toBe("BAD_SQL");
  });
});

/** A text that depends on the row, so that it is computed and matched for each. */
const LONG = "replace(hex(zeroblob(500 + a.line + b.line)), '00', 'a')";

/** Queries that run forever, or nearly. Some return rows meanwhile. */
const ENDLESS_QUERIES = [
  `${ENDLESS} SELECT count(*) FROM n`,
  "SELECT max(a.time || b.time) FROM entries a, entries b, entries c WHERE a.line * b.line = -c.line",
  `SELECT count(*) FROM entries a, entries b WHERE ${LONG} LIKE '${"%a".repeat(40)}%b'`,
  `SELECT count(*) FROM entries a, entries b WHERE ${LONG} GLOB '${"*a".repeat(40)}*b'`,
  "SELECT a.path FROM entries a, entries b, entries c, entries d EXCEPT SELECT 'x' ORDER BY 1",
];

test("no function or table gives access to anything outside the database", async () => {
  const names = [
    "readfile",
    "writefile",
    "edit",
    "eval",
    "fsdir",
    "lsmode",
    "csv",
    "zipfile",
    "sqlite_dbpage",
  ];
  const sql = `SELECT name FROM (SELECT name FROM pragma_function_list UNION SELECT name FROM pragma_module_list)
    WHERE name IN (${names.map((name) => `'${name}'`).join(", ")})`;
  expect(await outcome(sql, 10_000)).toEqual([]);
});

describe.concurrent("stopped", () => {
  test.each(ENDLESS_QUERIES)(
    "%s",
    async (sql) => {
      expect(["SQL_TIMEOUT", "BAD_SQL"]).toContain(await outcome(sql));
    },
    10_000,
  );
});

/** Queries above the memory limit, run one after the other because each takes half a gigabyte. */
const GREEDY = [
  "SELECT randomblob(500000000)",
  "SELECT a.path || b.path || c.path AS x FROM entries a, entries b, entries c ORDER BY x || a.line * b.line",
];

test("a query above the memory limit fails", async () => {
  for (const sql of GREEDY) {
    const error = await index.sql(sql, { timeoutMs: 20_000 }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error, sql).toMatchObject({ code: "BAD_SQL", message: expect.stringContaining("512 MB") });
  }
});

test("rows that are too long are refused", async () => {
  expect(await outcome("SELECT hex(zeroblob(10000000))", 10_000)).toBe("BAD_SQL");
});

/** Statements that only look hostile. */
test.each([
  ["SELECT 1;", [[1]]],
  ["  /* a */ -- b\n SELECT 1 -- c", [[1]]],
  ["select ';', '--', '/*'", [[";", "--", "/*"]]],
  ["WITH a(x) AS (VALUES (1), (2)) SELECT sum(x) FROM a", [[3]]],
  ["EXPLAIN QUERY PLAN VALUES (1)", [[1, 0, 0, "SCAN CONSTANT ROW"]]],
])("%s is allowed", async (sql, rows) => {
  expect(await outcome(sql, 10_000)).toEqual(rows);
});
