import type SQLite from "better-sqlite3";
import { memoizeByObject } from "../src/memoize.ts";
import type { Root } from "../src/session/locations.ts";
import { noticeOtherChanges } from "../src/store/sqlite/data-version.ts";
import { toUnavailableError } from "../src/store/sqlite/database-error.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import { singleValue } from "../src/store/sqlite/statements.ts";
import type { CandidateFile } from "./discover.ts";
import {
  compareFilesWithDisk,
  compareWithDisk,
  type DiskComparison,
  findChangedFiles,
  findMissingFiles,
} from "./find-changes.ts";
import { emptyReport, type SyncControl, type SyncReport } from "./report.ts";

/**
 * Updates the index to the files below the roots: reads new lines, reads rewritten files again, follows renamed files,
 * forgets deleted ones. Never writes to session files. Each transaction contains rows and their cursors, so a sync can be
 * stopped or killed at any point.
 *
 * @throws the signal's reason when aborted, and SQLite's error when the database fails
 */
export async function sync(
  db: Database,
  { roots, ...control }: SyncControl & { roots: readonly Root[] },
): Promise<SyncReport> {
  return syncChanges(db, await compareWithDisk(db, roots, control.signal), control);
}

/** Like `sync`, for these files only: no folder is walked. */
export async function syncFiles(
  db: Database,
  files: readonly CandidateFile[],
  control: SyncControl = {},
): Promise<SyncReport> {
  const { getRowWriter } = await import("./apply-changes.ts");
  // Somebody waits for the change of these files: the next sync of all goes on erasing.
  return syncChanges(db, compareFilesWithDisk(files, getRowWriter(db).file), { ...control, erases: false });
}

/** Updates the index to the files on disk, as they were when compared. @throws as `sync` */
export async function syncChanges(
  db: Database,
  comparison: DiskComparison,
  options: SyncControl = {},
): Promise<SyncReport> {
  const report = await applyComparison(db, comparison, options);
  return noticeOtherChanges(db.writer) ? { ...report, changedElsewhere: true } : report;
}

async function applyComparison(
  db: Database,
  comparison: DiskComparison,
  options: SyncControl,
): Promise<SyncReport> {
  const { known, found } = comparison;
  const report = emptyReport(comparison.unchanged.length + found.files.length);
  report.unlisted = found.unlisted.map(({ path, error }) => ({ path, reason: String(error) }));
  const changed = findChangedFiles(comparison);
  const missing = findMissingFiles(comparison);
  report.skipped = report.files - changed.length;
  const needsErasing =
    options.erases !== false && !db.writer.readonly && selectUnerased(db.readerHandle)() !== 0;
  if (changed.length === 0 && missing.length === 0 && !needsErasing) return report;
  if (db.writer.readonly) {
    const error = Object.assign(new Error("the database is read-only"), { code: "SQLITE_READONLY" });
    throw toUnavailableError(db.path, error);
  }
  // Loaded only here: a sync that finds nothing new needs none of the code that reads sessions.
  const { applyChanges } = await import("./apply-changes.ts");
  await applyChanges(db, { changed, missing, known, report, options });
  return report;
}

/** Whether the full-text index still contains words of deleted entries: see `erase.ts`, which is loaded only if it does. */
const selectUnerased = memoizeByObject((handle: SQLite.Database) =>
  singleValue<number>(handle, "SELECT unerased FROM generation"),
);
