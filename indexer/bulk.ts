import type SQLite from "better-sqlite3";
import { mergeText } from "./merge-text.ts";
import { truncateLog } from "./truncate-log.ts";
import { fillVocabulary } from "./vocabulary.ts";

const BULK = { automerge: 0, crisismerge: 2000, hashsize: 16 << 20 };
/** FTS5's own defaults. */
const NORMAL = { automerge: 4, crisismerge: 16, hashsize: 1 << 20 };

/** The log is written back from 64 MB on, and not from 4: pages that change again and again are written less often. */
const BULK_LOG_PAGES = 16_384;

/**
 * Does a big load with the full-text index tuned for it. FTS5 keeps these settings in the database, so they are put back
 * afterwards: as long as they are there, words of the load may be missing from the vocabulary.
 */
export async function withBulkSettings(
  db: SQLite.Database,
  load: () => Promise<"done" | "aborted">,
): Promise<void> {
  configure(db, BULK);
  const pages = db.pragma("wal_autocheckpoint", { simple: true });
  db.pragma(`wal_autocheckpoint = ${BULK_LOG_PAGES}`);
  let end: "done" | "aborted";
  try {
    end = await load(); // what it throws leaves the settings of the full-text index as after a kill
  } finally {
    db.pragma(`wal_autocheckpoint = ${pages}`);
  }
  if (end === "aborted") return; // as after a kill
  await mergeText(db);
  await fillVocabulary(db);
  configure(db, NORMAL);
  db.pragma("incremental_vacuum"); // merging into one segment has left as much room free as it took
  truncateLog(db);
}

/** Does a small load. A big one may have been killed before, and have left its settings. */
export async function withUsualSettings(
  db: SQLite.Database,
  load: () => Promise<"done" | "aborted">,
): Promise<void> {
  const left = db.prepare("SELECT v FROM entry_text_config WHERE k = 'automerge'").pluck().get();
  if (left === BULK.automerge) {
    await fillVocabulary(db);
    configure(db, NORMAL);
  }
  await load();
}

function configure(db: SQLite.Database, settings: Record<string, number>): void {
  for (const [name, value] of Object.entries(settings)) {
    db.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('${name}', ${value})`);
  }
}
