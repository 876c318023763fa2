import { closeSync, fchmodSync, lstatSync, openSync, rmSync, statSync } from "node:fs";
import type SQLite from "better-sqlite3";
import { PidexError, systemCode } from "../../errors.ts";
import { loadDriver } from "./driver.ts";

/** What a lock is for: one process syncs at a time; several can open the database at once, but not while one replaces it. */
type Purpose = "sync" | "open" | "replace";

/**
 * The lock file beside the database, and the statement that acquires SQLite's lock on it: reserved, shared or exclusive.
 * The kernel releases a lock when its process ends, however it ends.
 */
const LOCKS: Record<Purpose, { side: string; begin: string }> = {
  sync: { side: ".turn", begin: "BEGIN IMMEDIATE" },
  open: { side: ".open", begin: "BEGIN; SELECT count(*) FROM sqlite_schema" },
  replace: { side: ".open", begin: "BEGIN EXCLUSIVE" },
};

/** Suffixes of the lock files. They are never deleted: another process may hold a lock on the deleted file. */
export const LOCK_FILES = [".turn", ".open"];

const LAID_OUT = 1;

/** Pauses between attempts, in milliseconds. The first is short because most locks are held briefly. */
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 50;

export interface LockOptions {
  /** Maximum time to wait, in milliseconds; may be `Infinity`. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface DatabaseLock {
  release(): void;
}

/**
 * Acquires a lock on a database, which excludes other processes and other callers in this one. It is a SQLite lock on an
 * empty database beside it. SQLite protects the data itself; this lock keeps processes from doing the same work twice.
 *
 * @returns undefined if the lock isn't free in time
 * @throws the signal's reason if aborted, and the system's error if the lock file cannot be created
 */
export async function acquireLock(
  path: string,
  purpose: Purpose,
  { timeoutMs, signal }: LockOptions,
): Promise<DatabaseLock | undefined> {
  const { side, begin } = LOCKS[purpose];
  const handle = await openLock(path + side);
  try {
    let deadline: number | undefined; // the clock and the timer are loaded only if needed
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, MAX_PAUSE_MS)) {
      signal?.throwIfAborted();
      if (lock(handle, begin)) return { release: () => handle.close() };
      deadline ??= performance.now() + timeoutMs;
      const left = deadline - performance.now();
      if (left <= 0) break;
      const { setTimeout: pause } = await import("node:timers/promises");
      await pause(Math.min(ms, left), undefined, signal && { signal });
    }
    handle.close();
    return undefined;
  } catch (error) {
    handle.close();
    signal?.throwIfAborted(); // the pause's own error lacks the reason
    throw error;
  }
}

/** The smallest page of SQLite, and the largest, which a lock file doesn't exceed; in bytes. */
const SMALLEST_DATABASE = 512;
const LARGEST_PAGE = 65_536;

/** Whether a process is syncing or rebuilding the database. Doesn't create or repair the lock file. */
export async function isWriterLocked(path: string): Promise<boolean> {
  const lock = statSync(path + LOCKS.sync.side, { throwIfNoEntry: false });
  if (!lock || lock.size < SMALLEST_DATABASE) return false;
  const acquired = await acquireLock(path, "sync", { timeoutMs: 0 });
  acquired?.release();
  return acquired === undefined;
}

async function openLock(file: string): Promise<SQLite.Database> {
  const Handle = await loadDriver();
  // Only if it doesn't exist: closing a descriptor releases all locks of the process on the file.
  if (!isLockFile(file)) createPrivateFile(file);
  const handle = new Handle(file, { timeout: 0 });
  try {
    if (!isDatabase(handle)) {
      handle.close();
      rmSync(file, { force: true }); // no process can have locked a file that SQLite can't open
      return openLock(file);
    }
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

/**
 * Whether a lock file exists. Because it is written to, a link, a second name of another file, a pipe or a file that is
 * too large is rejected. Doesn't open the file, for the reason above.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE` if it isn't a lock file
 */
function isLockFile(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return false;
  if (stat.isFile() && stat.nlink <= 1 && stat.size <= LARGEST_PAGE) return true;
  const kind = stat.isSymbolicLink() ? "a link" : stat.isFile() ? "another file" : "not a file";
  throw new PidexError(
    "DATABASE_UNAVAILABLE",
    `${file} is ${kind}, not a pidex lock file`,
    `Delete ${file}.`,
  );
}

/** Whether a lock file is a database, or empty: after a crash it may be incomplete. */
function isDatabase(handle: SQLite.Database): boolean {
  try {
    handle.pragma("user_version");
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "SQLITE_BUSY") return true;
    if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") return false;
    throw error;
  }
}

/** Creates an empty file unless it exists. Only its owner can read it, regardless of the umask. */
export function createPrivateFile(path: string): void {
  const fd = openSync(path, "a", 0o600);
  try {
    fchmodSync(fd, 0o600);
  } finally {
    closeSync(fd);
  }
}

function lock(handle: SQLite.Database, begin: string): boolean {
  try {
    // Locking an empty file for writing would write its first page and a journal.
    if (handle.pragma("user_version", { simple: true }) !== LAID_OUT) {
      // It has no content to protect.
      handle.exec(
        `PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA user_version = ${LAID_OUT}`,
      );
    }
    handle.exec(begin);
    return true;
  } catch (error) {
    if (!systemCode(error)?.startsWith("SQLITE_BUSY")) throw error;
    if (handle.inTransaction) handle.exec("ROLLBACK");
    return false;
  }
}

let probes = 0;

/**
 * Whether files in the folder of a database can be locked, tried with a new file. Network file systems without a lock
 * service fail every attempt as if another process had the lock.
 */
export async function canLock(path: string): Promise<boolean> {
  const probe = `${path}.probe-${process.pid}-${probes++}`;
  const handle = await openLock(probe);
  try {
    return lock(handle, "BEGIN EXCLUSIVE");
  } finally {
    handle.close();
    rmSync(probe, { force: true });
  }
}
