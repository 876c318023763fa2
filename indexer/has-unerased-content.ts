import type SQLite from "better-sqlite3";
import { singleValue } from "../src/store/sqlite/statements.ts";

const statements = new WeakMap<SQLite.Database, () => number>();

/**
 * Whether the full-text index still contains words of deleted entries. A separate module, so that a sync that finds nothing
 * new doesn't load `erase.ts`.
 */
export function hasUnerasedContent(db: SQLite.Database): boolean {
  const statement = statements.get(db) ?? singleValue<number>(db, "SELECT unerased FROM generation");
  statements.set(db, statement);
  return statement() !== 0;
}
