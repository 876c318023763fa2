import type SQLite from "better-sqlite3";

/** Cuts the log to nothing, unless somebody is reading: that is not waited for, it is cut when it begins again. */
export function truncateLog(db: SQLite.Database): void {
  const patience = db.pragma("busy_timeout", { simple: true });
  db.pragma("busy_timeout = 0");
  try {
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.pragma(`busy_timeout = ${patience}`);
  }
}
