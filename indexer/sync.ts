import { sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Database } from "../src/database/open.ts";
import { identityOf, ReplacedDatabase } from "../src/database/replaced.ts";
import { takeTurn } from "../src/database/turn.ts";
import { unavailable } from "../src/database/unavailable.ts";
import { systemCode } from "../src/errors.ts";
import { isInRoot, type Root } from "../src/session/locations.ts";
import { withBulkSettings, withUsualSettings } from "./bulk.ts";
import {
  discoverFile,
  discoverInTurns,
  type Found,
  type FoundFile,
  nothingFound,
  type PlacedFile,
} from "./discover.ts";
import { type IngestCount, type Ingested, ingest, saveFault } from "./ingest.ts";
import { plan } from "./plan.ts";
import { emptyReport, type SyncOptions, type SyncReport } from "./report.ts";
import { type FileRow, prepareRows, type Rows } from "./rows.ts";

/** Bytes of sessions a transaction reads: some tenths of a second, so that another writer does not wait long. */
const BATCH_BYTES = 32 << 20;
/** Files a transaction touches, for roots of very many small ones. */
const BATCH_FILES = 1_000;

/**
 * Brings the rows up to the files below the roots: reads what is new, reads again what was rewritten, follows
 * renamed files, forgets deleted ones. Only ever reads session files. Each transaction carries rows and
 * cursors together, so it may be stopped, or killed, anywhere.
 *
 * @throws the signal's reason when aborted, and SQLite's error when the database fails
 */
export async function sync(
  db: Database,
  { roots, ...control }: Control & Pick<SyncOptions, "roots">,
): Promise<SyncReport> {
  return catchUp(db, await look(db, roots, control.signal), control);
}

/** The same for these files alone: no folder is walked. */
export async function syncFiles(
  db: Database,
  files: readonly PlacedFile[],
  control: Control = {},
): Promise<SyncReport> {
  const rows = prepareRows(db.writer);
  const known = new Map<string, FileRow>();
  const found = nothingFound();
  for (const file of files) {
    const row = rows.file(file.path);
    if (row) known.set(file.path, row);
    discoverFile(file, found);
  }
  return catchUp(db, { rows, known, found }, control);
}

/** What the index knows of files, and what there is of them. */
export interface Look {
  readonly rows: Rows;
  readonly known: ReadonlyMap<string, FileRow>;
  readonly found: Found;
}

/** Looks at the files below the roots, and reads none. @throws as `sync` */
export async function look(db: Database, roots: readonly Root[], signal?: AbortSignal): Promise<Look> {
  const rows = prepareRows(db.writer);
  // Before the walk, not after: a file that another process adds meanwhile must not look deleted.
  const known = new Map<string, FileRow>();
  for (const root of roots) {
    for (const row of rows.filesBelow(root.prefix)) if (isInRoot(row.path, root)) known.set(row.path, row);
  }
  return { rows, known, found: await discoverInTurns(roots, signal) };
}

/** Brings the rows up to the files, as a look found them. @throws as `sync` */
export async function catchUp(
  db: Database,
  { rows, known, found }: Look,
  options: Control = {},
): Promise<SyncReport> {
  const { signal, patienceMs = PATIENCE_MS } = options;
  const report = emptyReport(found.files.length);
  report.unlisted = found.unlisted.map(({ path, error }) => ({ path, reason: String(error) }));

  const present = new Set(found.files.map(({ path }) => path));
  const blind = found.unlisted.map(({ path }) => path);
  const missing = [...known.values()].filter(
    ({ path }) => !present.has(path) && !blind.some((unseen) => isAtOrBelow(path, unseen)),
  );
  const changed = found.files
    .filter(({ path, stat, fault }) => fault || plan(stat, known.get(path)) !== "skip")
    .sort((a, b) => Number(a.stat.mtimeNs - b.stat.mtimeNs)); // oldest first: row ids follow time
  report.skipped = found.files.length - changed.length;
  if (changed.length === 0 && missing.length === 0) return report;

  const throwIfReplaced = () => {
    if (identityOf(db.path) !== db.identity) throw new ReplacedDatabase();
  };
  const work = { rows, changed, missing, known, report, options, done: 0, throwIfReplaced };
  if (db.writer.readonly) throw unavailable(db.path, new Error("it may only be read"));
  const turn = await takeTurn(db.path, "sync", { patienceMs, signal });
  try {
    if (turn) await bringUp(db, work);
    else report.busy = true;
  } catch (error) {
    if (!systemCode(error)?.startsWith("SQLITE_BUSY")) throw error;
    report.busy = true;
  } finally {
    turn?.release();
  }
  if (report.busy) report.behind = changed.length - work.done + missing.length;
  signal?.throwIfAborted();
  return report;
}

/** How long another sync is waited for, in milliseconds: most read a few lines. */
const PATIENCE_MS = 500;

async function bringUp(db: Database, work: Work): Promise<void> {
  const bytes = bytesAhead(work.changed, work.known);
  const { batchBytes = BATCH_BYTES } = work.options;
  const load = () => ingestAll(work, bytes, batchBytes);
  // From two batches on it pays to tune the full-text index for a big load.
  if (bytes >= 2 * batchBytes) await withBulkSettings(db.writer, load);
  else await withUsualSettings(db.writer, load);
  if (!work.options.signal?.aborted) forgetMissing(work);
}

type Control = Omit<SyncOptions, "roots"> & {
  /** Bytes of sessions that a transaction reads, more or less. */
  batchBytes?: number;
};

interface Work {
  rows: Rows;
  changed: readonly FoundFile[];
  missing: readonly FileRow[];
  known: ReadonlyMap<string, FileRow>;
  report: SyncReport;
  options: Control;
  /** How many of the changed files are up to date now. */
  done: number;
  /** Rows of a database that was deleted, or moved aside, would be written for nobody. */
  throwIfReplaced: () => void;
}

async function ingestAll(work: Work, bytesTotal: number, batchBytes: number): Promise<"done" | "aborted"> {
  const { rows, changed, missing, report, options } = work;
  const goneByInode = new Map(missing.map((row) => [row.inode, row]));
  const count: IngestCount = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
  let next = 0;
  let begun: Ingested["outcome"] | undefined; // what the file at `next` was, when a transaction ended inside it

  const ingestBatch = () => {
    const lastByte = count.read.bytes + batchBytes;
    const lastFile = Math.min(changed.length, next + BATCH_FILES);
    while (next < lastFile && count.read.bytes < lastByte) {
      const file = changed[next] as FoundFile;
      const budget = lastByte - count.read.bytes;
      const { outcome, done } = ingestOrSaveFault({ rows, file, movedFrom: movedFrom(file), budget, count });
      begun ??= outcome;
      if (done) {
        report[begun]++;
        begun = undefined;
        next++;
      }
    }
  };
  const movedFrom = (file: FoundFile): FileRow | undefined => {
    const gone = goneByInode.get(`${file.stat.dev}:${file.stat.ino}`);
    return gone && rows.file(gone.path); // undefined once it was taken over
  };

  while (next < changed.length && !options.signal?.aborted) {
    work.throwIfReplaced();
    rows.transaction(ingestBatch);
    work.done = next;
    report.bytesRead = count.read.bytes;
    report.linesRead = count.read.lines;
    report.bytesVerified = count.verified.bytes;
    await options.onProgress?.({
      filesDone: next,
      filesTotal: changed.length,
      bytesDone: Math.min(count.read.bytes, bytesTotal),
      bytesTotal,
    });
    await new Promise(setImmediate);
  }
  return next < changed.length ? "aborted" : "done";
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

function forgetMissing({ rows, missing, report }: Work): void {
  if (missing.length === 0) return;
  rows.transaction(() => {
    for (const row of missing) {
      // Renamed, and the row lives on under its new path; or back again, as another process found.
      if (!isDeepStrictEqual(rows.file(row.path), row)) continue;
      rows.forget(row.id);
      report.forgotten++;
    }
  });
}

export function isAtOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(above.endsWith(sep) ? above : above + sep);
}

/** How many bytes are to be read, as far as a look at the files tells. */
function bytesAhead(changed: readonly FoundFile[], known: ReadonlyMap<string, FileRow>): number {
  let bytes = 0;
  for (const { path, stat } of changed) {
    const row = known.get(path);
    const size = Number(stat.size);
    bytes += row && plan(stat, row) === "append" ? Math.max(0, size - row.cursor) : size;
  }
  return bytes;
}
