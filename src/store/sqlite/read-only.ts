import { readFileSync } from "node:fs";
import type SQLite from "better-sqlite3";
import { systemCode } from "../../errors.ts";
import { loadDriver } from "./driver.ts";
import { copyWithLog, hasWriteAheadLog } from "./private-copy.ts";

/** Error codes of the system and of SQLite for missing write permission. */
const NOT_WRITABLE = /^(EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN)/;

export function isWriteDenied(error: unknown): boolean {
  return NOT_WRITABLE.test(systemCode(error) ?? "");
}

/** Offsets of the write and read versions in the header: 1 for a rollback journal, 2 for WAL. */
const FORMAT_OFFSETS = [18, 19];

/**
 * Opens a database in a read-only place for reading, including its log. To read a log, SQLite writes an index beside it,
 * so a database with a log is copied to a temporary folder. One without is read into memory and marked as not using WAL.
 *
 * @throws the error of `fs` if it cannot be read or copied
 */
export function openReadOnlyCopy(path: string): Promise<SQLite.Database> {
  return hasWriteAheadLog(path) ? openPrivately(path) : openInMemory(path);
}

async function openInMemory(path: string): Promise<SQLite.Database> {
  const Handle = await loadDriver();
  const bytes = readFileSync(path);
  for (const offset of FORMAT_OFFSETS) bytes[offset] = 1;
  return new Handle(bytes, { readonly: true });
}

async function openPrivately(path: string): Promise<SQLite.Database> {
  const Handle = await loadDriver();
  const copy = copyWithLog(path);
  try {
    // Moves the log's pages into the copy, which is a single file from then on.
    const writer = new Handle(copy.path);
    try {
      writer.pragma("journal_mode = DELETE");
    } finally {
      writer.close();
    }
    const handle = new Handle(copy.path, { readonly: true });
    handle.prepare("SELECT count(*) FROM sqlite_schema").get(); // SQLite opens the file at the first query
    return handle;
  } finally {
    copy.remove(); // stays readable while it is open, and nothing remains when the process ends
  }
}
