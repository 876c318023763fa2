import { existsSync, rmSync } from "node:fs";
import { PidexError } from "../src/errors.ts";
import { isAtOrBelow } from "../src/path-bytes.ts";
import { isInRoot, type Root } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";
import { acquireLock, LOCK_FILES } from "../src/store/sqlite/lock.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import { throwIfReplaced } from "../src/store/sqlite/replaced-database.ts";
import { type Discovery, discover, discoverFile } from "./discover.ts";
import type { SyncOptions, SyncReport } from "./report.ts";
import { prepareRowWriter } from "./rows.ts";
import { syncChanges } from "./sync.ts";

/** Pages copied before yielding to the event loop: 20 MB, so that Ctrl+C works. */
const PAGES_PER_SLICE = 5_000;

export interface RebuildOptions extends SyncOptions {
  roots: readonly Root[];
  /** Opens the database that the fresh index is built in. */
  open: (path: string) => Promise<Database>;
}

/**
 * Builds a fresh index beside the database and copies it over in one transaction: readers keep their connections and see the
 * old rows until the copy is committed. Other syncs wait, or report that they are behind.
 *
 * @throws as `withFreshIndex`; the database is then unchanged
 */
export function rebuild(db: Database, options: RebuildOptions): Promise<SyncReport> {
  return withFreshIndex(db, options, async (fresh, report) => {
    throwIfReplaced(db);
    await replaceContent(fresh, db.path, options.signal);
    return report;
  });
}

/**
 * Builds a fresh index beside the database, calls `use` with it, and deletes it. Holds the writer lock until then. Also
 * reads indexed files of other roots.
 *
 * @throws the signal's reason when aborted, PidexError `FILE_UNREADABLE` for a folder that cannot be listed, and what
 * `sync` throws
 */
export async function withFreshIndex<T>(
  db: Database,
  { roots, open, ...control }: RebuildOptions,
  use: (fresh: Database, report: SyncReport) => Promise<T>,
): Promise<T> {
  const { signal, patienceMs = Number.POSITIVE_INFINITY } = control;
  const lock = await acquireLock(db.path, "sync", { timeoutMs: patienceMs, signal });
  if (!lock)
    throw new PidexError("DATABASE_BUSY", "another pidex process is indexing", "Try again when it is done.");
  const freshPath = `${db.path}.rebuild`;
  try {
    remove(freshPath); // leftover of a killed rebuild: this process holds the lock
    const fresh = await open(freshPath);
    try {
      const found = await discover(roots, signal);
      const known = prepareRowWriter(db.writer).filesBelow("");
      for (const unseen of found.unlisted) {
        if (known.some(({ path }) => isAtOrBelow(path, unseen.path))) throw unlistedError(unseen);
      }
      const elsewhere = known.filter(({ path }) => !roots.some((root) => isInRoot(path, root)));
      const unknown = new RealRoots([]); // without a root, every link may lead outside
      for (const { path, subagent } of elsewhere) {
        const outside = unknown.isOutside(path) || undefined;
        discoverFile({ path, subagent: subagent ? 1 : 0, isOutsideRoots: outside }, found);
      }
      const report = await syncChanges(fresh, { known: new Map(), unchanged: [], found }, control);
      return await use(fresh, report);
    } finally {
      await fresh.close();
    }
  } finally {
    remove(freshPath);
    lock.release();
  }
}

/** The error if another program has the database locked although this process holds the writer lock. */
export function databaseBusyError(path: string): PidexError {
  return new PidexError(
    "DATABASE_BUSY",
    `another program is writing to ${path}`,
    "Try again when it is done.",
  );
}

/** A folder that cannot be listed may still have its files: a sync keeps their rows, a fresh index would not have them. */
function unlistedError({ path, error }: Discovery["unlisted"][number]): PidexError {
  const hint = "Make it readable, or remove its root: a rebuilt index would lose the sessions below it.";
  return new PidexError("FILE_UNREADABLE", `cannot list ${path}: ${error}`, hint, {
    cause: error,
  });
}

/** Replaces the content of a database with that of a fresh one, in one transaction. */
export async function replaceContent(
  fresh: Database,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  fresh.writer.pragma("wal_checkpoint(TRUNCATE)");
  const { totalPages } = await fresh.writer.backup(path, {
    progress: () => {
      signal?.throwIfAborted(); // a partial copy is rolled back
      return PAGES_PER_SLICE;
    },
  });
  // If another program has the database locked, SQLite copies nothing and better-sqlite3 reports success.
  if (totalPages === 0) throw databaseBusyError(path);
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm", ...LOCK_FILES]) {
    if (existsSync(path + suffix)) rmSync(path + suffix);
  }
}
