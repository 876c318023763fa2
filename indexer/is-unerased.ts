import type SQLite from "better-sqlite3";

/** Whether words of deleted entries are still to be erased. In a module of its own: a sync that finds nothing new loads little. */
export function isUnerased(db: SQLite.Database): boolean {
  return db.prepare("SELECT unerased FROM generation").pluck().get() !== 0;
}
