import type SQLite from "better-sqlite3";
import { mergeText } from "./merge-text.ts";
import { truncateLog } from "./truncate-log.ts";
import { fillVocabulary } from "./vocabulary.ts";

const BULK = { automerge: 0, crisismerge: 2000, hashsize: 16 << 20 };
/** FTS5's own defaults. */
const NORMAL = { automerge: 4, crisismerge: 16, hashsize: 1 << 20 };

/** Checkpoints the log at 64 MB instead of 4 MB, so that pages that change repeatedly are written less often. */
const BULK_LOG_PAGES = 16_384;

/**
 * Runs a large load with the full-text index tuned for it. FTS5 stores these settings in the database. They are reset after the
 * load, so their presence means that words may be missing from the vocabulary.
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
    end = await load(); // an error leaves FTS5's settings in place, as if the process had been killed
  } finally {
    db.pragma(`wal_autocheckpoint = ${pages}`);
  }
  if (end === "aborted") return; // as if the process had been killed
  await mergeText(db);
  await fillVocabulary(db);
  configure(db, NORMAL);
  db.pragma("incremental_vacuum"); // the merge leaves as many free pages as the index has
  truncateLog(db);
}

/** Finishes a large load that was killed and left its settings. */
export async function finishBulkLoad(db: SQLite.Database): Promise<void> {
  const automerge = db.prepare("SELECT v FROM entry_text_config WHERE k = 'automerge'").pluck().get();
  if (automerge !== BULK.automerge) return;
  await fillVocabulary(db);
  configure(db, NORMAL);
}

function configure(db: SQLite.Database, settings: Record<string, number>): void {
  for (const [name, value] of Object.entries(settings)) {
    db.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('${name}', ${value})`);
  }
}
