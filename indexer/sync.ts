import { systemCode } from "../src/errors.ts";
import { getFileIdentity } from "../src/file-identity.ts";
import { toUnavailableError } from "../src/store/sqlite/database-error.ts";
import { acquireLock } from "../src/store/sqlite/lock.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import { DatabaseReplacedError } from "../src/store/sqlite/replaced-database.ts";
import type { CandidateFile } from "./discover.ts";
import { getFileCache } from "./file-cache.ts";
import {
  compareFilesWithDisk,
  compareWithDisk,
  type DiskComparison,
  findChangedFiles,
  findMissingFiles,
} from "./find-changes.ts";
import { hasUnerasedContent } from "./has-unerased-content.ts";
import type { IngestCount } from "./ingest.ts";
import { emptyReport, type SyncControl, type SyncReport, type SyncTask } from "./report.ts";

/**
 * Updates the index to the files below the roots: reads new lines, reads rewritten files again, follows renamed files,
 * forgets deleted ones. Never writes to session files. Each transaction contains rows and their cursors, so a sync can be
 * stopped or killed at any point.
 *
 * @throws the signal's reason when aborted, and SQLite's error when the database fails
 */
export async function sync(
  db: Database,
  { roots, ...control }: SyncControl & Pick<SyncTask, "roots">,
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
  return syncChanges(db, compareFilesWithDisk(files, getRowWriter(db).file), control);
}

/** Updates the index to the files on disk, as they were when compared. @throws as `sync` */
export async function syncChanges(
  db: Database,
  comparison: DiskComparison,
  options: SyncControl = {},
): Promise<SyncReport> {
  const { known, found } = comparison;
  const { signal, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const report = emptyReport(comparison.unchanged.length + found.files.length);
  report.unlisted = found.unlisted.map(({ path, error }) => ({ path, reason: String(error) }));
  const changed = findChangedFiles(comparison);
  const missing = findMissingFiles(comparison);
  report.skipped = report.files - changed.length;
  const needsErasing = !db.writer.readonly && hasUnerasedContent(db.readerHandle);
  if (changed.length === 0 && missing.length === 0 && !needsErasing) return report;

  const throwIfReplaced = () => {
    if (getFileIdentity(db.path) !== db.identity) throw new DatabaseReplacedError();
  };
  if (db.writer.readonly) {
    const error = Object.assign(new Error("the database is read-only"), { code: "SQLITE_READONLY" });
    throw toUnavailableError(db.path, error);
  }
  // Loaded only here: a sync that finds nothing new needs none of the code that reads sessions.
  const { applyChanges, bytesToRead, isIndexed, getRowWriter } = await import("./apply-changes.ts");
  const unindexed = new Set(changed.flatMap(({ path }) => (isIndexed(known.get(path)) ? [] : [path])));
  const index = { files: report.files, indexed: report.files - unindexed.size };
  options.onPlan?.({ files: changed.length, bytes: bytesToRead(changed, known), index });
  signal?.throwIfAborted();
  const rowWriter = getRowWriter(db);
  const fileCache = getFileCache(db);
  const count: IngestCount = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
  const progress = { count, bytesTotal: 0, filesDone: 0, searchPending: new Set<string>(), unindexed };
  const job = {
    rowWriter,
    fileCache,
    changed,
    missing,
    known,
    report,
    options,
    ...progress,
    throwIfReplaced,
  };
  const lock = options.holdsWriterLock
    ? { release() {} }
    : await acquireLock(db.path, "sync", { timeoutMs: patienceMs, signal });
  try {
    if (lock) await applyChanges(db, job);
    else report.busy = true;
  } catch (error) {
    if (!systemCode(error)?.startsWith("SQLITE_BUSY")) throw error;
    report.busy = true;
  } finally {
    lock?.release();
  }
  if (report.busy) report.behind = changed.length - job.filesDone + missing.length;
  signal?.throwIfAborted();
  return report;
}

/** How long to wait for another sync, in milliseconds: most read a few lines. */
const DEFAULT_PATIENCE_MS = 500;
