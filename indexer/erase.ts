import type SQLite from "better-sqlite3";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { mergeText } from "./merge-text.ts";
import { truncateLog } from "./truncate-log.ts";
import { trimVocabulary } from "./vocabulary.ts";

/** The values of `generation.unerased`. */
const [NOTHING, DELETED, MERGING, MERGING_WITH_MORE] = [0, 1, 2, 3];

/** Merge steps per sync, and their pages: 4 MB in a tenth of a second. The next syncs continue. */
const STEPS_PER_SYNC = 2;
const PAGES_PER_STEP = 500;

/** The statement that records that words are to be erased. It runs in the transaction that deletes their entries. */
export function prepareErasure(db: StatementPreparer): { note(): void } {
  // A merge in progress continues, and another one follows: if each deletion restarted it, it might never finish.
  const note = db.prepare(`
    UPDATE generation SET unerased = iif(unerased = ${NOTHING}, ${DELETED}, ${MERGING_WITH_MORE})
    WHERE unerased IN (${NOTHING}, ${MERGING})`);
  return { note: () => note.run() };
}

/**
 * Removes the content of deleted rows from the database's files: from the full-text index by a merge, from the vocabulary by
 * comparing it with that index, and from free pages by a vacuum. The work is limited; the next sync continues it.
 */
export async function eraseDeletedContent(db: SQLite.Database, signal?: AbortSignal): Promise<void> {
  const state = db.prepare<[], number>("SELECT unerased FROM generation").pluck();
  const save = db.prepare("UPDATE generation SET unerased = ?");
  if (state.get() === NOTHING) return;
  const begun = state.get() !== DELETED;
  if (!begun) save.run(MERGING);
  if (!(await mergeText(db, { begun, maxSteps: STEPS_PER_SYNC, pagesPerStep: PAGES_PER_STEP, signal })))
    return;
  if (state.get() === MERGING_WITH_MORE) {
    save.run(DELETED);
    return;
  }
  await trimVocabulary(db);
  db.pragma("incremental_vacuum");
  save.run(NOTHING);
  truncateLog(db);
}
