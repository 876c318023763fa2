import { randomBytes } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";

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
  for (const other of readdirSync(dirname(path))) {
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
    fd = openSync(lock, "wx");
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, String(process.pid));
    return true;
  } catch (error) {
    remove(lock); // a full disk takes a name, but no number with it
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Whether the lock is there, and its process lives. */
function isHeld(lock: string): boolean {
  const stat = statSync(lock, { throwIfNoEntry: false });
  if (!stat) return false;
  if (Date.now() - stat.mtimeMs > PATIENCE_MS) return false;
  const pid = Number(readOrNothing(lock));
  if (!pid) return Date.now() - stat.mtimeMs < 1_000; // taken just now, its number still to come
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

function readOrNothing(lock: string): string {
  try {
    return readFileSync(lock, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}

function remove(lock: string): void {
  try {
    unlinkSync(lock);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error; // another process found it abandoned too
  }
}

/** All of this is synchronous, as pi's methods are. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
