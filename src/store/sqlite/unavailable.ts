import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";

const ELSEWHERE = "Name a file in a folder you may write with --db or PIDEX_DB.";

/** SQLite takes paths of 512 bytes, and those of the files beside a database have up to 32 more. */
const LONGEST_PATH_BYTES = 480;

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
  const bytes = Buffer.byteLength(path);
  if (code === "SQLITE_CANTOPEN" && bytes > LONGEST_PATH_BYTES) {
    const message = `${path} cannot be opened: its path has ${bytes} bytes, and SQLite takes ${LONGEST_PATH_BYTES}`;
    const hint = "Name a file with a shorter path with --db or PIDEX_DB.";
    return new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause: error });
  }
  if (isFull(path, code)) {
    const hint = `Free some room on its disk. ${ELSEWHERE}`;
    return new PidexError("DATABASE_UNAVAILABLE", `${path} cannot be used: its disk is full`, hint, {
      cause: error,
    });
  }
  return new PidexError("DATABASE_UNAVAILABLE", `${path} cannot be used: ${reason}`, ELSEWHERE, {
    cause: error,
  });
}

/** What the system and SQLite call a full disk, where they have a word for it. */
const FULL = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "ENOSPC", "EDQUOT"];

/** Less room than the index of a log needs: then SQLite only speaks of an I/O error, or cannot open a file. */
const SMALLEST_ROOM_BYTES = 64 << 10;

/** Whether an error's code, at a path, means that its disk is full. */
export function isFull(path: string, code: string): boolean {
  if (FULL.includes(code)) return true;
  // A database that was opened as a copy, for want of room, can only be read.
  if (!/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return false;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < SMALLEST_ROOM_BYTES;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // the folder is not there: that is what is wrong
  }
}

/** What a database fails with: SQLite's errors, and the system's where nothing may be written beside it. */
const OF_THE_DATABASE = /^(SQLITE_|EROFS|EACCES|EPERM|ENOSPC|EDQUOT)/;

/** What SQLite or the disk threw, in words; all else as it is. */
export function inWords(path: string, error: unknown): unknown {
  return OF_THE_DATABASE.test(systemCode(error) ?? "") ? unavailable(path, error) : error;
}
