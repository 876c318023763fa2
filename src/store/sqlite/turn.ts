import { closeSync, fchmodSync, lstatSync, openSync, rmSync, statSync } from "node:fs";
import type SQLite from "better-sqlite3";
import { PidexError, systemCode } from "../../errors.ts";

/**
 * What a turn is for. One syncs at a time. Any number open the database together, while nobody puts a file in its place.
 */
type Purpose = "sync" | "open" | "replace";

/**
 * Which lock beside the database, and SQLite's own kinds of it: reserved, shared, exclusive. The kernel takes them back
 * when their process ends, however it ends.
 */
const LOCKS: Record<Purpose, { side: string; begin: string }> = {
  sync: { side: ".turn", begin: "BEGIN IMMEDIATE" },
  open: { side: ".open", begin: "BEGIN; SELECT count(*) FROM sqlite_schema" },
  replace: { side: ".open", begin: "BEGIN EXCLUSIVE" },
};

/** The files that locks are on. They stay, since one that is deleted would be two. */
export const LOCK_FILES = [".turn", ".open"];

const LAID_OUT = 1;

/** How often it is asked again, in milliseconds: at first at once, since most turns are short. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

export interface TurnOptions {
  /** How long it is waited for, in milliseconds; `Infinity` waits until it comes. */
  patienceMs: number;
  signal?: AbortSignal | undefined;
}

export interface Turn {
  release(): void;
}

/**
 * Waits for a turn at a database, between processes and within one. It is a lock on a SQLite database beside it, in which
 * nothing stands, and which stays there: rows are locked by SQLite itself all the same, this keeps many from doing the
 * same work.
 *
 * @returns undefined when it did not come in time
 * @throws the signal's reason when aborted, and the system's error where the lock file cannot be made
 */
export async function takeTurn(
  path: string,
  purpose: Purpose,
  { patienceMs, signal }: TurnOptions,
): Promise<Turn | undefined> {
  const { side, begin } = LOCKS[purpose];
  const handle = await openLock(path + side);
  try {
    let deadline: number | undefined; // the clock, and what pauses, are loaded by who must wait
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      signal?.throwIfAborted();
      if (lock(handle, begin)) return { release: () => handle.close() };
      deadline ??= performance.now() + patienceMs;
      const left = deadline - performance.now();
      if (left <= 0) break;
      const { setTimeout: pause } = await import("node:timers/promises");
      await pause(Math.min(ms, left), undefined, signal && { signal });
    }
    handle.close();
    return undefined;
  } catch (error) {
    handle.close();
    signal?.throwIfAborted(); // the pause's own error says nothing of why
    throw error;
  }
}

/** The least that SQLite writes, and the most that a lock file holds: one page of any size. */
const SMALLEST_DATABASE = 512;
const LARGEST_PAGE = 65_536;

/** Whether somebody syncs the database, or rebuilds it, at this moment. Makes and mends no lock file. */
export async function isTurnTaken(path: string): Promise<boolean> {
  const lock = statSync(path + LOCKS.sync.side, { throwIfNoEntry: false });
  if (!lock || lock.size < SMALLEST_DATABASE) return false;
  const turn = await takeTurn(path, "sync", { patienceMs: 0 });
  turn?.release();
  return turn === undefined;
}

async function openLock(file: string): Promise<SQLite.Database> {
  const { default: Handle } = await import("better-sqlite3");
  // Only where there is none: closing a descriptor takes all locks on a file from its process.
  if (!isLockFile(file)) makePrivateFile(file);
  const handle = new Handle(file, { timeout: 0 });
  try {
    if (!isDatabase(handle)) {
      handle.close();
      rmSync(file, { force: true }); // nobody can have a lock on what nobody can open
      return openLock(file);
    }
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

/**
 * Whether a lock file is there. It is written to, so what others put there is not taken for one: a link, a second name
 * of another file, a pipe, what is too large. Only looks at the name: see above.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE` for what is no lock file
 */
function isLockFile(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return false;
  if (stat.isFile() && stat.nlink <= 1 && stat.size <= LARGEST_PAGE) return true;
  const kind = stat.isSymbolicLink() ? "a link" : stat.isFile() ? "another file" : "not a file";
  throw new PidexError("DATABASE_UNAVAILABLE", `${file} is ${kind}, not a lock of pidex`, `Delete ${file}.`);
}

/** Whether a lock file is one, or empty: a disk may have kept half of it. */
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

/** Makes an empty file, or leaves one that is there, that its owner alone may read, whatever the umask takes away. */
export function makePrivateFile(path: string): void {
  const fd = openSync(path, "a", 0o600);
  try {
    fchmodSync(fd, 0o600);
  } finally {
    closeSync(fd);
  }
}

function lock(handle: SQLite.Database, begin: string): boolean {
  try {
    // An empty file would get its first page, and a journal, from whoever locks it for writing.
    if (handle.pragma("user_version", { simple: true }) !== LAID_OUT) {
      // Nothing is kept in it that a disk might lose.
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
 * Whether files can be locked in the folder of a database, tried on a file that no other process knows. Network file
 * systems without a lock service answer every attempt as if somebody else had the lock.
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
