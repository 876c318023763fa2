import type SQLite from "better-sqlite3";
import { ALL_FILES, ALL_FILES_AND_DAYS } from "../../src/store/usage-rollup.ts";
import type { SyncProgress } from "../report.ts";
import { compareRows } from "./compare-rows.ts";
import { Differences } from "./differences.ts";
import {
  type ComparedTable,
  CROSS_FILE,
  contentTables,
  fileTables,
  ROLLUP,
  tableColumns,
  wholeTables,
} from "./tables.ts";
import type { Difference } from "./verify-answer.ts";
import { compareWordCounts, missingWords } from "./words.ts";

/** Time between yields to the event loop while comparing, in milliseconds. */
const SLICE_MS = 25;

interface CompareOptions {
  /** A snapshot of the index. */
  index: SQLite.Database;
  /** An index just built from the session files. */
  fresh: SQLite.Database;
  /** The path of the index. */
  path: string;
  /** Whether to compare the file at a path. */
  isIncluded: (path: string) => boolean;
  /** Excludes files that the two indexes read at different times. */
  skipChanging: boolean;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: SyncProgress) => unknown) | undefined;
}

/** The result of comparing two indexes. */
export interface IndexComparison {
  /** Files in either index. */
  files: number;
  /** Compared files, and their entries. */
  compared: number;
  entries: number;
  differences: Differences;
  /** Excluded files. */
  changing: string[];
}

/** Compares every row of an index with a fresh one, and checks the database file itself. */
export async function compareIndexes(options: CompareOptions): Promise<IndexComparison> {
  const { index, fresh, path, isIncluded, skipChanging, signal, onProgress } = options;
  const result: IndexComparison = {
    files: 0,
    compared: 0,
    entries: 0,
    differences: new Differences(),
    changing: [],
  };
  const { differences } = result;
  const [indexedFiles, freshFiles] = [filesByPath(index), filesByPath(fresh)];
  const paths = [...new Set([...indexedFiles.keys(), ...freshFiles.keys()])];
  const hasChanged = (file: string) => indexedFiles.get(file)?.state !== freshFiles.get(file)?.state;
  const areSameFiles = !paths.some(hasChanged);
  const compareTables = fileTables(fresh)
    .filter(({ table }) => areSameFiles || !CROSS_FILE.includes(table))
    .map((table) => prepareComparison(options, table));
  const entryCount = fresh.prepare<[number], number>("SELECT count(*) FROM entry WHERE file_id = ?").pluck();

  const included = paths.filter(isIncluded);
  const sizeOf = (file: string) => freshFiles.get(file)?.size ?? 0;
  const progress = {
    filesDone: 0,
    filesTotal: included.length,
    bytesDone: 0,
    bytesTotal: included.reduce((sum, file) => sum + sizeOf(file), 0),
  };
  onProgress?.({ ...progress });
  await pause(signal);
  differences.addAll(checkDatabase(index, path));
  let sliceEnd = performance.now() + SLICE_MS;
  for (const file of included) {
    result.files++;
    progress.filesDone++;
    progress.bytesDone += sizeOf(file);
    if (skipChanging && hasChanged(file)) {
      result.changing.push(file);
      continue;
    }
    result.compared++;
    const [a, b] = [indexedFiles.get(file), freshFiles.get(file)];
    if (b) result.entries += entryCount.get(b.id) as number;
    if (a && b) for (const compare of compareTables) differences.addAll(compare(file, a.id, b.id));
    else differences.add({ path: file, table: "file", what: a ? "extra" : "missing" });
    if (performance.now() < sliceEnd) continue;
    onProgress?.({ ...progress });
    await pause(signal);
    sliceEnd = performance.now() + SLICE_MS;
  }
  if (!areSameFiles) return result;
  await pause(signal);
  const compareRollup = prepareComparison(options, ROLLUP);
  for (const all of [ALL_FILES, ALL_FILES_AND_DAYS]) differences.addAll(compareRollup(path, all, all));
  for (const table of wholeTables(fresh)) differences.addAll(prepareComparison(options, table)(path, 0, 0));
  // If a file differs, so do its words, and that is already reported.
  if (differences.count === 0) {
    await pause(signal);
    differences.addAll(compareWordCounts(index, fresh, path));
    await pause(signal);
    differences.addAll(missingWords(index, fresh, path));
  }
  return result;
}

/** Lets the event loop run. @throws the signal's reason when aborted */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}

function prepareComparison({ index, fresh }: CompareOptions, table: ComparedTable) {
  const [indexed, expected] = [table.prepare(index), table.prepare(fresh)];
  return (path: string, indexedId: number, freshId: number) =>
    compareRows(path, table, indexed(indexedId), expected(freshId));
}

interface FileState {
  id: number;
  path: string;
  size: number;
  /** Identifies the content of the file that an index read, as far as `stat` shows it. */
  state: string;
}

function filesByPath(db: SQLite.Database): Map<string, FileState> {
  const state = "inode || ' ' || size || ' ' || mtime_ns || ' ' || ctime_ns";
  const files = db.prepare<[], FileState>(`SELECT id, path, size, ${state} AS state FROM file`);
  return new Map(files.all().map((file) => [file.path, file]));
}

/** Checks the database without the session files: its pages and indexes, and rows without an owner. */
function* checkDatabase(db: SQLite.Database, path: string): Generator<Difference> {
  for (const message of db.prepare<[], string>("PRAGMA integrity_check").pluck().all()) {
    if (message !== "ok") yield { path, table: "database", what: "differs", indexed: message.slice(0, 200) };
  }
  for (const { table, column, owners } of references(db)) {
    const sql = `SELECT count(*) FROM ${table} WHERE ${column} NOT IN (${owners})`;
    const count = db.prepare(sql).pluck().get() as number;
    if (count > 0) yield { path, table, what: "extra", column, indexed: count };
  }
}

/** The columns that must reference an existing row, each with a query for the valid values. */
function references(db: SQLite.Database): { table: string; column: string; owners: string }[] {
  const columns = contentTables(db).flatMap((table) =>
    tableColumns(db, table).map(({ name }) => ({ table, name })),
  );
  const toOwner = ({ table, name }: { table: string; name: string }) => {
    if (name === "file_id") {
      const all = table === ROLLUP.table ? ` UNION ALL VALUES (${ALL_FILES}), (${ALL_FILES_AND_DAYS})` : "";
      return [{ table, column: name, owners: `SELECT id FROM file${all}` }];
    }
    return name === "entry" ? [{ table, column: name, owners: "SELECT id FROM entry" }] : [];
  };
  return [
    ...columns.flatMap(toOwner),
    // FTS5 keeps one row per entry with words.
    { table: "entry_text_docsize", column: "id", owners: "SELECT id FROM entry" },
    { table: "path", column: "id", owners: "SELECT path_id FROM touch" },
  ];
}
