import { existsSync, renameSync } from "node:fs";
import type SQLite from "better-sqlite3";
import { PidexError, systemCode } from "../../errors.ts";
import { getFileIdentity } from "../../file-identity.ts";
import { toUnavailableError } from "./database-error.ts";
import { acquireLock } from "./lock.ts";
import { DatabaseReplacedError } from "./replaced-database.ts";

/** SQLite's messages for tables that differ from those our migrations created, or that FTS5 can't read. */
const NOT_OUR_TABLES = /^no such (table|column)|invalid fts5 file format|vtable constructor failed/;

/** Whether an error of SQLite means that the database file is broken. */
export function isCorruption(error: unknown): boolean {
  const code = systemCode(error) ?? "";
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return true;
  return code === "SQLITE_ERROR" && NOT_OUR_TABLES.test((error as Error).message);
}

/**
 * Whether a database that caused an unexpected error is damaged. Pages have no checksums, so impossible rows are often
 * the only symptom. Runs an integrity check of the whole file, so call it only after an error.
 */
export function isDamaged(db: SQLite.Database, error: unknown): boolean {
  if (isCorruption(error)) return true;
  const isUnexplained = error instanceof Error && !(error instanceof PidexError) && !isExpected(error);
  if (!isUnexplained) return false;
  try {
    return db.pragma("integrity_check(1)", { simple: true }) !== "ok";
  } catch (damage) {
    return isCorruption(damage);
  }
}

/** Errors that intact databases cause too: the system's, other kinds of SQLite errors, an aborted signal. */
function isExpected(error: Error): boolean {
  const code = systemCode(error);
  return (
    (code !== undefined && code !== "SQLITE_ERROR") ||
    error.name === "AbortError" ||
    error instanceof DatabaseReplacedError
  );
}

/** A broken database: its path, and the identity of the file. */
interface Broken {
  path: string;
  identity: string;
}

/**
 * Renames a broken database, holding the lock against opening: a process that opens the path in between would combine
 * the old log with a new file. Processes that have it open continue with it, and notice that it moved.
 *
 * @returns its new path, or undefined if another process has already moved it
 * @throws PidexError `DATABASE_BUSY` if the lock is not free within `patienceMs`, `DATABASE_UNAVAILABLE`
 */
export async function quarantineDatabase(
  { path, identity }: Broken,
  patienceMs: number,
): Promise<string | undefined> {
  const lock = await acquireLock(path, "replace", { timeoutMs: patienceMs });
  if (!lock) {
    const hint = "Try again in a moment, or stop the other pidex processes.";
    throw new PidexError("DATABASE_BUSY", `${path} is damaged, and another pidex process is using it`, hint);
  }
  try {
    return getFileIdentity(path) === identity ? quarantineFiles(path) : undefined;
  } catch (error) {
    throw toUnavailableError(path, error);
  } finally {
    lock.release();
  }
}

/** Renames a database and its side files to an unused name beside it. @returns the new path */
export function quarantineFiles(path: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  let quarantinePath = `${path}.broken-${stamp}`;
  for (let n = 2; existsSync(quarantinePath); n++) quarantinePath = `${path}.broken-${stamp}-${n}`;
  // The log first: a new database at this path must not find it.
  for (const side of ["-wal", "-shm", ""]) {
    if (existsSync(path + side)) renameSync(path + side, quarantinePath + side);
  }
  return quarantinePath;
}
