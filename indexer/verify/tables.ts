import type SQLite from "better-sqlite3";
import { REPORTED } from "../../src/store/sqlite/reported-figures.ts";
import { SERIES_COLUMNS, STANDING, SUMS } from "../../src/store/sqlite/schema.ts";
import { selectSums, sumsIn, unpackRollup } from "../../src/store/sqlite/usage-rollup.ts";

import { type Cells, compareKeys } from "./compare-rows.ts";

/** How the rows of a table that are about one file are asked for. */
export interface FileRows {
  table: string;
  /** Of what is asked for: those by which rows are told apart come first, and rows in their order. */
  columns: string[];
  keys: number;
  /** Takes `@file`, the file's id. */
  sql: string;
}

/** Rows that hold only what the ones that point to them say: a path, a model. They are compared where they are pointed to. */
export const POINTED_TO = ["path", "model", "usage_series"];
/** Tables of what depends on all files. */
export const OF_ALL_FILES: readonly string[] = ["contested_key", "reported_sum"];

/** The packed sums of a file, which its events prove. */
const ROLLUP = "usage_rollup";

/** What an entry is known by in every index: its number is another in each. */
const LINE = "entry.line AS line";

function asReported(name: string): string {
  return `iif(event.kind = 'subagent' AND event.run IS NULL AND EXISTS (SELECT 1 FROM reported_sum
      WHERE (reported_sum.entry, reported_sum.ordinal) = (event.entry, event.ordinal)),
    (SELECT reported_sum.${name} FROM reported_sum
      WHERE (reported_sum.entry, reported_sum.ordinal) = (event.entry, event.ordinal)), event.${name}) AS ${name}`;
}

/** What a column is compared by, where that is not what stands in it. `""` leaves it out. */
const COMPARED_AS: Record<string, string | string[]> = {
  "entry.id": "",
  "file.id": "",
  // 1 costs the next sync a second look, and what 0 may overlook is in the other rows.
  "file.racy": "",
  // How far the comparison of blocks has come says nothing of the rows.
  "file.check_from": "",
  "file.unchecked": "",
  "file.unchecked_since": "",
  // In SQLite alone: it is too large for a number of JavaScript.
  "event.key": "CAST(event.key AS TEXT) AS key",
  "contested_key.key": "CAST(contested_key.key AS TEXT) AS key",
  ...Object.fromEntries(REPORTED.map((name) => [`event.${name}`, asReported(name)])),
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

/** The tables that hold rows of files, whichever there are: a new one, or a new column, is compared by itself. */
export function fileRows(db: SQLite.Database): FileRows[] {
  const rows: FileRows[] = [];
  for (const table of tablesOf(db)) {
    const columns = columnsOf(db, table);
    const names = columns.map(({ name }) => name);
    if (table === ROLLUP || POINTED_TO.includes(table)) continue;
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

/** Prepares the sums of one file: those in the roll-up, and those of its events, in the same order. */
export function fileSums(db: SQLite.Database) {
  const key = ["quarter", ...SERIES_COLUMNS];
  const blobs = db.prepare<{ file: number }, { day: number; rows: Buffer }>(
    `SELECT day, rows FROM ${ROLLUP} WHERE file_id = +@file`,
  );
  const series = db.prepare<[number], Record<string, unknown>>("SELECT * FROM usage_series WHERE id = ?");
  const ofEvents = db.prepare<{ file: number }, Record<string, unknown>>(
    selectSums(`event.file_id = +@file AND event.standing = ${STANDING.own}`),
  );
  const cells = (row: Record<string, unknown>, sums: Iterable<number>): Cells => [
    ...key.map((name) => row[name] ?? null),
    ...sums,
  ];
  const inOrder = (rows: Cells[]) => rows.sort((a, b) => compareKeys(a, b, key.length));
  return {
    table: ROLLUP,
    columns: [...key, ...SUMS],
    keys: key.length,
    indexed: (file: number): Cells[] =>
      inOrder(
        blobs
          .all({ file })
          .flatMap(({ day, rows }) => unpackRollup(day, rows))
          .map(({ quarter, series: id, sums }) => cells({ ...series.get(id), quarter }, sums)),
      ),
    expected: (file: number): Cells[] =>
      inOrder(ofEvents.all({ file }).map((row) => cells(row, sumsIn(row)))),
  };
}

/** Which database it is: another in each, whatever the files are. */
const GENERATION = "generation";

/** Tables of what stands in files; not those that SQLite, FTS5 and the migrator keep for themselves. */
export function tablesOf(db: SQLite.Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
    .filter((name) => !/^(sqlite|kysely)_/.test(name) && !isFullText(name) && name !== GENERATION);
}

/** Whether a table is the full-text index, what FTS5 keeps it in, or the list of its words. */
export function isFullText(name: string): boolean {
  return name === "entry_text" || name.startsWith("entry_text_") || name === "vocabulary";
}

export function columnsOf(db: SQLite.Database, table: string): Column[] {
  return db.prepare<[string], Column>("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(table);
}

function select(table: string, columns: readonly Column[], from: string): FileRows {
  const primary = columns
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => name);
  // Without one, rows that are alike in all else are told apart by all they have.
  const known = KEYS[table] ?? (primary.length > 0 ? primary : columns.map(({ name }) => name));
  const isViaEntry = columns.some(({ name }) => name === "entry");
  const compared = (name: string): string[] => {
    const other = COMPARED_AS[`${table}.${name}`];
    if (other !== undefined) return [other].flat().filter(Boolean);
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
