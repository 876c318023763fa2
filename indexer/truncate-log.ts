import type SQLite from "better-sqlite3";

/** Truncates the write-ahead log, without waiting for readers: if there are any, the log is truncated when it restarts. */
export function truncateLog(db: SQLite.Database): void {
  const timeout = db.pragma("busy_timeout", { simple: true });
  db.pragma("busy_timeout = 0");
  try {
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.pragma(`busy_timeout = ${timeout}`);
  }
}
