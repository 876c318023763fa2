/**
 * Syncs and queries the index for `session-list.ts`, which imports this module lazily: sessions are still listed if SQLite cannot be
 * loaded.
 */
import type { CandidateFile } from "../indexer/discover.ts";
import { compareWithDisk, type DiskComparison } from "../indexer/find-changes.ts";
import { plan } from "../indexer/plan.ts";
import type { SyncProgress } from "../indexer/report.ts";
import { syncChanges } from "../indexer/sync.ts";
import { migrations } from "../migrations/index.ts";
import type { SessionInfo } from "../query/answers.ts";
import { type IndexedFile, listIndexedFiles } from "../query/indexed-files.ts";
import { PidexError } from "../src/errors.ts";
import { expandPath, isSubagentPath, type Root } from "../src/session/locations.ts";
import { toDatabaseError, toUnavailableError } from "../src/store/sqlite/database-error.ts";
import { getDatabasePath } from "../src/store/sqlite/database-path.ts";
import { type Database, openDatabase } from "../src/store/sqlite/open.ts";
import { isCorruption, quarantineDatabase } from "../src/store/sqlite/quarantine.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";

/** How long to wait for another process's transaction, in milliseconds. Short: the files can be read instead. */
const BUSY_TIMEOUT_MS = 1_000;

/** Longest delay a timer supports. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How long new files are indexed, in milliseconds, before the rest are read directly. */
const INDEXING_MS = 2_000;

export interface FolderSessionsOptions {
  db?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Time limit for indexing, in milliseconds: at least one transaction runs, unless it is 0. Default: 2,000. */
  indexingMs?: number | undefined;
  /** Called when a corrupt database was quarantined. */
  onNotice: (message: string) => void;
  /** Called and awaited when more files are indexed. */
  onIndexed?: ((progress: IndexingProgress) => Promise<void>) | undefined;
}

/** Progress of a sync, in files of the root. */
export interface IndexingProgress {
  done: number;
  total: number;
  sessions: () => Promise<SessionInfo[]>;
}

export interface UnindexedFile extends CandidateFile {
  /** Last modification, in Unix nanoseconds. */
  changedNs: bigint;
}

/** The files of a root: those the index is up to date with, and those to be read. */
export interface FolderSessions {
  /** Number of files. */
  total: number;
  /** Files with up-to-date rows. */
  indexed: readonly IndexedFile[];
  /** All other files, which must be read. */
  unindexed: readonly UnindexedFile[];
  /** Paths of files that could not be indexed. */
  failedFiles: ReadonlySet<string>;
  /** Why the index is not up to date with all files. */
  problem?: Error;
}

/**
 * Syncs the files of a root and reads their rows. A database that turns out to be corrupt is quarantined; the next call creates a new
 * one.
 *
 * @throws PidexError when the index cannot be used, the signal's reason when aborted, what `onIndexed` throws
 */
export async function readFolderSessions(
  root: Root,
  options: FolderSessionsOptions,
): Promise<FolderSessions> {
  const { signal, onNotice } = options;
  const path = expandPath(options.db ?? getDatabasePath());
  const database = await openDatabase({ path, migrations, onNotice, busyTimeoutMs: BUSY_TIMEOUT_MS });
  let failure: unknown;
  try {
    return await syncAndRead(database, root, options);
  } catch (error) {
    failure = error;
    signal?.throwIfAborted();
    throw toDatabaseError(path, error);
  } finally {
    await database.close();
    const quarantinePath = isCorruption(failure) && (await quarantineDatabase(database, BUSY_TIMEOUT_MS));
    if (quarantinePath)
      onNotice(`${database.path} is damaged: it was moved to ${quarantinePath}, and a new index is built`);
  }
}

async function syncAndRead(
  database: Database,
  root: Root,
  options: FolderSessionsOptions,
): Promise<FolderSessions> {
  const { signal, onIndexed } = options;
  const roots = [root];
  const store = new SqliteStore(database.reader, { roots });
  const comparison = await compareWithDisk(database, roots, signal);
  const { files } = comparison.found;
  const total = comparison.unchanged.length + files.length;
  const unchanged = new Set(comparison.unchanged);
  const stats = new Map(files.map(({ path, stat }) => [path, stat]));
  /** Whether a row describes the complete file: the row of a partly indexed file does not. */
  const isWhole = (row: IndexedFile): boolean => {
    const stat = stats.get(row.path);
    return stat !== undefined && plan(stat, { ...row, racy: 0 }) === "skip";
  };
  const sessions = async () =>
    (await listIndexedFiles(store)).flatMap((row) =>
      row.session && (unchanged.has(row.path) || isWhole(row)) ? [row.session] : [],
    );
  const behind = await indexAll(database, comparison, options, async ({ filesDone, filesTotal }) => {
    await onIndexed?.({ done: total - filesTotal + filesDone, total, sessions });
  });

  const rows = await listIndexedFiles(store);
  const isCurrent = (row: IndexedFile): boolean => {
    // If the index is behind, only rows that match the file's stat are known to be up to date.
    if (unchanged.has(row.path)) return behind !== undefined || row.faulty === 0;
    const stat = stats.get(row.path);
    return stat !== undefined && (behind ? plan(stat, row) === "skip" : row.faulty === 0);
  };
  const current = rows.filter(isCurrent);
  const currentPaths = new Set(current.map(({ path }) => path));
  const changedAt = (path: string) =>
    stats.get(path)?.mtimeNs ?? BigInt(comparison.known.get(path)?.mtime_ns ?? 0);
  const others = [...comparison.unchanged, ...stats.keys()].filter((path) => !currentPaths.has(path));
  return {
    total,
    indexed: current,
    unindexed: others.map((path) => ({
      path,
      changedNs: changedAt(path),
      subagent: isSubagentPath(path, root) ? 1 : 0,
    })),
    failedFiles: new Set(rows.filter(({ faulty }) => faulty === 1).map(({ path }) => path)),
    ...(behind && { problem: behind }),
  };
}

/**
 * Indexes the files that were found, within the time limit.
 *
 * @returns why the index is behind, if it is
 */
async function indexAll(
  database: Database,
  comparison: DiskComparison,
  { signal, indexingMs = INDEXING_MS }: FolderSessionsOptions,
  onProgress: (progress: SyncProgress) => Promise<void>,
): Promise<PidexError | undefined> {
  const timeout =
    indexingMs > 0 ? AbortSignal.timeout(Math.min(indexingMs, MAX_TIMER_MS)) : AbortSignal.abort();
  try {
    const stop = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const { busy } = await syncChanges(database, comparison, { signal: stop, onProgress });
    if (!busy) return undefined;
    const cause = Object.assign(new Error("another process is writing to it"), { code: "SQLITE_BUSY" });
    return toUnavailableError(database.path, cause);
  } catch (error) {
    signal?.throwIfAborted();
    if (!timeout.aborted || error !== timeout.reason) throw error;
    return new PidexError(
      "INDEX_BEHIND",
      "not all sessions are indexed yet; the others were read from their files, which takes longer",
      "Run `pidex index` to index all of them; each list continues where the last one stopped.",
    );
  }
}
