import type SQLite from "better-sqlite3";

/** What asks for one value, again and again. */
export function prepared<T>(handle: SQLite.Database, sql: string): () => T {
  const statement = handle.prepare(sql).pluck();
  return () => statement.get() as T;
}
