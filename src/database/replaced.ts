import { statSync } from "node:fs";

/** Which file a path leads to: device and inode. Undefined when to none. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Thrown in the middle of work on a database that is no longer the one that was opened: it is to be done again. */
export class ReplacedDatabase extends Error {
  constructor() {
    super("the database was replaced by another");
  }
}
