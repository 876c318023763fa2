import type SQLite from "better-sqlite3";
import { toMessage } from "../../src/errors.ts";
import { isInRoot, type Root } from "../../src/session/locations.ts";
import { toDatabaseError } from "../../src/store/sqlite/database-error.ts";
import { loadDriver } from "../../src/store/sqlite/driver.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { isCorruption } from "../../src/store/sqlite/quarantine.ts";
import { throwIfReplaced } from "../../src/store/sqlite/replaced-database.ts";
import { databaseBusyError, type RebuildOptions, replaceContent, withFreshIndex } from "../rebuild.ts";
import type { SyncControl, SyncProgress } from "../report.ts";
import { sync } from "../sync.ts";
import { compareIndexes, type IndexComparison } from "./compare-indexes.ts";
import { Differences, toShownValue } from "./differences.ts";
import type { VerifyReport } from "./verify-answer.ts";

export interface VerifyOptions {
  /** Replaces an index that differs with the one built for the comparison. */
  repair?: boolean;
  /**
   * Syncs first, and waits for another sync as long as it takes. Default: true. Otherwise changes that are not indexed yet
   * are differences.
   */
  sync?: boolean;
  signal?: AbortSignal | undefined;
  /** Progress of reading the files. */
  onProgress?: (progress: SyncProgress) => unknown;
  /** Progress of the sync before the comparison. */
  onSyncProgress?: (progress: SyncProgress) => unknown;
  /** Progress of the comparison, after the files have been read. Words are compared last, which is not counted. */
  onCompareProgress?: (progress: SyncProgress) => unknown;
}

/** A comparison of the files below some roots. */
interface VerifyTask extends VerifyOptions {
  roots: readonly Root[];
}

/**
 * Compares the index, row by row, with a fresh one built beside it from all session files. Holds the writer lock meanwhile.
 * Differences are part of the report, not errors.
 *
 * @throws the signal's reason when aborted; PidexError `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`; as `rebuild` for folders that
 * cannot be listed; as `sync` for a corrupt database
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
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !isClean(comparison); attempt++) {
      if (isSynced) await syncOrThrow(db, { ...control, holdsWriterLock: true });
      await sync(fresh, control);
      comparison = await compare(db, fresh, { ...options, sync: isSynced });
    }
    throwIfReplaced(db); // the comparison may have been of another database
    const { differences, ...rest } = comparison as IndexComparison;
    const report = { ...rest, unlisted, repaired: [], repairedFiles: 0 };
    if (!repair || differences.count === 0)
      return { ...report, differences: differences.list, differenceCount: differences.count };
    await replaceContent(fresh, db.path, signal).catch((error) => {
      throw toDatabaseError(db.path, error);
    });
    differences.paths.delete(db.path);
    const repaired = { repaired: differences.list, repairedFiles: differences.paths.size };
    return { ...report, ...repaired, differences: [], differenceCount: 0 };
  });
}

/** Comparisons until there are no differences: a file may have changed between the two syncs. */
const MAX_ATTEMPTS = 2;

function isClean(comparison: IndexComparison | undefined): boolean {
  return comparison?.differences.count === 0 && comparison.changing.length === 0;
}

async function syncOrThrow(db: Database, options: SyncControl & { roots: readonly Root[] }): Promise<void> {
  const { busy } = await sync(db, options);
  if (busy) throw databaseBusyError(db.path);
}

/** Compares a snapshot of the index through a read-only connection. Corruption of the database is a difference too. */
async function compare(
  db: Database,
  fresh: Database,
  { roots, sync: isSynced, signal, onCompareProgress }: VerifyTask & { sync: boolean },
): Promise<IndexComparison> {
  const { path } = db;
  const Handle = await loadDriver();
  let index: SQLite.Database | undefined;
  try {
    index = new Handle(path, { readonly: true });
    index.exec("BEGIN");
    const isIncluded = (file: string) => roots.some((root) => isInRoot(file, root));
    return await compareIndexes({
      index,
      fresh: fresh.writer,
      path,
      isIncluded,
      skipChanging: isSynced,
      signal,
      onProgress: onCompareProgress,
    });
  } catch (error) {
    throwIfReplaced(db);
    if (!isCorruption(error)) throw toDatabaseError(path, error);
    const differences = new Differences();
    const indexed = toShownValue(toMessage(error));
    differences.add({ path, table: "database", what: "differs", indexed });
    return { files: 0, compared: 0, entries: 0, changing: [], differences };
  } finally {
    index?.close();
  }
}
