import { PidexError, systemCode } from "../errors.ts";

const ELSEWHERE = "Name a file in a folder you may write with --db or PIDEX_DB.";

/** What to throw when a database that is open, or was to be opened, cannot be used. */
export function unavailable(path: string, error: unknown): PidexError {
  if (error instanceof PidexError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = systemCode(error) ?? "";
  if (code.startsWith("SQLITE_BUSY")) {
    return new PidexError("DATABASE_BUSY", `${path} is in use: ${reason}`, "Try again in a moment.", {
      cause: error,
    });
  }
  const hint = isFull(code) ? `Free some room on its disk. ${ELSEWHERE}` : ELSEWHERE;
  return new PidexError("DATABASE_UNAVAILABLE", `${path} cannot be used: ${reason}`, hint, { cause: error });
}

/** Where there is no room for the index of its log, SQLite only speaks of an I/O error. */
const FULL = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "ENOSPC", "EDQUOT"];

function isFull(code: string): boolean {
  return FULL.includes(code);
}

/** What a database fails with: SQLite's errors, and the system's where nothing may be written beside it. */
const OF_THE_DATABASE = /^(SQLITE_|EROFS|EACCES|EPERM|ENOSPC|EDQUOT)/;

/** What SQLite or the disk threw, in words; all else as it is. */
export function inWords(path: string, error: unknown): unknown {
  return OF_THE_DATABASE.test(systemCode(error) ?? "") ? unavailable(path, error) : error;
}
