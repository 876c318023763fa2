import { randomBytes } from "node:crypto";
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
import { fsPath, pathText } from "../../path-bytes.ts";

/** How long a rewriter is waited for; and after how long a lock of another machine, whose processes we cannot see, is old. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 10;

/**
 * Does a work that puts another file in the place of a session's: one process at a time. Those who append don't take the
 * lock, and are not held up by it. That of a process that died is nobody's.
 *
 * @throws PidexError `SESSION_CHANGED` when another process does not come to an end
 */
export function whileRewriting<T>(path: string, work: () => T): T {
  const lock = lockOf(path);
  const began = Date.now();
  while (!taken(lock)) {
    assertFile(lock);
    if (!isHeld(lock)) remove(lock);
    else if (Date.now() - began > PATIENCE_MS) {
      const hint = `Try again; if no process is at it, delete ${lock}.`;
      throw new PidexError("SESSION_CHANGED", `${path} is being rewritten by another process`, hint);
    } else pause(LOOK_MS);
  }
  try {
    removeLeftovers(path);
    return work();
  } finally {
    remove(lock);
  }
}

/** A name for the file that is to take a session's place. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(4).toString("hex")}.tmp`;
}

/** Removes what rewriters left that were killed: while the lock is ours, nobody is at work on them. */
function removeLeftovers(path: string): void {
  const name = basename(path);
  for (const other of readdirSync(fsPath(dirname(path)), "buffer").map(pathText)) {
    const isLeft = other.startsWith(name) && /^\.[0-9a-f]{8}\.tmp$/.test(other.slice(name.length));
    if (isLeft) remove(join(dirname(path), other));
  }
}

/** Waits until nobody rewrites a session, or for as long as one may wait for that. */
export function untilRewritten(path: string): void {
  const lock = lockOf(path);
  for (const began = Date.now(); isHeld(lock) && Date.now() - began < PATIENCE_MS; ) pause(LOOK_MS);
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

function taken(lock: string): boolean {
  let fd: number;
  try {
    fd = openSync(fsPath(lock), "wx");
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, [process.pid, startOf(process.pid) ?? ""].join(" ").trim());
    return true;
  } catch (error) {
    remove(lock); // a full disk takes a name, but no number with it
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Whether the lock is there, and its process lives. What is no file holds nothing back from being read.
 */
function isHeld(lock: string): boolean {
  const stat = lstatSync(fsPath(lock), { throwIfNoEntry: false });
  return stat?.isFile() === true && Date.now() - stat.mtimeMs <= PATIENCE_MS && isHolderAlive(lock, stat);
}

/** @param stat what the lock file was a moment ago */
function isHolderAlive(lock: string, { mtimeMs }: Stats): boolean {
  const [pid = 0, started] = readOrNothing(lock).split(" ").map(Number);
  if (!pid) return Date.now() - mtimeMs < 1_000; // taken just now, its number still to come
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return false;
  }
  return started === undefined || started === startOf(pid);
}

/** Where the start of a process stands in what Linux says of it, counted from behind the program's name. */
const START_FIELD = 19;

/**
 * When a process began, in ticks since the machine did: the number of one that ended is given to another. Undefined where
 * the system does not say.
 */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD]);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** More than a lock holds. */
const LOCK_BYTES = 64;

function readOrNothing(lock: string): string {
  let fd: number;
  try {
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    fd = openSync(fsPath(lock), flags);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
  try {
    const bytes = Buffer.alloc(LOCK_BYTES);
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, LOCK_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

/** @throws PidexError `SESSION_CHANGED` where something that is no file has the lock's name: it is not ours to remove */
function assertFile(lock: string): void {
  const stat = lstatSync(fsPath(lock), { throwIfNoEntry: false });
  if (!stat || stat.isFile()) return;
  const message = `${lock} is not a file, so the session cannot be locked for rewriting`;
  throw new PidexError("SESSION_CHANGED", message, `Delete ${lock}.`);
}

function remove(lock: string): void {
  try {
    unlinkSync(fsPath(lock));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error; // another process found it abandoned too
  }
}

/** All of this is synchronous, as pi's methods are. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
