import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode, toMessage } from "../../errors.ts";

const ELSEWHERE = "Choose a file in a writable folder with --db or PIDEX_DB.";

/** SQLite's limit is 512 bytes, and the names of side files are up to 32 bytes longer. */
const MAX_PATH_BYTES = 480;

/** Converts an error in opening or using a database to a PidexError. */
export function toUnavailableError(path: string, error: unknown): PidexError {
  if (error instanceof PidexError) return error;
  const reason = toMessage(error);
  const code = systemCode(error) ?? "";
  if (code.startsWith("SQLITE_BUSY")) {
    return new PidexError("DATABASE_BUSY", `${path} is in use: ${reason}`, "Try again in a moment.", {
      cause: error,
    });
  }
  const unavailable = (message: string, hint: string) =>
    new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause: error });
  const bytes = Buffer.byteLength(path);
  if (code === "SQLITE_CANTOPEN" && bytes > MAX_PATH_BYTES) {
    const message = `${path} cannot be opened: the path is ${bytes} bytes long; the maximum is ${MAX_PATH_BYTES}, because SQLite needs room for the names of its side files`;
    return unavailable(message, "Choose a shorter path with --db or PIDEX_DB.");
  }
  if (isDiskFull(path, code)) {
    const hint = `Free some space on the disk. ${ELSEWHERE}`;
    return unavailable(`${path} cannot be used: the disk is full`, hint);
  }
  return unavailable(`${path} cannot be used: ${reason}`, ELSEWHERE);
}

/** Error codes of the system and SQLite for a full disk. */
const FULL = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "ENOSPC", "EDQUOT"];

/** Space that a log's index needs. With less, SQLite only reports an I/O error, or that it cannot open a file. */
const MIN_FREE_BYTES = 64 << 10;

/** Whether an error's code, at a path, means that its disk is full. */
export function isDiskFull(path: string, code: string): boolean {
  if (FULL.includes(code)) return true;
  // READONLY: on a full disk, a database is opened as a read-only copy.
  if (!/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return false;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < MIN_FREE_BYTES;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // the folder doesn't exist, which is the cause
  }
}

/** Error codes that a database causes: SQLite's, and the system's for a folder that isn't writable. */
const DATABASE_ERROR = /^(SQLITE_|EROFS|EACCES|EPERM|ENOSPC|EDQUOT)/;

/** Converts errors of SQLite and of the disk to PidexErrors. Returns other errors unchanged. */
export function toDatabaseError(path: string, error: unknown): unknown {
  return DATABASE_ERROR.test(systemCode(error) ?? "") ? toUnavailableError(path, error) : error;
}
