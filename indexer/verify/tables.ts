import type SQLite from "better-sqlite3";
import { SUMS } from "../../src/store/sqlite/schema.ts";
import { unpackRollup } from "../../src/store/sqlite/usage-rollup.ts";
import { type Cells, compareKeys } from "./compare-rows.ts";

/** How the rows of a table are read so that those of two databases can be compared: without ids, in the order of their keys. */
export interface TableRows {
  table: string;
  /** Keys come first. */
  columns: string[];
  keys: number;
  /** Takes `@file`, the file's id, for a table that holds rows of files. */
  sql: string;
}

/** Rows that hold only what the rows that point to them say: a path, a model. They are compared where they are pointed to. */
const POINTED_TO = ["path", "model", "usage_series"];

/** Tables of files with rows that depend on other files too: comparable only between indexes of the same moment. */
export const CROSS_FILE: readonly string[] = ["contested_key", "event", "reported_sum", "usage_rollup"];

/** An entry has another id in each index: it is compared by its line. */
const LINE = "entry.line AS line";

/** How a column is compared, where not by its value. `""` leaves it out. */
const COMPARED_AS: Record<string, string> = {
  "entry.id": "",
  "file.id": "",
  // 1 costs the next sync a second look, and what 0 may overlook is in the other rows.
  "file.racy": "",
  // How far the comparison of blocks has come says nothing of the rows.
  "file.check_from": "",
  "file.unchecked": "",
  "file.unchecked_since": "",
  // As text: it is too large for a JavaScript number.
  "event.key": "CAST(event.key AS TEXT) AS key",
  "contested_key.key": "CAST(contested_key.key AS TEXT) AS key",
  "tool_call.result": lineIn("tool_call", "result"),
  "tool_call.caller": lineIn("tool_call", "caller"),
};

/** The line of the entry that a column points to: null where it points to none, -1 where to none of the file. */
function lineIn(table: string, column: string): string {
  return `CASE WHEN ${table}.${column} IS NOT NULL THEN coalesce((SELECT other.line FROM entry AS other
    WHERE other.id = ${table}.${column} AND other.file_id = entry.file_id), -1) END AS ${column}`;
}

/** The same by the column's name alone, whatever the table. */
const POINTERS: Record<string, (table: string) => string[]> = {
  entry: () => [LINE],
  path_id: (table) => [`(SELECT path.path FROM path WHERE path.id = ${table}.path_id) AS path_id`],
  model_id: (table) =>
    ["provider", "model"].map(
      (name) => `(SELECT model.${name} FROM model WHERE model.id = ${table}.model_id) AS model_id`,
    ),
};

/** What tells rows apart where the primary key does not say. */
const KEYS: Record<string, string[]> = { entry: ["line"], file: [] };

interface Column {
  name: string;
  /** From 1, the place in the primary key; 0 when it has none there. */
  pk: number;
}

/** The tables that hold rows of files. A new table, or a new column, is compared without being named here. */
export function fileTables(db: SQLite.Database): TableRows[] {
  const rows: TableRows[] = [];
  for (const table of tablesOf(db)) {
    if (table === ROLLUP.table) continue;
    const columns = columnsOf(db, table);
    const names = columns.map(({ name }) => name);
    if (table === "file") rows.push(select(table, columns, "FROM file WHERE file.id = +@file"));
    else if (names.includes("entry")) {
      const from = `FROM entry CROSS JOIN ${table} ON ${table}.entry = entry.id WHERE entry.file_id = +@file`;
      rows.push(select(table, columns, from));
    } else if (names.includes("file_id")) {
      rows.push(select(table, columns, `FROM ${table} WHERE ${table}.file_id = +@file`));
    }
  }
  // How many words each part of an entry has, and whether it has any.
  const words = `SELECT ${LINE}, hex(entry_text_docsize.sz) AS words
    FROM entry CROSS JOIN entry_text_docsize ON entry_text_docsize.id = entry.id WHERE entry.file_id = +@file ORDER BY 1`;
  rows.push({ table: "entry_text", columns: ["line", "words"], keys: 1, sql: words });
  return rows;
}

const SERIES = ["kind", "provider", "model", "agent", "tool", "stop", "current"];

/** The roll-up packs its rows and numbers its series, so it is unpacked to be compared. */
export const ROLLUP = {
  table: "usage_rollup",
  columns: ["quarter", ...SERIES, ...SUMS],
  keys: 1 + SERIES.length,
};

/** Prepares reading the unpacked roll-up of a file, in the order of its keys. */
export function prepareRollup(db: SQLite.Database): (params: { file: number }) => Cells[] {
  const blobs = db.prepare<{ file: number }, { day: number; rows: Buffer }>(
    "SELECT day, rows FROM usage_rollup WHERE file_id = +@file",
  );
  const series = db
    .prepare<[number], unknown[]>(
      `SELECT ${SERIES.join(", ")} FROM usage_series LEFT JOIN model ON model.id = usage_series.model_id
        WHERE usage_series.id = ?`,
    )
    .raw();
  return (params) =>
    blobs
      .all(params)
      .flatMap(({ day, rows }) => unpackRollup(day, rows))
      .map((row): Cells => [row.quarter, ...(series.get(row.series) ?? SERIES.map(() => null)), ...row.sums])
      .sort((a, b) => compareKeys(a, b, ROLLUP.keys));
}

/** The tables that hold rows of all files together. */
export function wholeTables(db: SQLite.Database): TableRows[] {
  return tablesOf(db).flatMap((table) => {
    const columns = columnsOf(db, table);
    const isOfFiles = table === "file" || columns.some(({ name }) => name === "file_id" || name === "entry");
    return isOfFiles || POINTED_TO.includes(table) ? [] : [select(table, columns, `FROM ${table}`)];
  });
}

/** An id of the database itself. */
const GENERATION = "generation";

/** Tables with content of session files; not those that SQLite, FTS5 and the migrator keep for themselves. */
export function tablesOf(db: SQLite.Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
    .filter((name) => !/^(sqlite_|kysely_|entry_text|vocabulary$)/.test(name) && name !== GENERATION);
}

export function columnsOf(db: SQLite.Database, table: string): Column[] {
  return db.prepare<[string], Column>("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(table);
}

function select(table: string, columns: readonly Column[], from: string): TableRows {
  const primary = columns
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => name);
  // Without one, rows that are alike in all else are told apart by all they have.
  const known = KEYS[table] ?? (primary.length > 0 ? primary : columns.map(({ name }) => name));
  const isViaEntry = columns.some(({ name }) => name === "entry");
  const compared = (name: string): string[] => {
    const other = COMPARED_AS[`${table}.${name}`];
    if (other !== undefined) return other ? [other] : [];
    if (name === "file_id") {
      return isViaEntry ? [`nullif(${table}.file_id, entry.file_id) AS file_id`] : [];
    }
    return POINTERS[name]?.(table) ?? [`${table}.${name} AS ${name}`];
  };
  const keys = known.flatMap(compared);
  const others = columns.flatMap(({ name }) => (known.includes(name) ? [] : compared(name)));
  const all = [...keys, ...others];
  const order = keys.length > 0 ? ` ORDER BY ${keys.map((_, n) => n + 1)}` : "";
  return {
    table,
    columns: all.map((column) => / AS (\w+)$/.exec(column)?.[1] as string),
    keys: keys.length,
    sql: `SELECT ${all.join(", ")} ${from}${order}`,
  };
}
