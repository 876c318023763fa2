import type SQLite from "better-sqlite3";
import { systemCode } from "../../src/errors.ts";
import type { FileRow } from "../rows.ts";
import { compareRows } from "./compare-rows.ts";
import { type Difference, told } from "./differences.ts";
import { checkLines, type IndexedLine } from "./lines-in-file.ts";
import type { Reference } from "./reference.ts";
import { fileRows, fileSums, OF_ALL_FILES } from "./tables.ts";
import { tell } from "./tell.ts";
import { prepareFinding } from "./words.ts";

/** A table's rows of one file, asked for in one database. */
type Asked = SQLite.Statement<{ file: number }, unknown[]>;

/** What cannot be told from some files alone, as it depends on all: whose an act is. */
const COLUMNS_OF_ALL_FILES = new Set(["event standing", "event instance"]);

interface CompareOptions {
  /** A snapshot of the index. */
  index: SQLite.Database;
  reference: Reference;
  /** Whether the reference has all files that the index has. */
  isAll: boolean;
}

/** Prepares the comparison of files: what the index holds of each, with what the reference does, and with its bytes. */
export function prepareComparison({ index, reference, isAll }: CompareOptions) {
  const ask = (db: SQLite.Database, sql: string): Asked => db.prepare<{ file: number }, unknown[]>(sql).raw();
  const tables = fileRows(index).map((rows) => ({
    ...rows,
    indexed: ask(index, rows.sql),
    wanted: ask(reference.handle, rows.sql),
  }));
  const sums = fileSums(index);
  const fileByPath = index.prepare<[string], FileRow>("SELECT * FROM file WHERE path = ?");
  const linesOf = index.prepare<[number], IndexedLine>(
    `SELECT line, byte_offset AS byteOffset, byte_length AS byteLength, entry_id AS entryId, parent_id AS parentId, type
     FROM entry WHERE file_id = ? ORDER BY line`,
  );
  const entryIds = (db: SQLite.Database) =>
    db.prepare<[number], { line: number; id: number }>(
      "SELECT line, id FROM entry WHERE file_id = ? ORDER BY line",
    );
  const idsOf = { index: entryIds(index), reference: entryIds(reference.handle) };
  const isFound = { index: prepareFinding(index), reference: prepareFinding(reference.handle) };

  /** What differs of one file. */
  function* compareFile(path: string): Generator<Difference> {
    const [here, wanted] = [fileByPath.get(path), reference.file(path)];
    if (!here || !wanted) {
      if (here || wanted) yield { path, table: "file", what: here ? "extra" : "missing" };
      return;
    }
    let differs = false;
    for (const table of tables) {
      const pairs = compareRows(
        table.indexed.iterate({ file: here.id }),
        table.wanted.iterate({ file: wanted.id }),
        table.keys,
      );
      for (const difference of tell(path, table, pairs)) {
        const { table, column } = difference;
        if (!isAll && (OF_ALL_FILES.includes(table) || COLUMNS_OF_ALL_FILES.has(`${table} ${column}`))) {
          continue;
        }
        differs = true;
        yield difference;
      }
    }
    // Of rows that are wrong, their sums are too.
    if (differs) return;
    yield* tell(path, sums, compareRows(sums.indexed(here.id), sums.expected(here.id), sums.keys));
    yield* checkWords(path, here.id, wanted.id);
    if (here.header === "found") yield* checkBytes(here);
  }

  /** Whether rows are of the lines that they name. */
  function* checkBytes(file: FileRow): Generator<Difference> {
    const rows = linesOf.iterate(file.id);
    try {
      yield* checkLines(file, rows);
    } catch (error) {
      const code = systemCode(error);
      if (!code || code.startsWith("SQLITE_")) throw error;
      // It could be read a moment ago.
      yield { path: file.path, table: "file", what: "differs", column: "path", expected: code };
    } finally {
      rows.return?.();
    }
  }

  /** Whether entries are found by words that stand in them. */
  function* checkWords(path: string, here: number, wanted: number): Generator<Difference> {
    const ids = byLine(idsOf.index.all(here));
    let twins: Map<number, number> | undefined; // of those that are not found, which is rare
    for (const { line, ...pick } of reference.picks(wanted)) {
      const id = ids.get(line);
      if (id === undefined || isFound.index(id, pick)) continue;
      // What is between blanks need not be a word to FTS5.
      twins ??= byLine(idsOf.reference.all(wanted));
      const twin = twins.get(line);
      if (twin === undefined || !isFound.reference(twin, pick)) continue;
      const expected = told(pick.words);
      yield { path, table: "entry_text", line, what: "differs", column: pick.part, expected };
    }
  }

  /** The file's row in the index. */
  const indexedFile = (path: string): FileRow | undefined => fileByPath.get(path);
  return { compareFile, indexedFile };
}

function byLine(entries: readonly { line: number; id: number }[]): Map<number, number> {
  return new Map(entries.map(({ line, id }) => [line, id]));
}
