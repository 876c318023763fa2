import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentTables, tableColumns } from "../../../indexer/verify/tables.ts";
import type { Difference } from "../../../indexer/verify/verify-answer.ts";
import { migrations } from "../../../migrations/index.ts";
import { type Database, openDatabase } from "../../../src/store/sqlite/open.ts";
import { unpackRollup } from "../../../src/store/usage-rollup.ts";
import { dumpTables } from "../dump.ts";
import { rebuilt, syncFolders } from "../index-at.ts";
import { SUBAGENTS } from "../ledger-cases/subagents.ts";
import { VERSION_1 } from "../ledger-cases/version-1.ts";
import { createFile } from "../ledger-files.ts";
import { comparing, writeSessions } from "./verified.ts";

/** Columns that may have any value, and why. */
const ANYTHING_GOES: Record<string, string> = {
  "file.check_from": "how far blocks were compared; the blocks themselves are in file.checksums",
  "file.unchecked": "the same",
  "file.unchecked_since": "the same",
  "file.racy": "1 only costs the next sync a comparison; what 0 might hide differs in other rows",
};
/** Tables that may keep unused rows, and why. */
const MAY_BE_LEFT: Record<string, string> = {
  model: "a model stays when its last event goes; nothing shows it",
  usage_series: "a series stays when its last event goes; nothing shows it",
};
/** Tables in which a fault of another table is reported, because rows there refer to it. */
const SHOWS_IN: Record<string, string[]> = {
  path: ["path", "touch"],
  model: ["event"],
  usage_series: ["usage_rollup"],
  file: ["file", "session"],
  entry: ["entry", "event"],
};

/** Columns that identify rows of tables without a meaningful primary key: a row with another value is another row. */
const KNOWN_BY: Record<string, string[]> = {
  file: ["id", "path"],
  entry: ["id", "file_id", "line"],
  path: ["id", "path"],
  model: ["id", "provider", "model"],
  usage_series: ["id", "kind", "model_id", "agent", "tool", "stop", "current", "context"],
  problem: ["file_id", "byte_offset", "line", "code", "message"],
};

/** The tables with rows of files, or sums of them. Add a new table here; its columns are read from SQLite. */
const TABLES = [
  ...[
    "contested_key",
    "current_range",
    "entry",
    "event",
    "file",
    "label",
    "lineage",
    "model",
    "path",
    "problem",
  ],
  ...["reported_sum", "run_file", "session", "session_model"],
  ...["subagent_run", "tag", "tool_call", "touch", "usage_rollup", "usage_series"],
];

let folder = "";
let root = "";
let db: Database;
let compare: ReturnType<typeof comparing>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  ({ root } = await writeSessions(folder));
  for (const cases of [VERSION_1, SUBAGENTS]) {
    const each = cases.find(({ name }) => /a copy that pi upgraded$|in a sum, one of which has/.test(name));
    for (const [name, file] of Object.entries(each?.files(root) ?? {}))
      createFile(join(root, "ledger"), name, file);
  }
  db = await openDatabase({ path: join(folder, "index.db"), migrations });
  db.writer.pragma("synchronous = OFF");
  await syncFolders(db, root);
  compare = comparing(db, root);
});
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

type Row = Record<string, string | number | bigint | null>;

/** Runs a change with foreign keys disabled. */
function runSql(sql: string, ...values: unknown[]): void {
  db.writer.pragma("foreign_keys = OFF");
  try {
    db.writer.prepare(sql).run(...values);
  } finally {
    db.writer.pragma("foreign_keys = ON");
  }
}

const keyOf = (table: string): string[] =>
  tableColumns(db.writer, table).flatMap(({ name, pk }) => (pk > 0 ? [name] : []));

/** Rows that other rows depend on, in tables that may have unused rows. */
const WHICH: Record<string, () => string> = {
  model: () => "WHERE id IN (SELECT model_id FROM event)",
  usage_series: () => `WHERE kind = 'user' AND id IN (${usedSeries()})`,
};

const usedSeries = (): number[] =>
  (db.writer.prepare("SELECT day, rows FROM usage_rollup").all() as { day: number; rows: string }[]).flatMap(
    ({ day, rows }) => unpackRollup(day, rows).map(({ series }) => series),
  );

/** A row of a table that other rows depend on. */
function someRow(table: string): Row {
  const which = WHICH[table]?.() ?? "";
  const row = db.writer.prepare(`SELECT * FROM ${table} ${which} LIMIT 1`).safeIntegers().get();
  expect(row, `a row of ${table}`).toBeDefined();
  return row as Row;
}

/** An SQL condition for exactly one row. */
function only(table: string, row: Row): { which: string; values: unknown[] } {
  const names = keyOf(table).length > 0 ? keyOf(table) : Object.keys(row);
  return { which: names.map((name) => `${name} IS ?`).join(" AND "), values: names.map((name) => row[name]) };
}

const remove = (table: string, row: Row): void => {
  const { which, values } = only(table, row);
  runSql(`DELETE FROM ${table} WHERE ${which}`, ...values);
};

const insert = (table: string, row: Row): void =>
  runSql(`INSERT INTO ${table} VALUES (${Object.keys(row).map(() => "?")})`, ...Object.values(row));

/** Other values for a column; for a reference, another row or none. */
function others(table: string, column: string, value: Row[string]): Row[string][] {
  const pointedTo = { file_id: "file", entry: "entry", result: "entry", path_id: "path", model_id: "model" };
  if (column in pointedTo) {
    const there = pointedTo[column as keyof typeof pointedTo];
    const ids = db.writer.prepare<unknown[], number>(`SELECT id FROM ${there} WHERE id IS NOT ?`).pluck();
    return [...ids.all(value), 999_999];
  }
  if (table === "usage_rollup" && typeof value === "string") {
    const digit = value.charCodeAt(value.length - 1); // the last of a sum
    return [value.slice(0, -1) + String.fromCharCode(digit > 1 ? digit - 1 : digit + 1)];
  }
  if (typeof value === "string") return [`${value}x`];
  if (value !== null) return [1n, 2n, 1_000n].map((more) => BigInt(value) + more);
  const type = db.writer.prepare(`SELECT type FROM pragma_table_info('${table}') WHERE name = ?`).pluck();
  return [type.get(column) === "INTEGER" ? 7 : "x"];
}

/** Changes some columns of a row to the first other values that the table accepts. */
function withOthers(row: Row, table: string, columns: readonly string[], take: (row: Row) => void): Row {
  for (let n = 0; n < 100; n++) {
    const changes = columns.map((name): [string, Row[string]] => {
      const values = others(table, name, row[name] as Row[string]);
      return [name, values[Math.min(n, values.length - 1)] as Row[string]];
    });
    const changed = { ...row, ...Object.fromEntries(changes) };
    try {
      take(changed);
      return changed;
    } catch (error) {
      if (!String(error).includes("constraint")) throw error;
    }
  }
  throw new Error(`nothing else can stand in ${table}.${columns}`);
}

function change(table: string, row: Row, columns: readonly string[]): Row {
  const { which, values } = only(table, row);
  return withOthers(row, table, columns, (changed) =>
    runSql(
      `UPDATE ${table} SET ${columns.map((name) => `${name} = ?`)} WHERE ${which}`,
      ...columns.map((name) => changed[name]),
      ...values,
    ),
  );
}

const showsIn = (table: string, differences: readonly Difference[]): boolean =>
  differences.some((difference) => (SHOWS_IN[table] ?? [table]).includes(difference.table));

async function expectRepaired(table: string): Promise<void> {
  const report = await compare({ repair: true });
  expect(showsIn(table, report.repaired)).toBe(true);
  expect(report).toMatchObject({ differences: [], differenceCount: 0, changing: [] });
}

test("every table is tested", () => {
  expect(contentTables(db.writer)).toEqual(TABLES);
});

describe.each(TABLES)("%s", (table) => {
  const columns = () =>
    tableColumns(db.writer, table).flatMap(({ name }) => (ANYTHING_GOES[`${table}.${name}`] ? [] : [name]));

  test("any column that differs is found and named", async () => {
    const known = KNOWN_BY[table] ?? keyOf(table);
    const others = columns().filter((name) => !known.includes(name));
    for (const changes of [...known.map((name) => [name]), others]) {
      if (changes.length === 0) continue;
      const row = someRow(table);
      const changed = change(table, row, changes);
      const { differences } = await compare();
      expect(showsIn(table, differences), `another ${changes} is found`).toBe(true);
      if (changes === others) {
        const named = differences.flatMap((one) => (one.table === table ? (one.column ?? []) : []));
        // The sums of a day and those of a 15-minute bucket.
        if (table === "usage_rollup") expect(named).toHaveLength(2);
        else expect(new Set(named)).toEqual(new Set(others));
      }
      remove(table, changed);
      insert(table, row);
    }
    expect(await compare()).toMatchObject({ differences: [] });
  });

  test("a row that differs in all columns is repaired", async () => {
    const others = columns().filter((name) => !keyOf(table).includes(name));
    change(table, someRow(table), others.length > 0 ? others : columns());
    await expectRepaired(table);
  });

  test("a missing row and an extra row are found and repaired", async () => {
    const row = someRow(table);
    const unique = table === "file" || table === "path" ? ["id", "path"] : keyOf(table).slice(-1);
    if (!MAY_BE_LEFT[table]) withOthers(row, table, unique, (extra) => insert(table, extra));
    remove(table, row);
    await expectRepaired(table);
  });
});

test("afterwards the index equals a fresh one", async () => {
  expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
});
