import type SQLite from "better-sqlite3";
import type { Preparer } from "../src/store/sqlite/statements.ts";
import { mergeText } from "./merge-text.ts";
import { truncateLog } from "./truncate-log.ts";
import { trimVocabulary } from "./vocabulary.ts";

/** What migration 0014 says of `unerased`. */
const [NOTHING, DELETED, MERGING, MERGING_WITH_MORE] = [0, 1, 2, 3];

/** How many steps of a merge a sync does: 8 MB of pages. What is left then, the next ones do. */
const STEPS_A_SYNC = 2;

/** The statement that notes that words are to be erased. Runs in the transaction that deletes their entries. */
export function prepareErasure(db: Preparer): { note(): void } {
  // A merge that has begun goes on, and another follows: begun again and again, none would come to its end.
  const note = db.prepare(`
    UPDATE generation SET unerased = iif(unerased = ${NOTHING}, ${DELETED}, ${MERGING_WITH_MORE})
    WHERE unerased IN (${NOTHING}, ${MERGING})`);
  return { note: () => note.run() };
}

/**
 * Takes what deleted rows held out of the database's files: the words of the full-text index by a merge, the vocabulary's
 * by a comparison with that, rows by giving their pages back. Does a part of it where it is much; the next sync goes on.
 */
export async function erase(db: SQLite.Database, signal?: AbortSignal): Promise<void> {
  const state = db.prepare<[], number>("SELECT unerased FROM generation").pluck();
  const save = db.prepare("UPDATE generation SET unerased = ?");
  if (state.get() === NOTHING) return;
  const begun = state.get() !== DELETED;
  if (!begun) save.run(MERGING);
  if (!(await mergeText(db, { begun, maxSteps: STEPS_A_SYNC, signal }))) return;
  if (state.get() === MERGING_WITH_MORE) {
    save.run(DELETED);
    return;
  }
  await trimVocabulary(db);
  db.pragma("incremental_vacuum");
  save.run(NOTHING);
  truncateLog(db);
}
