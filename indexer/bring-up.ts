import type SQLite from "better-sqlite3";
import { systemCode } from "../src/errors.ts";
import { fileIdentity } from "../src/file-identity.ts";
import { UNFINISHED } from "../src/store/sqlite/extraction.ts";
import { type Database, withWriter } from "../src/store/sqlite/open.ts";
import { ReplacedDatabase } from "../src/store/sqlite/replaced.ts";
import { withBulkSettings, withUsualSettings } from "./bulk.ts";
import type { FoundFile } from "./discover.ts";
import { erase } from "./erase.ts";
import type { FileMemory } from "./file-memory.ts";
import { type IngestCount, type Ingested, ingest, saveFault } from "./ingest.ts";
import { load } from "./load.ts";
import type { Look } from "./look.ts";
import { plan } from "./plan.ts";
import { isSameRow, type RememberedFile } from "./remembered-files.ts";
import type { SyncControl, SyncReport } from "./report.ts";
import { type FileRow, prepareRows, type Rows } from "./rows.ts";

/** Bytes of sessions a transaction reads: some tenths of a second, so that another writer does not wait long. */
const BATCH_BYTES = 32 << 20;
/** Files a transaction touches, for roots of very many small ones. */
const BATCH_FILES = 1_000;

const prepared = new WeakMap<SQLite.Database, Rows>();

/**
 * The statements that write the rows of an open database, prepared once: that takes milliseconds.
 *
 * @throws ReplacedDatabase when a newer pidex migrated it since it was opened: they would be for the tables as they were
 */
export function rowsOf(db: Database): Rows {
  const known = prepared.get(db.writer);
  if (known) return known;
  const rows = rowsBy(db.writer, db);
  prepared.set(db.writer, rows);
  return rows;
}

function rowsBy(writer: SQLite.Database, db: Database): Rows {
  const rows = prepareRows(writer);
  if (db.version() > db.knownVersion) throw new ReplacedDatabase();
  return rows;
}

/** Ingests what changed and forgets what is gone, in its turn. */
export async function bringUp(db: Database, work: Work): Promise<void> {
  const { batchBytes = BATCH_BYTES } = work.options;
  work.bytesTotal = bytesAhead(work.changed, work.known);
  const whole = wholeFiles(work);
  // From so much on it pays to read in another thread, and to tune the full-text index for a big load.
  if (work.bytesTotal >= 2 * batchBytes || whole.length >= 2 * BATCH_FILES) {
    // By a handle of its own: who looks at files by the usual one sees nothing that may still be rolled back.
    await withWriter(db, (writer) =>
      withBulkSettings(writer, async () => {
        const rows = rowsBy(writer, db);
        return ingestAll(work, rows, await loadWhole(work, rows, whole), batchBytes);
      }),
    );
  } else {
    await withUsualSettings(db.writer, () => ingestAll(work, work.rows, work.changed, batchBytes));
  }
  if (work.options.signal?.aborted) return;
  forgetMissing(work);
  await work.memory.keeping(() => erase(db.writer, work.options.signal));
}

/** What a sync is to do, and how far it is. */
export interface Work {
  rows: Rows;
  memory: FileMemory;
  changed: readonly FoundFile[];
  missing: readonly RememberedFile[];
  known: Look["known"];
  report: SyncReport;
  options: SyncControl;
  count: IngestCount;
  /** Bytes there are to read. */
  bytesTotal: number;
  /** How many of the changed files are up to date now. */
  done: number;
  /** More that have their rows by this sync, and wait for their words. */
  halfDone: Set<string>;
  /** The changed files whose sessions are not in the index yet. */
  unindexed: Set<string>;
  /** Rows of a database that was deleted, or moved aside, would be written for nobody. */
  throwIfReplaced: () => void;
}

/** The files that are read from their start, and were not somewhere else before. */
function wholeFiles({ changed, missing, known }: Work): FoundFile[] {
  const gone = new Set(missing.map(({ inode }) => inode));
  return changed.filter(
    ({ path, stat, fault }) =>
      !fault && !gone.has(fileIdentity(stat)) && plan(stat, known.get(path)) === "reindex",
  );
}

/** Loads files from their start. @returns those of all that remain */
async function loadWhole(work: Work, rows: Rows, files: readonly FoundFile[]): Promise<readonly FoundFile[]> {
  const { changed, report, count } = work;
  if (files.length === 0) return changed;
  const left = await load({
    rows,
    files,
    batchBytes: work.options.batchBytes,
    count,
    signal: work.options.signal,
    onBegin: work.throwIfReplaced,
    onCommit: () => afterTransaction(work),
    onFile: (file, outcome) => {
      work.unindexed.delete(file.path);
      if (!outcome) work.halfDone.add(file.path);
      else {
        work.halfDone.delete(file.path);
        work.done++;
        report[outcome]++;
      }
    },
  });
  count.halfRead = 0; // what is left is read anew
  const whole = new Set(files);
  const remaining = new Set(left);
  return changed.filter((file) => !whole.has(file) || remaining.has(file));
}

async function ingestAll(
  work: Work,
  rows: Rows,
  files: readonly FoundFile[],
  batchBytes: number,
): Promise<"done" | "aborted"> {
  const { memory, missing, report, options, count } = work;
  const goneByInode = new Map(missing.map((row) => [row.inode, row]));
  let next = 0;
  let begun: Ingested["outcome"] | undefined; // what the file at `next` was, when a transaction ended inside it

  // Comparing takes time too, and others wait for the transaction.
  const bytesSoFar = () => count.read.bytes + count.verified.bytes;
  const ingestBatch = () => {
    const lastByte = bytesSoFar() + batchBytes;
    const lastFile = Math.min(files.length, next + BATCH_FILES);
    while (next < lastFile && bytesSoFar() < lastByte) {
      const file = files[next] as FoundFile;
      const budget = lastByte - bytesSoFar();
      const isBegun = begun !== undefined;
      const { outcome, done } = ingestOrSaveFault({
        rows,
        file,
        movedFrom: movedFrom(file),
        isBegun,
        budget,
        count,
      });
      begun ??= outcome;
      if (done) {
        report[begun]++;
        begun = undefined;
        work.unindexed.delete(file.path);
        next++;
      }
    }
  };
  const movedFrom = (file: FoundFile): FileRow | undefined => {
    const gone = goneByInode.get(fileIdentity(file.stat));
    return gone && rows.file(gone.path); // undefined once it was taken over
  };

  const pathsFrom = (first: number) =>
    files.slice(first, next + 1).flatMap((file) => {
      const gone = goneByInode.get(fileIdentity(file.stat));
      return gone ? [gone.path, file.path] : [file.path];
    });

  while (next < files.length && !options.signal?.aborted) {
    work.throwIfReplaced();
    const first = next;
    memory.through(
      () => rows.transaction(ingestBatch),
      () => pathsFrom(first),
    );
    work.done += next - first;
    await afterTransaction(work);
  }
  return options.signal?.aborted ? "aborted" : "done";
}

/** Says how far the work is, and gives others a turn. */
async function afterTransaction(work: Work): Promise<"go on" | "stop"> {
  const { report, count, options, bytesTotal } = work;
  report.bytesRead = count.read.bytes;
  report.linesRead = count.read.lines;
  report.bytesVerified = count.verified.bytes;
  await options.onProgress?.({
    filesDone: work.done + Math.floor(work.halfDone.size / 2),
    filesTotal: work.changed.length,
    bytesDone: Math.min(count.read.bytes - (count.halfRead ?? 0) / 2, bytesTotal),
    bytesTotal,
    index: { files: report.files, indexed: report.files - work.unindexed.size },
  });
  await new Promise(setImmediate);
  return options.signal?.aborted ? "stop" : "go on";
}

/**
 * Ingests a file, or keeps why it cannot be: one bad file never stops the others. That drops what was
 * ingested of it; a savepoint would do that too, but makes FTS5 write out its memory at every file.
 */
export function ingestOrSaveFault(options: Parameters<typeof ingest>[0]): Ingested {
  try {
    return ingest(options);
  } catch (error) {
    if (systemCode(error)?.startsWith("SQLITE_")) throw error;
    // Deleted since it was found: the next sync, which won't find it, forgets it or sees where it went.
    if (systemCode(error) === "ENOENT") return { outcome: "skipped", done: true };
    const message = error instanceof Error ? error.message : String(error);
    return saveFault(
      options.rows,
      options.file,
      "unreadable",
      message.replaceAll(options.file.path, "the file"),
    );
  }
}

function forgetMissing({ rows, memory, missing, report }: Work): void {
  if (missing.length === 0) return;
  const forget = () => {
    for (const row of missing) {
      // Renamed, and the row lives on under its new path; or back again, as another process found.
      if (!isSameRow(row, rows.file(row.path))) continue;
      rows.forget(row.id);
      report.forgotten++;
    }
  };
  memory.through(
    () => rows.transaction(forget),
    () => missing.map(({ path }) => path),
  );
}

/** Whether the index has the session of a file: of one whose load was broken off it may have a part. */
export function isIndexed(row: RememberedFile | undefined): boolean {
  return row !== undefined && row.extraction !== UNFINISHED;
}

/** How many bytes are to be read, as far as a look at the files tells. */
export function bytesAhead(changed: readonly FoundFile[], known: Look["known"]): number {
  let bytes = 0;
  for (const { path, stat } of changed) {
    const row = known.get(path);
    const size = Number(stat.size);
    bytes += row && plan(stat, row) === "append" ? Math.max(0, size - row.cursor) : size;
  }
  return bytes;
}
