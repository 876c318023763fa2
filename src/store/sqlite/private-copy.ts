import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFileStamp } from "../../file-identity.ts";

/** A copy of a database and its write-ahead log, in a folder that SQLite can write to. */
export interface PrivateCopy {
  path: string;
  remove(): void;
}

/** Attempts at copying a database that changes meanwhile. */
const MAX_TRIES = 3;

/** Whether a database has a write-ahead log that isn't empty. */
export function hasWriteAheadLog(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0;
}

/**
 * Copies a database and its log to a temporary folder that only its owner can read. Without the log, the database is
 * outdated or even inconsistent: a process that was killed in a checkpoint leaves some old pages and some new ones. To
 * read a log, SQLite must be able to write its index (`-shm`) beside it, which a read-only folder prevents.
 *
 * @throws the error of `fs` if a temporary file cannot be written
 */
export function copyWithLog(path: string): PrivateCopy {
  const folder = mkdtempSync(join(tmpdir(), "pidex-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, "index.db");
  try {
    for (let tries = 1; ; tries++) {
      const before = stamp(path);
      // The log first: a checkpoint after that makes it redundant, but one between the two copies would lose its pages.
      for (const side of ["-wal", ""]) {
        if (side !== "" && !existsSync(path + side)) continue;
        copyFileSync(path + side, copy + side);
        chmodSync(copy + side, 0o600); // the copy of a read-only file is read-only
      }
      if (stamp(path) === before || tries >= MAX_TRIES) return { path: copy, remove };
      rmSync(`${copy}-wal`, { force: true });
    }
  } catch (error) {
    remove();
    throw error;
  }
}

function stamp(path: string): string {
  return `${getFileStamp(path)} ${getFileStamp(`${path}-wal`)}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
