import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStamp } from "../../file-identity.ts";

/** A database and its write-ahead log, copied to where SQLite may work on them. */
export interface PrivateCopy {
  path: string;
  remove(): void;
}

/** How often a database is copied again that changed meanwhile. */
const TRIES = 3;

/** Whether a database has a write-ahead log with something in it. */
export function hasLog(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0;
}

/**
 * Copies a database and its log to a temporary folder that only its owner may read. Without the log, a database is as it
 * was a while ago, or not even whole: a process that is killed in a checkpoint leaves some pages old and some new. SQLite
 * reads a log only where it may make or write the log's index, which it may not where the database can only be read.
 *
 * @throws the error of `fs` where there is no place, or no room, for temporary files
 */
export function copyWithLog(path: string): PrivateCopy {
  const folder = mkdtempSync(join(tmpdir(), "pidex-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, "index.db");
  try {
    for (let tries = 1; ; tries++) {
      const before = stamp(path);
      // The log first: a checkpoint meanwhile makes it superfluous, but one that came after the pages would lack them.
      for (const side of ["-wal", ""]) {
        if (side !== "" && !existsSync(path + side)) continue;
        copyFileSync(path + side, copy + side);
        chmodSync(copy + side, 0o600); // one that may only be read makes a copy that may only be read
      }
      if (stamp(path) === before || tries >= TRIES) return { path: copy, remove };
      rmSync(`${copy}-wal`, { force: true });
    }
  } catch (error) {
    remove();
    throw error;
  }
}

function stamp(path: string): string {
  return `${fileStamp(path)} ${fileStamp(`${path}-wal`)}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
