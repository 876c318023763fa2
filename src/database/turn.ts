import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type SQLite from "better-sqlite3";
import { systemCode } from "../errors.ts";

/**
 * What a turn is for. Who opens the database may do so while another syncs; who syncs is the only one that does;
 * who puts another file in its place is alone.
 */
type Purpose = "open" | "sync" | "replace";

/** SQLite's own locks: shared, reserved, exclusive. The kernel takes them back when their process ends, however it ends. */
const LOCK: Record<Purpose, string> = {
  open: "BEGIN; SELECT count(*) FROM sqlite_schema",
  sync: "BEGIN IMMEDIATE",
  replace: "BEGIN EXCLUSIVE",
};

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
 * nothing stands, and which stays there: rows are locked by SQLite itself all the same, this keeps many from doing the same work.
 *
 * @returns undefined when it did not come in time
 * @throws the signal's reason when aborted, and the system's error where the lock file cannot be made
 */
export async function takeTurn(
  path: string,
  purpose: Purpose,
  { patienceMs, signal }: TurnOptions,
): Promise<Turn | undefined> {
  const handle = await openLock(path);
  try {
    const deadline = performance.now() + patienceMs;
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      signal?.throwIfAborted();
      if (lock(handle, purpose)) return { release: () => handle.close() };
      const left = deadline - performance.now();
      if (left <= 0) break;
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

/** Whether somebody syncs, or replaces, the database at this moment. */
export async function isTurnTaken(path: string): Promise<boolean> {
  const turn = await takeTurn(path, "sync", { patienceMs: 0 });
  turn?.release();
  return turn === undefined;
}

async function openLock(path: string): Promise<SQLite.Database> {
  const { default: Handle } = await import("better-sqlite3");
  const file = `${path}.turn`;
  // Only where there is none: closing a descriptor takes all locks on a file from its process.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  return new Handle(file, { timeout: 0 });
}

function lock(handle: SQLite.Database, purpose: Purpose): boolean {
  try {
    // An empty file would get its first page, and a journal, from whoever locks it for writing.
    if (handle.pragma("user_version", { simple: true }) !== LAID_OUT)
      handle.pragma(`user_version = ${LAID_OUT}`);
    handle.exec(LOCK[purpose]);
    return true;
  } catch (error) {
    if (!systemCode(error)?.startsWith("SQLITE_BUSY")) throw error;
    if (handle.inTransaction) handle.exec("ROLLBACK");
    return false;
  }
}
