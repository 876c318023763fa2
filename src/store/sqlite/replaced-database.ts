import { statSync } from "node:fs";
import { getFileIdentity } from "../../file-identity.ts";

/**
 * Whether a database was truncated to nothing (`: > index.db`) while it was open: its log still exists. SQLite would wait
 * for the processes that have it open, which cannot finish. A new database is never empty when it gets a log.
 */
export function isTruncated(path: string): boolean {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  return size(path) === 0 && size(`${path}-wal`) !== undefined;
}

/** Thrown when the database at the path is no longer the one that was opened. The work is repeated. */
export class DatabaseReplacedError extends Error {
  constructor() {
    super("the database was replaced by another");
  }
}

/** @throws DatabaseReplacedError if the file at an open database's path is not the one that was opened */
export function throwIfReplaced({ path, identity }: { path: string; identity: string }): void {
  if (getFileIdentity(path) !== identity) throw new DatabaseReplacedError();
}
