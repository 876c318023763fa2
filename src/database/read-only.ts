import { readFileSync } from "node:fs";
import { systemCode } from "../errors.ts";
import type { Database } from "./open.ts";
import { prepared } from "./prepared.ts";
import { Reader } from "./reader.ts";
import { identityOf } from "./replaced.ts";

/** What it is to have no right to write somewhere, by the system's words and by SQLite's. */
const NO_RIGHT = /^(EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN)/;

export function isReadOnlyPlace(error: unknown): boolean {
  return NO_RIGHT.test(systemCode(error) ?? "");
}

/** Where the header says how the file is written and read: 1 by a rollback journal, 2 by a log. */
const FORMAT_OFFSETS = [18, 19];

/**
 * Opens a database where nothing may be written, as it was at the end of its last log. SQLite needs a place beside it for
 * the index of a log even to read it, so it is read into memory, marked as one that has none.
 *
 * @returns undefined when it is of another version: it cannot be migrated there
 * @throws the error of `fs` when it cannot be read either
 */
export async function openCopy(path: string, knownVersion: number): Promise<Database | undefined> {
  const { default: Handle } = await import("better-sqlite3");
  const bytes = readFileSync(path);
  for (const offset of FORMAT_OFFSETS) bytes[offset] = 1;
  const handle = new Handle(bytes, { readonly: true });
  if (handle.pragma("user_version", { simple: true }) !== knownVersion) {
    handle.close();
    return undefined;
  }
  return {
    path,
    identity: identityOf(path) ?? "",
    writer: handle, // what tries to write by it is told that it cannot
    reader: new Reader(handle),
    readerHandle: handle,
    knownVersion,
    version: prepared(handle, "PRAGMA user_version"),
    generation: prepared(handle, "SELECT id FROM generation"),
    close: async () => {
      handle.close();
    },
  };
}
