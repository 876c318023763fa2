import type SQLite from "better-sqlite3";
import { systemCode, toMessage } from "../src/errors.ts";
import { toFileIdentity } from "../src/file-identity.ts";
import { memoizeByObject } from "../src/memoize.ts";
import { UNFINISHED } from "../src/store/extraction.ts";
import type { FileTable } from "../src/store/schema.ts";
import { watchForOtherChanges } from "../src/store/sqlite/data-version.ts";
import { acquireLock } from "../src/store/sqlite/lock.ts";
import { type Database, withWriter } from "../src/store/sqlite/open.ts";
import { DatabaseReplacedError, throwIfReplaced } from "../src/store/sqlite/replaced-database.ts";
import { finishBulkLoad, withBulkSettings } from "./bulk.ts";
import { type CachedFile, isSameRow } from "./cached-files.ts";
import type { FoundFile } from "./discover.ts";
import { type EntryIds, findGap, idsAfterGap, isEmpty, newestFiles } from "./entry-order.ts";
import { eraseDeletedContent } from "./erase.ts";
import { type FileCache, getFileCache } from "./file-cache.ts";
import type { DiskComparison } from "./find-changes.ts";
import { type IngestCount, type IngestResult, ingest, saveFailedFile } from "./ingest.ts";
import { loadFiles } from "./load.ts";
import { plan } from "./plan.ts";
import type { IndexedFiles, SyncControl, SyncReport } from "./report.ts";
import { prepareRowWriter, type RowWriter } from "./rows.ts";

/** Bytes of sessions per transaction: a few tenths of a second, so that other writers don't wait long. */
const BATCH_BYTES = 32 << 20;
/** Files per transaction, for roots with very many small ones. */
const BATCH_FILES = 1_000;

/** What a large load reads first, so that it can be listed and searched within a second. */
const NEWEST_FILES = 50;
const NEWEST_BYTES = 28 << 20;

/**
 * The prepared statements that write rows of an open database, cached because preparing them takes milliseconds.
 *
 * @throws DatabaseReplacedError if a newer pidex migrated the database since it was opened, so that the statements may not match its tables
 */
export const getRowWriter = memoizeByObject((db: Database) => prepareRowWriterFor(db.writer, db));

/** Prepares the same for any write handle of the database. @throws as `getRowWriter` */
function prepareRowWriterFor(
  writer: SQLite.Database,
  db: Database,
  vocabulary: "now" | "later" = "now",
): RowWriter {
  const rowWriter = prepareRowWriter(writer, vocabulary);
  if (db.version() > db.knownVersion) throw new DatabaseReplacedError();
  return rowWriter;
}

/** The changes that a sync found. */
interface Changes {
  changed: readonly FoundFile[];
  missing: readonly CachedFile[];
  known: DiskComparison["known"];
  report: SyncReport;
  options: SyncControl;
}

/** The changes that a sync applies, and its progress. */
interface SyncJob extends Changes {
  db: Database;
  fileCache: FileCache;
  count: IngestCount;
  /** Bytes to read. */
  bytesTotal: number;
  /** Number of changed files that are now up to date. */
  filesDone: number;
  /** Changed files that have all rows except the full-text index. */
  searchPending: Set<string>;
  /** Changed files that the index has no session of yet. */
  unindexed: Set<string>;
}

/** How long to wait for another sync, in milliseconds: most read a few lines. */
const DEFAULT_PATIENCE_MS = 500;

/** Ingests changed files and deletes the rows of missing ones, unless another process is doing so. @throws as `sync` */
export async function applyChanges(db: Database, changes: Changes): Promise<void> {
  const { changed, missing, known, report, options } = changes;
  const { signal, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const job: SyncJob = {
    ...changes,
    db,
    fileCache: getFileCache(db),
    count: { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } },
    bytesTotal: bytesToRead(changed, known),
    filesDone: 0,
    searchPending: new Set(),
    unindexed: new Set(changed.flatMap(({ path }) => (isIndexed(known.get(path)) ? [] : [path]))),
  };
  options.onPlan?.({ files: changed.length, bytes: job.bytesTotal, index: indexedFiles(job) });
  signal?.throwIfAborted();
  const lock = options.holdsWriterLock
    ? { release() {} }
    : await acquireLock(db.path, "sync", { timeoutMs: patienceMs, signal });
  try {
    if (lock) await runJob(job);
    else report.busy = true;
  } catch (error) {
    if (!systemCode(error)?.startsWith("SQLITE_BUSY")) throw error;
    report.busy = true;
  } finally {
    lock?.release();
  }
  if (report.busy) report.behind = changed.length - job.filesDone + missing.length;
  signal?.throwIfAborted();
}

/** Applies the changes, with the writer lock. */
async function runJob(job: SyncJob): Promise<void> {
  const { db, changed, fileCache, options, bytesTotal } = job;
  const { batchBytes = BATCH_BYTES, signal } = options;
  const rowWriter = getRowWriter(db);
  const whole = wholeFiles(job);
  // From this size on, reading in another thread and tuning the full-text index for a large load are worth their overhead.
  if (bytesTotal >= 2 * batchBytes || whole.length >= 2 * BATCH_FILES) {
    // On its own connection, so that readers of file rows never see changes that may be rolled back.
    await withWriter(db, (writer) =>
      withBulkSettings(writer, async () => {
        const bulkWriter = prepareRowWriterFor(writer, db, "later");
        const left = await loadNewestFirst(job, bulkWriter, writer, whole);
        return ingestAll(job, bulkWriter, left, batchBytes);
      }),
    );
    watchForOtherChanges(db.writer); // what that connection committed is this sync's own
  } else {
    await finishBulkLoad(db.writer);
    await ingestAll(job, rowWriter, changed, batchBytes);
  }
  if (signal?.aborted) return;
  forgetMissing(job, rowWriter);
  if (options.erases === false) return;
  await fileCache.runWithoutFileChanges(() => eraseDeletedContent(db.writer, signal));
}

/** The files to read from the start, without those that may have been moved. */
function wholeFiles({ changed, missing, known }: SyncJob): FoundFile[] {
  const gone = new Set(missing.map(({ inode }) => inode));
  return changed.filter(
    ({ path, stat, failure }) =>
      !failure && !gone.has(toFileIdentity(stat)) && plan(stat, known.get(path)) === "reindex",
  );
}

/** Loads whole files, the newest first if the index is new. @returns the changed files that remain to be ingested */
async function loadNewestFirst(
  work: SyncJob,
  rowWriter: RowWriter,
  db: SQLite.Database,
  files: readonly FoundFile[],
): Promise<readonly FoundFile[]> {
  const bytes = Math.min(NEWEST_BYTES, work.options.batchBytes ?? BATCH_BYTES);
  const newest = isEmpty(db) ? newestFiles(files, { count: NEWEST_FILES, bytes }) : [];
  const first = new Set(newest);
  const others = files.filter((file) => !first.has(file));
  const left = new Set<FoundFile>();
  const load = async (some: readonly FoundFile[], ids: EntryIds | undefined, inOnePass = false) => {
    if (work.options.signal?.aborted) return;
    rowWriter.placeEntries(ids);
    for (const file of await loadWhole(work, rowWriter, some, { inOnePass })) left.add(file);
  };
  await load(newest, idsAfterGap(others), true);
  const { ids, older } = findGap(db, others);
  const before = new Set(older);
  await load(older, ids);
  await load(
    others.filter((file) => !before.has(file)),
    undefined,
  );
  rowWriter.placeEntries(undefined);
  const whole = new Set(files);
  return work.changed.filter((file) => !whole.has(file) || left.has(file));
}

/** Loads whole files. @returns those that remain to be ingested */
async function loadWhole(
  work: SyncJob,
  rowWriter: RowWriter,
  files: readonly FoundFile[],
  passes: { inOnePass: boolean },
): Promise<readonly FoundFile[]> {
  const { report, count } = work;
  if (files.length === 0) return files;
  const left = await loadFiles({
    rowWriter,
    files,
    batchBytes: work.options.batchBytes,
    count,
    ...passes,
    signal: work.options.signal,
    onBegin: () => throwIfReplaced(work.db),
    onCommit: () => afterTransaction(work),
    onFile: (file, outcome) => {
      work.unindexed.delete(file.path);
      if (!outcome) work.searchPending.add(file.path);
      else {
        work.searchPending.delete(file.path);
        work.filesDone++;
        report[outcome]++;
      }
    },
  });
  count.bytesToReread = 0; // the remaining files are read again
  return left;
}

async function ingestAll(
  work: SyncJob,
  rowWriter: RowWriter,
  files: readonly FoundFile[],
  batchBytes: number,
): Promise<"done" | "aborted"> {
  const { fileCache, missing, report, options, count } = work;
  const goneByInode = new Map(missing.map((row) => [row.inode, row]));
  let next = 0;
  let begun: IngestResult["outcome"] | undefined; // the outcome of the file at `next`, if a transaction ended inside it

  // Compared bytes count too: other writers wait for the transaction.
  const bytesSoFar = () => count.read.bytes + count.verified.bytes;
  const ingestBatch = () => {
    const lastByte = bytesSoFar() + batchBytes;
    const lastFile = Math.min(files.length, next + BATCH_FILES);
    while (next < lastFile && bytesSoFar() < lastByte) {
      const file = files[next] as FoundFile;
      const budget = lastByte - bytesSoFar();
      const isBegun = begun !== undefined;
      const { outcome, isComplete } = ingestOrSaveFailure({
        rowWriter,
        file,
        movedFrom: movedFrom(file),
        isBegun,
        budget,
        count,
      });
      begun ??= outcome;
      if (isComplete) {
        report[begun]++;
        begun = undefined;
        work.unindexed.delete(file.path);
        next++;
      }
    }
  };
  const movedFrom = (file: FoundFile): FileTable | undefined => {
    const gone = goneByInode.get(toFileIdentity(file.stat));
    return gone && rowWriter.file(gone.path); // undefined once the row has its new path
  };

  const pathsFrom = (first: number) =>
    files.slice(first, next + 1).flatMap((file) => {
      const gone = goneByInode.get(toFileIdentity(file.stat));
      return gone ? [gone.path, file.path] : [file.path];
    });

  while (next < files.length && !options.signal?.aborted) {
    throwIfReplaced(work.db);
    const first = next;
    fileCache.runTransaction(
      () => rowWriter.transaction(ingestBatch),
      () => pathsFrom(first),
    );
    work.filesDone += next - first;
    await afterTransaction(work);
  }
  return options.signal?.aborted ? "aborted" : "done";
}

function indexedFiles({ report, unindexed }: SyncJob): IndexedFiles {
  return { files: report.files, indexed: report.files - unindexed.size };
}

/** Reports progress and yields to the event loop. */
async function afterTransaction(work: SyncJob): Promise<"go on" | "stop"> {
  const { report, count, options, bytesTotal } = work;
  report.bytesRead = count.read.bytes;
  report.linesRead = count.read.lines;
  report.bytesVerified = count.verified.bytes;
  await options.onProgress?.({
    filesDone: work.filesDone + Math.floor(work.searchPending.size / 2),
    filesTotal: work.changed.length,
    bytesDone: Math.min(count.read.bytes - (count.bytesToReread ?? 0) / 2, bytesTotal),
    bytesTotal,
    index: indexedFiles(work),
  });
  await new Promise(setImmediate);
  return options.signal?.aborted ? "stop" : "go on";
}

/**
 * Ingests a file, or saves the reason why it cannot be read, so that one bad file never stops the others. Saving drops the
 * rows ingested so far; a savepoint would do that too, but makes FTS5 flush its memory for every file.
 */
function ingestOrSaveFailure(options: Parameters<typeof ingest>[0]): IngestResult {
  try {
    return ingest(options);
  } catch (error) {
    if (systemCode(error)?.startsWith("SQLITE_")) throw error;
    // Deleted since it was found: the next sync removes its rows or finds its new path.
    if (systemCode(error) === "ENOENT") return { outcome: "skipped", isComplete: true };
    const message = toMessage(error);
    return saveFailedFile(
      options.rowWriter,
      options.file,
      "unreadable",
      message.replaceAll(options.file.path, "the file"),
    );
  }
}

function forgetMissing({ fileCache, missing, report }: SyncJob, rowWriter: RowWriter): void {
  if (missing.length === 0) return;
  const forget = () => {
    for (const row of missing) {
      // The file was renamed, so its row has a new path, or it is back and another process has indexed it.
      if (!isSameRow(row, rowWriter.file(row.path))) continue;
      rowWriter.forget(row.id);
      report.forgotten++;
    }
  };
  fileCache.runTransaction(
    () => rowWriter.transaction(forget),
    () => missing.map(({ path }) => path),
  );
}

/** Whether the index has the session of a file. An interrupted load may have left a part of it, which does not count. */
function isIndexed(row: CachedFile | undefined): boolean {
  return row !== undefined && row.extraction !== UNFINISHED;
}

/** Bytes to read, estimated from the files' sizes. */
function bytesToRead(changed: readonly FoundFile[], known: DiskComparison["known"]): number {
  let bytes = 0;
  for (const { path, stat } of changed) {
    const row = known.get(path);
    const size = Number(stat.size);
    bytes += row && plan(stat, row) === "append" ? Math.max(0, size - row.cursor) : size;
  }
  return bytes;
}
