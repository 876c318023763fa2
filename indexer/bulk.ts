import type SQLite from "better-sqlite3";

const BULK = { automerge: 0, crisismerge: 2000, hashsize: 64 << 20 };
/** FTS5's own defaults. */
const NORMAL = { automerge: 4, crisismerge: 16, hashsize: 1 << 20 };

/**
 * Does a big load with the full-text index tuned for it. FTS5 keeps these settings in the database, so they are put back
 * afterwards.
 */
export async function withBulkSettings(
  db: SQLite.Database,
  load: () => Promise<"done" | "aborted">,
): Promise<void> {
  configure(db, BULK);
  const end = await load(); // what it throws leaves the settings as after a kill
  configure(db, NORMAL);
  if (end === "aborted") return;
  db.exec("INSERT INTO entry_text (entry_text) VALUES ('optimize')");
  db.pragma("incremental_vacuum"); // merging into one segment has left as much room free as it took
  truncateLog(db);
}

/** Cuts the log to nothing, unless somebody is reading: that is not waited for, it is cut when it begins again. */
function truncateLog(db: SQLite.Database): void {
  const patience = db.pragma("busy_timeout", { simple: true });
  db.pragma("busy_timeout = 0");
  try {
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.pragma(`busy_timeout = ${patience}`);
  }
}

/** Does a small load. A big one may have been killed before, and have left its settings. */
export async function withUsualSettings(
  db: SQLite.Database,
  load: () => Promise<"done" | "aborted">,
): Promise<void> {
  const left = db.prepare("SELECT v FROM entry_text_config WHERE k = 'automerge'").pluck().get();
  if (left === BULK.automerge) configure(db, NORMAL);
  await load();
}

function configure(db: SQLite.Database, settings: Record<string, number>): void {
  for (const [name, value] of Object.entries(settings)) {
    db.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('${name}', ${value})`);
  }
}
