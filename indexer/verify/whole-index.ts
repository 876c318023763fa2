import type SQLite from "better-sqlite3";
import type { Difference } from "./differences.ts";
import { columnsOf, tablesOf } from "./tables.ts";

/** What SQLite says of a database without faults. */
const FAULTLESS = "ok";

/**
 * What is wrong with the database as such, whatever the session files say: pages and indexes, and rows that belong to
 * nothing. `path` is the database's. In full FTS5 looks through its own index too, which takes seconds a gigabyte.
 */
export function* checkWhole(db: SQLite.Database, path: string, full: boolean): Generator<Difference> {
  for (const fault of full ? check(db, "integrity_check") : quickCheck(db)) {
    yield { path, table: "database", what: "differs", indexed: fault.slice(0, 200) };
  }
  for (const { table, column, which } of looseRows(db)) {
    const count = db.prepare(`SELECT count(*) FROM ${table} WHERE ${which}`).pluck().get() as number;
    if (count > 0) yield { path, table, what: "extra", column, indexed: count };
  }
}

function* quickCheck(db: SQLite.Database): Generator<string> {
  const names = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  // One by one and without the full-text table itself, of which FTS5 would look through all words.
  for (const name of names) if (name !== "entry_text") yield* check(db, `quick_check('${name}')`);
}

function check(db: SQLite.Database, pragma: string): string[] {
  const told = db.prepare<[], string>(`PRAGMA ${pragma}`).pluck().all();
  return told.filter((line) => line !== FAULTLESS);
}

/** Deletes the rows that belong to nothing: nobody would ever do so else. Runs inside a transaction of the caller's. */
export function dropLooseRows(db: SQLite.Database): void {
  for (const { table, which } of looseRows(db)) {
    // What FTS5 keeps is left to it.
    const from =
      table === WORDS ? `entry_text WHERE rowid IN (SELECT id FROM ${WORDS} WHERE ${which})` : undefined;
    db.exec(`DELETE FROM ${from ?? `${table} WHERE ${which}`}`);
  }
}

interface Loose {
  table: string;
  column: string;
  which: string;
}

/** Where FTS5 keeps how many words an entry has: one row for each that has any. */
const WORDS = "entry_text_docsize";

/** The rows that would belong to nothing, table by table; those that others belong to come before them. */
function looseRows(db: SQLite.Database): Loose[] {
  const loose: Loose[] = [];
  const tables = tablesOf(db).sort((a, b) => Number(b === "entry") - Number(a === "entry"));
  for (const table of tables) {
    const names = columnsOf(db, table).map(({ name }) => name);
    for (const [column, owner] of [
      ["file_id", "file"],
      ["entry", "entry"],
    ] as const) {
      if (names.includes(column)) {
        loose.push({ table, column, which: `${column} NOT IN (SELECT id FROM ${owner})` });
      }
    }
  }
  loose.push({ table: WORDS, column: "id", which: "id NOT IN (SELECT id FROM entry)" });
  loose.push({ table: "path", column: "id", which: "id NOT IN (SELECT path_id FROM touch)" });
  return loose;
}
