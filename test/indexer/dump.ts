import type SQLite from "better-sqlite3";
import { ALL_FILES } from "../../src/store/usage-rollup.ts";
import { rollupRows } from "./rollup-rows.ts";

/** A row as the dump compares it. */
export type DumpedRow = Record<string, unknown>;
/** Rows by table name. */
export type Dump = Record<string, DumpedRow[]>;

/** How a column is dumped: its value, the value its id refers to (a file, an entry's location, a touched path, a model), or not at all. */
type Column = "keep" | "file" | "entry" | "path" | "model" | "drop";

/**
 * Every column of every table. Dropped are only columns in which two indexes of the same files may differ: row ids, and the
 * stat fields at the time of the scan.
 */
const TABLES: Record<string, Record<string, Column>> = {
  file: {
    id: "drop",
    path: "keep",
    subagent: "keep",
    compressed: "keep",
    extraction: "keep",
    inode: "drop",
    size: "keep",
    mtime_ns: "keep",
    ctime_ns: "drop",
    racy: "drop",
    cursor: "keep",
    terminated: "keep",
    lines: "keep",
    parsed: "keep",
    header: "keep",
    version: "keep",
    leaf_id: "keep",
    checksums: "keep",
    check_from: "drop",
    unchecked: "drop",
    unchecked_since: "drop",
  },
  session: {
    file_id: "file",
    id: "keep",
    cwd: "keep",
    parent_session: "keep",
    internal: "keep",
    created: "keep",
    last_message: "keep",
    modified: "keep",
    name: "keep",
    first_message: "keep",
    computed_title: "keep",
    title_state: "keep",
    provider: "keep",
    model: "keep",
    entry_count: "keep",
    message_count: "keep",
    user_count: "keep",
    assistant_count: "keep",
    pinned: "keep",
    archived: "keep",
  },
  entry: {
    id: "entry",
    file_id: "file",
    line: "keep",
    byte_offset: "keep",
    byte_length: "keep",
    entry_id: "keep",
    parent_id: "keep",
    type: "keep",
    role: "keep",
    timestamp: "keep",
    tool: "keep",
    failed: "keep",
    has_text: "keep",
    text_hash: "keep",
  },
  current_range: { file_id: "file", first_line: "keep", last_line: "keep" },
  path: { id: "drop", path: "keep" },
  touch: { entry: "entry", ordinal: "keep", path_id: "path", action: "keep", file_id: "file", time: "keep" },
  label: { file_id: "file", target_id: "keep", label: "keep", timestamp: "keep" },
  tag: { file_id: "file", ordinal: "keep", tag: "keep", folded: "keep" },
  tool_call: {
    entry: "entry",
    ordinal: "keep",
    file_id: "file",
    call: "keep",
    name: "keep",
    is_error: "keep",
    result: "entry",
    caller: "entry",
    duration: "keep",
  },
  event: {
    entry: "entry",
    ordinal: "keep",
    file_id: "file",
    time: "keep",
    key: "drop", // it determines `attribution`
    instance: "keep",
    attribution: "keep",
    kind: "keep",
    model_id: "model",
    run: "keep",
    agent: "keep",
    tool: "keep",
    stop: "keep",
    billed: "keep",
    input: "keep",
    output: "keep",
    cache_read: "keep",
    cache_write: "keep",
    cache_write_1h: "keep",
    reasoning: "keep",
    cost: "keep",
    provider_cost: "keep",
    elapsed: "keep",
    context: "keep",
  },
  session_model: { file_id: "file", provider: "keep", model: "keep", messages: "keep" },
  subagent_run: { entry: "entry", ordinal: "keep", agent: "keep", session_file: "keep", artifact: "keep" },
  run_file: { entry: "entry", ordinal: "keep", path: "keep" },
  lineage: { name: "keep", role: "keep", file_id: "file" },
  contested_key: { key: "drop", file_id: "file" },
  reported_sum: {
    entry: "entry",
    ordinal: "keep",
    billed: "keep",
    input: "keep",
    output: "keep",
    cache_read: "keep",
    cache_write: "keep",
    cache_write_1h: "keep",
    reasoning: "keep",
    cost: "keep",
    provider_cost: "keep",
  },
  problem: { file_id: "file", byte_offset: "keep", line: "keep", code: "keep", message: "keep" },
};

/** Tables without rows of files. Some rows outlive their files: a model stays after its last event. */
const IGNORED_TABLES = [
  "generation",
  "kysely_migration",
  "kysely_migration_lock",
  "model",
  "usage_series",
  "vocabulary",
];
/** The full-text table and the FTS5 tables behind it, compared by `dumpWords`. */
const FULL_TEXT = [
  "entry_text",
  "entry_text_config",
  "entry_text_data",
  "entry_text_docsize",
  "entry_text_idx",
];

/**
 * The content of an index: two indexes of the same files have equal dumps, whatever their history.
 *
 * @throws for a table or column that `TABLES` does not list
 */
export function dumpTables(db: SQLite.Database): Dump {
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  const expected = [...Object.keys(TABLES), "usage_rollup", ...IGNORED_TABLES, ...FULL_TEXT];
  const unknownTables = names.filter((name) => !expected.includes(name));
  if (unknownTables.length > 0) throw new Error(`dumpTables does not know the tables ${unknownTables}`);
  for (const name of expected) if (!names.includes(name)) throw new Error(`there is no table ${name}`);

  const paths = pathsOf(db, "file");
  const locations = new Map(
    (
      db.prepare("SELECT id, file_id, line FROM entry").all() as {
        id: number;
        file_id: number;
        line: number;
      }[]
    ).map((row) => [row.id, `${paths.get(row.file_id)}:${row.line}`]),
  );
  const namesById = { file: paths, entry: locations, path: pathsOf(db, "path"), model: modelsOf(db) };
  const dump: Dump = {};
  for (const [table, columns] of Object.entries(TABLES)) {
    dump[table] = sorted(dumpTable(db, table, columns, namesById));
  }
  dump.usage_rollup = sorted(
    rollupRows(db).map((row) => ({
      ...row,
      file_id: (row.file_id as number) > ALL_FILES ? nameOf(row.file_id, namesById.file) : row.file_id,
      model_id: nameOf(row.model_id, namesById.model),
    })),
  );
  dump.entry_text = dumpWords(db, locations);
  return dump;
}

function pathsOf(db: SQLite.Database, table: "file" | "path"): Map<number, string> {
  const rows = db.prepare(`SELECT id, path FROM ${table}`).all() as { id: number; path: string }[];
  return new Map(rows.map(({ id, path }) => [id, path]));
}

function modelsOf(db: SQLite.Database): Map<number, string> {
  const rows = db.prepare("SELECT id, provider || '/' || model AS name FROM model").all();
  return new Map((rows as { id: number; name: string }[]).map(({ id, name }) => [id, name]));
}

function dumpTable(
  db: SQLite.Database,
  table: string,
  columns: Record<string, Column>,
  namesById: Record<Exclude<Column, "keep" | "drop">, ReadonlyMap<number, string>>,
): DumpedRow[] {
  const actual = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
  const expected = Object.keys(columns);
  const differing = [
    ...actual.filter((name) => !expected.includes(name)),
    ...expected.filter((name) => !actual.includes(name)),
  ];
  if (differing.length > 0) throw new Error(`dumpTables and ${table} differ in the columns ${differing}`);

  return (db.prepare(`SELECT * FROM ${table}`).all() as DumpedRow[]).map((row) => {
    const dumped: DumpedRow = {};
    for (const [name, column] of Object.entries(columns)) {
      if (column === "drop") continue;
      dumped[name] = column === "keep" ? row[name] : nameOf(row[name], namesById[column]);
    }
    return dumped;
  });
}

/** The path or location that an id refers to. An id without a row is a leftover. */
function nameOf(id: unknown, names: ReadonlyMap<number, string>): string | null {
  if (id === null) return null;
  const name = names.get(id as number);
  if (name === undefined) throw new Error(`the id ${id} leads nowhere`);
  return name;
}

/** Every word of the full-text index with its entries and positions, and the number of words of each entry. */
function dumpWords(db: SQLite.Database, locations: ReadonlyMap<number, string>): DumpedRow[] {
  const term = new Map<unknown, string>();
  db.exec("CREATE VIRTUAL TABLE temp.dumped_word USING fts5vocab ('main', 'entry_text', 'instance')");
  try {
    for (const row of db.prepare("SELECT term, doc, col, offset FROM dumped_word").all() as {
      term: string;
      doc: number;
      col: string;
      offset: number;
    }[]) {
      const location = nameOf(row.doc, locations);
      term.set(location, `${term.get(location) ?? ""}${row.col}:${row.offset}:${row.term} `);
    }
  } finally {
    db.exec("DROP TABLE temp.dumped_word");
  }
  const sizes = db.prepare("SELECT id, hex(sz) AS size FROM entry_text_docsize").all() as {
    id: number;
    size: string;
  }[];
  const rows = sizes.map(({ id, size }) => {
    const location = nameOf(id, locations);
    const words = (term.get(location) ?? "").split(" ").sort().join(" ");
    term.delete(location);
    return { location, size, words };
  });
  if (term.size > 0) throw new Error(`words without a row: ${[...term.keys()]}`);
  return sorted(rows);
}

function sorted(rows: DumpedRow[]): DumpedRow[] {
  const withKeys = rows.map((row) => ({ row, key: JSON.stringify(row) }));
  return withKeys.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row);
}
