import type SQLite from "better-sqlite3";
import { isInRoot, type Root } from "../../src/session/locations.ts";
import { isCorruption } from "../../src/store/sqlite/aside.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { inWords } from "../../src/store/sqlite/unavailable.ts";
import {
  copyOver,
  type RebuildOptions,
  throwIfReplaced,
  withFreshIndex,
  writtenByOthers,
} from "../rebuild.ts";
import type { SyncControl, SyncProgress } from "../report.ts";
import { sync } from "../sync.ts";
import { compareIndexes, type IndexComparison } from "./compare-indexes.ts";
import { type Difference, Differences, shownValue } from "./differences.ts";

export interface VerifyOptions {
  /** Puts the index that was built for the comparison in the place of one that differs from it. */
  repair?: boolean;
  /**
   * Brings the index up to date first, however long another sync goes on. Default: true. Otherwise what is not indexed yet
   * is a difference.
   */
  sync?: boolean;
  signal?: AbortSignal;
  /** Progress of reading the files. */
  onProgress?: (progress: SyncProgress) => unknown;
  /** Progress of the sync before. */
  onSyncProgress?: (progress: SyncProgress) => unknown;
}

/** A comparison of the files below some roots. */
interface VerifyTask extends VerifyOptions {
  roots: readonly Root[];
}

/** The result of comparing the index with the session files. */
export interface VerifyReport {
  /** Session files on the disk or in the index. */
  files: number;
  /** Those that were compared, and how many entries they have. */
  compared: number;
  entries: number;
  /** What differs, after a repair: the first few of each kind. */
  differences: Difference[];
  /** How many there are. */
  differenceCount: number;
  /** What differed and was repaired, and in how many files. */
  repaired: Difference[];
  repairedFiles: number;
  /** Files that changed between the sync and the comparison: they were not compared. */
  changing: string[];
  /** Folders that could not be listed: nothing is known of what is below them. */
  unlisted: { path: string; reason: string }[];
}

/**
 * Compares the index with a fresh one that is built beside it from all session files, row by row, while no other process
 * syncs. Differences are no errors.
 *
 * @throws the signal's reason when aborted; PidexError `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`; what `rebuild` throws of
 * folders that cannot be listed, and `sync` of a broken database
 */
export async function verify(
  db: Database,
  options: VerifyTask & Pick<RebuildOptions, "open">,
): Promise<VerifyReport> {
  const { roots, open, repair = false, sync: isSynced = true, signal, onProgress, onSyncProgress } = options;
  const control = { roots, patienceMs: Number.POSITIVE_INFINITY, ...(signal && { signal }) };
  if (isSynced) await syncOrThrow(db, { ...control, ...(onSyncProgress && { onProgress: onSyncProgress }) });
  const building = { ...control, open, ...(onProgress && { onProgress }) };
  return withFreshIndex(db, building, async (fresh, { unlisted }) => {
    let comparison: IndexComparison | undefined;
    for (let attempt = 0; attempt < ATTEMPTS && !isClean(comparison); attempt++) {
      if (isSynced) await syncOrThrow(db, { ...control, hasTurn: true });
      await sync(fresh, control);
      comparison = await compare(db, fresh, { ...options, sync: isSynced });
    }
    throwIfReplaced(db); // the comparison may have been of another database
    const { differences, ...rest } = comparison as IndexComparison;
    const report = { ...rest, unlisted, repaired: [], repairedFiles: 0 };
    if (!repair || differences.count === 0)
      return { ...report, differences: differences.list, differenceCount: differences.count };
    await copyOver(fresh, db.path, signal).catch((error) => {
      throw inWords(db.path, error);
    });
    differences.paths.delete(db.path);
    const repaired = { repaired: differences.list, repairedFiles: differences.paths.size };
    return { ...report, ...repaired, differences: [], differenceCount: 0 };
  });
}

/** What differs, or changed meanwhile, is compared again: a file may have been written to between the two syncs. */
const ATTEMPTS = 2;

function isClean(comparison: IndexComparison | undefined): boolean {
  return comparison?.differences.count === 0 && comparison.changing.length === 0;
}

async function syncOrThrow(db: Database, options: SyncControl & { roots: readonly Root[] }): Promise<void> {
  const { busy } = await sync(db, options);
  if (busy) throw writtenByOthers(db.path);
}

/** Compares one moment of the index, by a handle that cannot write. Damage to the database is a difference too. */
async function compare(
  db: Database,
  fresh: Database,
  { roots, sync: isSynced, signal }: VerifyTask & { sync: boolean },
): Promise<IndexComparison> {
  const { path } = db;
  const { default: Handle } = await import("better-sqlite3");
  let index: SQLite.Database | undefined;
  try {
    index = new Handle(path, { readonly: true });
    index.exec("BEGIN");
    const isIncluded = (file: string) => roots.some((root) => isInRoot(file, root));
    return await compareIndexes({
      ...{ index, fresh: fresh.writer, path, isIncluded },
      ...{ skipChanging: isSynced, signal },
    });
  } catch (error) {
    throwIfReplaced(db);
    if (!isCorruption(error)) throw inWords(path, error);
    const differences = new Differences();
    const indexed = shownValue(error instanceof Error ? error.message : String(error));
    differences.add({ path, table: "database", what: "differs", indexed });
    return { files: 0, compared: 0, entries: 0, changing: [], differences };
  } finally {
    index?.close();
  }
}
