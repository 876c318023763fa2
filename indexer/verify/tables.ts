import type SQLite from "better-sqlite3";
import { SUMS } from "../../src/store/schema.ts";
import { type RollupRow, unpackRollup } from "../../src/store/usage-rollup.ts";
import type { Cells } from "./compare-rows.ts";

/** A table with rows that are comparable between two databases: without ids, and usually in the same order. */
export interface ComparedTable {
  table: string;
  /** Keys come first. */
  columns: string[];
  keys: number;
  /** Prepares reading the rows of a file, or all rows if the table has none of files. */
  prepare: (db: SQLite.Database) => (file: number) => Iterable<Cells>;
}

/** Lookup tables, such as paths and models. Their rows are compared as values of the rows that reference them. */
const LOOKUP_TABLES = ["path", "model", "usage_series"];

/** Tables with rows that depend on several files: comparable only if both indexes read the same state of all files. */
export const CROSS_FILE: readonly string[] = ["contested_key", "event", "reported_sum", "usage_rollup"];

/** Ids of entries differ between indexes, so entries are compared by line. */
const LINE = "entry.line AS line";

/** SQL to compare a column by, if not its value. `""` excludes the column. */
const COMPARISON_SQL: Record<string, string> = {
  "entry.id": "",
  "file.id": "",
  // 1 only costs the next sync a comparison, and changes that 0 might hide show in other rows.
  "file.racy": "",
  // Progress of comparing blocks, independent of the rows.
  "file.check_from": "",
  "file.unchecked": "",
  "file.unchecked_since": "",
  // As text: too large for a JavaScript number.
  "event.key": "CAST(event.key AS TEXT) AS key",
  "contested_key.key": "CAST(contested_key.key AS TEXT) AS key",
  "tool_call.result": lineIn("tool_call", "result"),
  "tool_call.caller": lineIn("tool_call", "caller"),
};

/** The line of the entry that a column references: null if there is none, -1 if it is not in the file. */
function lineIn(table: string, column: string): string {
  return `CASE WHEN ${table}.${column} IS NOT NULL THEN coalesce((SELECT other.line FROM entry AS other
    WHERE other.id = ${table}.${column} AND other.file_id = entry.file_id), -1) END AS ${column}`;
}

/** SQL to compare a column by, for columns of this name in any table. */
const REFERENCES: Record<string, (table: string) => string[]> = {
  entry: () => [LINE],
  path_id: (table) => [`(SELECT path.path FROM path WHERE path.id = ${table}.path_id) AS path_id`],
  model_id: (table) =>
    ["provider", "model"].map(
      (name) => `(SELECT model.${name} FROM model WHERE model.id = ${table}.model_id) AS model_id`,
    ),
};

/** Keys of tables with a primary key that differs between databases. */
const KEYS: Record<string, string[]> = { entry: ["line"], file: [] };

interface Column {
  name: string;
  /** Position in the primary key, from 1; 0 for other columns. */
  pk: number;
}

/** The tables with rows of files. Includes new tables and columns without a change here. */
export function fileTables(db: SQLite.Database): ComparedTable[] {
  const rows: ComparedTable[] = [];
  for (const table of contentTables(db)) {
    const columns = tableColumns(db, table);
    const names = columns.map(({ name }) => name);
    if (table === ROLLUP.table) rows.push(ROLLUP);
    else if (table === "file") rows.push(select(table, columns, "FROM file WHERE file.id = +@file"));
    else if (names.includes("entry")) {
      const from = `FROM entry CROSS JOIN ${table} ON ${table}.entry = entry.id WHERE entry.file_id = +@file`;
      rows.push(select(table, columns, from));
    } else if (names.includes("file_id")) {
      rows.push(select(table, columns, `FROM ${table} WHERE ${table}.file_id = +@file`));
    }
  }
  // Word counts by part of an entry.
  const words = `SELECT ${LINE}, hex(entry_text_docsize.sz) AS words
    FROM entry CROSS JOIN entry_text_docsize ON entry_text_docsize.id = entry.id WHERE entry.file_id = +@file ORDER BY 1`;
  rows.push({ table: "entry_text", columns: ["line", "words"], keys: 1, prepare: prepareQuery(words) });
  return rows;
}

const SERIES = ["kind", "provider", "model", "agent", "tool", "stop", "current", "context"];

/** The roll-up is unpacked to be compared: it packs rows and refers to series by id. Its files include `ALL_FILES`. */
export const ROLLUP: ComparedTable = {
  table: "usage_rollup",
  columns: ["span", "quarter", ...SERIES, ...SUMS],
  keys: 2 + SERIES.length,
  prepare(db) {
    const days = db.prepare<[number], { day: number; totals: string; rows: string }>(
      "SELECT day, totals, rows FROM usage_rollup WHERE file_id = +?",
    );
    const series = db
      .prepare<[number], unknown[]>(
        `SELECT ${SERIES.join(", ")} FROM usage_series LEFT JOIN model ON model.id = usage_series.model_id
          WHERE usage_series.id = ?`,
      )
      .raw();
    const toCells = (span: string, { bucket, series: id, sums }: RollupRow): Cells => [
      span,
      bucket,
      ...(series.get(id) ?? SERIES.map(() => null)),
      ...sums,
    ];
    return (file) =>
      days
        .all(file)
        .flatMap(({ day, totals, rows }) => [
          ...unpackRollup(day, totals).map((row) => toCells("day", row)),
          ...unpackRollup(day, rows).map((row) => toCells("quarter", row)),
        ]);
  },
};

/** Prepares a query, which may have the parameter `@file`. */
function prepareQuery(sql: string): ComparedTable["prepare"] {
  return (db) => {
    const rows = db.prepare<{ file: number }, unknown[]>(sql).raw();
    return (file) => rows.iterate({ file });
  };
}

/** The tables with rows that belong to no file. */
export function wholeTables(db: SQLite.Database): ComparedTable[] {
  return contentTables(db).flatMap((table) => {
    const columns = tableColumns(db, table);
    const isOfFiles = table === "file" || columns.some(({ name }) => name === "file_id" || name === "entry");
    return isOfFiles || LOOKUP_TABLES.includes(table) ? [] : [select(table, columns, `FROM ${table}`)];
  });
}

/** Holds the id of the database itself. */
const GENERATION = "generation";

/** Tables with data of session files, without internal tables of SQLite, FTS5 and the migrator. */
export function contentTables(db: SQLite.Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
    .filter((name) => !/^(sqlite_|kysely_|entry_text|vocabulary$)/.test(name) && name !== GENERATION);
}

export function tableColumns(db: SQLite.Database, table: string): Column[] {
  return db.prepare<[string], Column>("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(table);
}

function select(table: string, columns: readonly Column[], from: string): ComparedTable {
  const primary = columns
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => name);
  // Without a primary key, all columns are the key.
  const known = KEYS[table] ?? (primary.length > 0 ? primary : columns.map(({ name }) => name));
  const isViaEntry = columns.some(({ name }) => name === "entry");
  const compared = (name: string): string[] => {
    const other = COMPARISON_SQL[`${table}.${name}`];
    if (other !== undefined) return other ? [other] : [];
    if (name === "file_id") {
      return isViaEntry ? [`nullif(${table}.file_id, entry.file_id) AS file_id`] : [];
    }
    return REFERENCES[name]?.(table) ?? [`${table}.${name} AS ${name}`];
  };
  const keys = known.flatMap(compared);
  const others = columns.flatMap(({ name }) => (known.includes(name) ? [] : compared(name)));
  const all = [...keys, ...others];
  const order = keys.length > 0 ? ` ORDER BY ${keys.map((_, n) => n + 1)}` : "";
  return {
    table,
    columns: all.map((column) => / AS (\w+)$/.exec(column)?.[1] as string),
    keys: keys.length,
    prepare: prepareQuery(`SELECT ${all.join(", ")} ${from}${order}`),
  };
}
