import type SQLite from "better-sqlite3";
import { prepared } from "../src/store/sqlite/prepared.ts";

const statements = new WeakMap<SQLite.Database, () => number>();

/** Whether words of deleted entries are still to be erased. In a module of its own: a sync that finds nothing new loads little. */
export function isUnerased(db: SQLite.Database): boolean {
  const statement = statements.get(db) ?? prepared<number>(db, "SELECT unerased FROM generation");
  statements.set(db, statement);
  return statement() !== 0;
}
