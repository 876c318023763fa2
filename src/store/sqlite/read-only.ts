import { readFileSync } from "node:fs";
import type SQLite from "better-sqlite3";
import { systemCode } from "../../errors.ts";
import { copyWithLog, hasLog } from "./private-copy.ts";

/** What it is to have no right to write somewhere, by the system's words and by SQLite's. */
const NO_RIGHT = /^(EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN)/;

export function isReadOnlyPlace(error: unknown): boolean {
  return NO_RIGHT.test(systemCode(error) ?? "");
}

/** Where the header says how the file is written and read: 1 by a rollback journal, 2 by a log. */
const FORMAT_OFFSETS = [18, 19];

/**
 * Opens a database where nothing may be written, with what its log holds. SQLite needs a place beside it for the index of
 * a log even to read it: one with a log is copied to where there is such a place. One without is read into memory, marked
 * as one that has none.
 *
 * @throws the error of `fs` when it cannot be read or copied
 */
export function openCopy(path: string): Promise<SQLite.Database> {
  return hasLog(path) ? openPrivately(path) : openInMemory(path);
}

async function openInMemory(path: string): Promise<SQLite.Database> {
  const { default: Handle } = await import("better-sqlite3");
  const bytes = readFileSync(path);
  for (const offset of FORMAT_OFFSETS) bytes[offset] = 1;
  return new Handle(bytes, { readonly: true });
}

async function openPrivately(path: string): Promise<SQLite.Database> {
  const { default: Handle } = await import("better-sqlite3");
  const copy = copyWithLog(path);
  try {
    // Moves what is in the log into the copy, which is one file from then on.
    const writer = new Handle(copy.path);
    try {
      writer.pragma("journal_mode = DELETE");
    } finally {
      writer.close();
    }
    const handle = new Handle(copy.path, { readonly: true });
    handle.prepare("SELECT count(*) FROM sqlite_schema").get(); // SQLite opens nothing before it is asked something
    return handle;
  } finally {
    copy.remove(); // open, it stays readable until it is closed, and nothing is left of it however the process ends
  }
}
