import type SQLite from "better-sqlite3";
import type { FileRow } from "../rows.ts";
import { compareRows } from "./compare-rows.ts";
import { type Difference, Differences } from "./differences.ts";
import {
  CROSS_FILE,
  columnsOf,
  fileTables,
  prepareRollup,
  ROLLUP,
  type TableRows,
  tablesOf,
  wholeTables,
} from "./tables.ts";
import { compareVocabularies, missingWords } from "./words.ts";

/** How long others wait for the thread while files are compared, in milliseconds. */
const SLICE_MS = 25;

interface CompareOptions {
  /** A snapshot of the index. */
  index: SQLite.Database;
  /** An index that was built from the session files now. */
  fresh: SQLite.Database;
  /** The path of the index. */
  path: string;
  /** Whether a file is to be compared, by its path. */
  isIncluded: (path: string) => boolean;
  /** Leaves out files that the two indexes read at different times. */
  skipChanging: boolean;
  signal?: AbortSignal | undefined;
}

/** What comparing two indexes results in. */
export interface IndexComparison {
  /** Files in one of them. */
  files: number;
  /** Those that were compared, and their entries. */
  compared: number;
  entries: number;
  differences: Differences;
  /** The files that were left out. */
  changing: string[];
}

/** Compares every row of an index with those of a fresh one, and checks the database file itself. */
export async function compareIndexes(options: CompareOptions): Promise<IndexComparison> {
  const { index, fresh, path, isIncluded, skipChanging, signal } = options;
  const result: IndexComparison = {
    files: 0,
    compared: 0,
    entries: 0,
    differences: new Differences(),
    changing: [],
  };
  const { differences } = result;
  const [here, wanted] = [filesByPath(index), filesByPath(fresh)];
  const paths = [...new Set([...here.keys(), ...wanted.keys()])];
  const hasChanged = (file: string) => !isSameState(here.get(file), wanted.get(file));
  const isSameMoment = !paths.some(hasChanged);
  const compareFile = prepareFileComparison(options, isSameMoment);
  const entryCount = fresh.prepare<[number], number>("SELECT count(*) FROM entry WHERE file_id = ?").pluck();

  differences.addAll(checkDatabase(index, path));
  let sliceEnd = performance.now() + SLICE_MS;
  for (const file of paths.filter(isIncluded)) {
    result.files++;
    if (skipChanging && hasChanged(file)) {
      result.changing.push(file);
      continue;
    }
    result.compared++;
    const [a, b] = [here.get(file), wanted.get(file)];
    if (b) result.entries += entryCount.get(b.id) as number;
    if (a && b) differences.addAll(compareFile(file, a.id, b.id));
    else differences.add({ path: file, table: "file", what: a ? "extra" : "missing" });
    if (performance.now() < sliceEnd) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    sliceEnd = performance.now() + SLICE_MS;
  }
  if (!isSameMoment) return result;
  for (const table of wholeTables(fresh)) {
    const [indexed, expected] = [index, fresh].map((db) => db.prepare<[], unknown[]>(table.sql).raw());
    if (indexed && expected)
      differences.addAll(compareRows(path, table, indexed.iterate(), expected.iterate()));
  }
  // Where a file differs its words do, and that is reported already.
  if (differences.count === 0) {
    differences.addAll(compareVocabularies(index, fresh, path));
    differences.addAll(missingWords(index, fresh, path));
  }
  return result;
}

function prepareFileComparison({ index, fresh }: CompareOptions, isSameMoment: boolean) {
  const prepare = (db: SQLite.Database, { sql }: TableRows) =>
    db.prepare<{ file: number }, unknown[]>(sql).raw();
  const tables = fileTables(fresh)
    .filter(({ table }) => isSameMoment || !CROSS_FILE.includes(table))
    .map((rows) => ({ rows, indexed: prepare(index, rows), expected: prepare(fresh, rows) }));
  const rollups = [prepareRollup(index), prepareRollup(fresh)] as const;
  return function* compareFile(path: string, here: number, wanted: number): Generator<Difference> {
    for (const { rows, indexed, expected } of tables) {
      yield* compareRows(path, rows, indexed.iterate({ file: here }), expected.iterate({ file: wanted }));
    }
    if (!isSameMoment) return;
    yield* compareRows(path, ROLLUP, rollups[0]({ file: here }), rollups[1]({ file: wanted }));
  };
}

type FileState = Pick<FileRow, "id" | "inode" | "size" | "mtime_ns" | "ctime_ns">;

function filesByPath(db: SQLite.Database): Map<string, FileState> {
  const files = db.prepare<[], FileState & { path: string }>(
    "SELECT id, path, inode, size, mtime_ns, ctime_ns FROM file",
  );
  return new Map(files.all().map((file) => [file.path, file]));
}

/** Whether two indexes have a file as it was at the same time. */
function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  return (
    a?.inode === b?.inode && a?.size === b?.size && a?.mtime_ns === b?.mtime_ns && a?.ctime_ns === b?.ctime_ns
  );
}

/** What is wrong with the database as such, whatever the session files say: pages and indexes, and rows that belong to nothing. */
function* checkDatabase(db: SQLite.Database, path: string): Generator<Difference> {
  for (const fault of db.prepare<[], string>("PRAGMA integrity_check").pluck().all()) {
    if (fault !== "ok") yield { path, table: "database", what: "differs", indexed: fault.slice(0, 200) };
  }
  for (const { table, column, owners } of references(db)) {
    const sql = `SELECT count(*) FROM ${table} WHERE ${column} NOT IN (${owners})`;
    const count = db.prepare(sql).pluck().get() as number;
    if (count > 0) yield { path, table, what: "extra", column, indexed: count };
  }
}

/** The columns in which each row must name an existing one, and a query for those. */
function references(db: SQLite.Database): { table: string; column: string; owners: string }[] {
  const columns = tablesOf(db).flatMap((table) => columnsOf(db, table).map(({ name }) => ({ table, name })));
  const toOwner = ({ table, name }: { table: string; name: string }) => {
    if (name === "file_id") return [{ table, column: name, owners: "SELECT id FROM file" }];
    return name === "entry" ? [{ table, column: name, owners: "SELECT id FROM entry" }] : [];
  };
  return [
    ...columns.flatMap(toOwner),
    // FTS5 has one row there for each entry with words.
    { table: "entry_text_docsize", column: "id", owners: "SELECT id FROM entry" },
    { table: "path", column: "id", owners: "SELECT path_id FROM touch" },
  ];
}
