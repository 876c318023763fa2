/** Notices commits of other handles and processes. */
import type SQLite from "better-sqlite3";

/** SQLite's `data_version` of each handle when it was last read: only commits of other handles change it. */
const lastVersions = new WeakMap<SQLite.Database, number>();

/** Call this before anything is read of the database. */
export function watchForOtherChanges(handle: SQLite.Database): void {
  noticeOtherChanges(handle);
}

/** Whether another handle committed to the database since the last call. */
export function noticeOtherChanges(handle: SQLite.Database): boolean {
  const last = lastVersions.get(handle);
  const version = handle.pragma("data_version", { simple: true }) as number;
  lastVersions.set(handle, version);
  return last !== undefined && last !== version;
}
