import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";
import { decodePath, encodePath } from "../../path-bytes.ts";

/** How long to wait for the lock, and the age at which a lock is stale even if its process may run on another machine. */
const TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 10;

/**
 * Runs `work`, which replaces a session file, while holding a lock, so that one process does so at a time. Appending needs no lock.
 * The lock of a dead process is removed.
 *
 * @throws PidexError `SESSION_CHANGED` if another process does not release the lock in time
 */
export function withRewriteLock<T>(path: string, work: () => T): T {
  const lock = toLockPath(path);
  const began = Date.now();
  while (!tryLock(lock)) {
    assertFile(lock);
    const stat = lstatSync(encodePath(lock), { throwIfNoEntry: false });
    if (!stat) continue; // released: removing it now could remove the lock of the next process
    if (!isHeldBy(lock, stat)) remove(lock);
    else if (Date.now() - began > TIMEOUT_MS) {
      const hint = `Try again. If no process is rewriting it, delete ${lock}.`;
      throw new PidexError("SESSION_CHANGED", `${path} is being rewritten by another process`, hint);
    } else sleep(POLL_INTERVAL_MS);
  }
  try {
    removeLeftovers(path);
    return work();
  } finally {
    remove(lock);
  }
}

/** A name for the temporary file that will replace a session file. */
export function temporaryName(path: string): string {
  // Not node:crypto, which commands that only read settings would load too.
  return `${path}.${Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex")}.tmp`;
}

/** Removes temporary files of killed processes. Safe while holding the lock. */
function removeLeftovers(path: string): void {
  const name = basename(path);
  for (const other of readdirSync(encodePath(dirname(path)), "buffer").map(decodePath)) {
    const isLeftover = other.startsWith(name) && /^\.[0-9a-f]{8}\.tmp$/.test(other.slice(name.length));
    if (isLeftover) remove(join(dirname(path), other));
  }
}

/** Waits until no process is rewriting a session, at most `TIMEOUT_MS`. */
export function waitForRewrite(path: string): void {
  const lock = toLockPath(path);
  for (const began = Date.now(); isHeld(lock) && Date.now() - began < TIMEOUT_MS; ) sleep(POLL_INTERVAL_MS);
}

function toLockPath(path: string): string {
  return `${path}.lock`;
}

function tryLock(lock: string): boolean {
  let fd: number;
  try {
    fd = openSync(encodePath(lock), "wx");
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, [process.pid, getStartTime(process.pid) ?? ""].join(" ").trim());
    return true;
  } catch (error) {
    remove(lock); // on a full disk, the file can be created but not written
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Whether the lock exists and its process is alive. Only a regular file counts as a lock. */
function isHeld(lock: string): boolean {
  const stat = lstatSync(encodePath(lock), { throwIfNoEntry: false });
  return stat !== undefined && isHeldBy(lock, stat);
}

function isHeldBy(lock: string, stat: Stats): boolean {
  return stat.isFile() && Date.now() - stat.mtimeMs <= TIMEOUT_MS && isHolderAlive(lock, stat);
}

/** @param stat of the lock file */
function isHolderAlive(lock: string, { mtimeMs }: Stats): boolean {
  const [pid = 0, started] = readOrNothing(lock).split(" ").map(Number);
  if (!pid) return Date.now() - mtimeMs < 1_000; // just created: the pid is not written yet
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return false;
  }
  return started === undefined || started === getStartTime(pid);
}

/** Index of the start time in `/proc/PID/stat`, counted after the program's name. */
const START_FIELD = 19;

/**
 * The start time of a process in ticks since boot, because pids are reused. Undefined if the system does not provide it.
 */
function getStartTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD]);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** More than the content of a lock. */
const MAX_LOCK_BYTES = 64;

function readOrNothing(lock: string): string {
  let fd: number;
  try {
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    fd = openSync(encodePath(lock), flags);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
  try {
    const bytes = Buffer.alloc(MAX_LOCK_BYTES);
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, MAX_LOCK_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

/** @throws PidexError `SESSION_CHANGED` if the lock's path is not a regular file, which pidex must not remove */
function assertFile(lock: string): void {
  const stat = lstatSync(encodePath(lock), { throwIfNoEntry: false });
  if (!stat || stat.isFile()) return;
  const message = `${lock} is not a file, so the session cannot be locked for rewriting`;
  throw new PidexError("SESSION_CHANGED", message, `Delete ${lock}.`);
}

function remove(lock: string): void {
  try {
    unlinkSync(encodePath(lock));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error; // another process removed it too
  }
}

/** Sleeps synchronously, because pi's methods are synchronous. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
