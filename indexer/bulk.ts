import type SQLite from "better-sqlite3";

/** From this many bytes on it pays to tune the full-text index for a big load. */
const BULK_BYTES = 64 << 20;

const BULK = { automerge: 0, crisismerge: 2000, hashsize: 64 << 20 };
/** FTS5's own defaults. */
const NORMAL = { automerge: 4, crisismerge: 16, hashsize: 1 << 20 };

/**
 * Does a load with the full-text index tuned to its size. FTS5 keeps these settings in the database, so they
 * are put back afterwards, and also before a small load in case a big one was killed.
 */
export async function withBulkSettings(
  db: SQLite.Database,
  bytes: number,
  load: () => Promise<"done" | "aborted">,
): Promise<void> {
  const bulk = bytes >= BULK_BYTES;
  const left = db.prepare("SELECT v FROM entry_text_config WHERE k = 'automerge'").pluck().get();
  if (bulk) configure(db, BULK);
  else if (left === BULK.automerge) configure(db, NORMAL);
  const end = await load(); // what it throws leaves the settings as after a kill
  if (!bulk) return;
  configure(db, NORMAL);
  if (end === "aborted") return;
  db.exec("INSERT INTO entry_text (entry_text) VALUES ('optimize')");
  db.pragma("incremental_vacuum"); // merging into one segment has left as much room free as it took
  db.pragma("wal_checkpoint(TRUNCATE)");
}

function configure(db: SQLite.Database, settings: Record<string, number>): void {
  for (const [name, value] of Object.entries(settings)) {
    db.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('${name}', ${value})`);
  }
}
