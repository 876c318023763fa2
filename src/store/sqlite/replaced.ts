import { statSync } from "node:fs";

/**
 * Whether somebody emptied a database (`: > index.db`) that is, or was, open: its log is there still. SQLite would wait for
 * whoever has it open, who cannot end what they began. A new one is never empty when it gets a log.
 */
export function isEmptied(path: string): boolean {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  return size(path) === 0 && size(`${path}-wal`) !== undefined;
}

/** Thrown in the middle of work on a database that is no longer the one that was opened: it is to be done again. */
export class ReplacedDatabase extends Error {
  constructor() {
    super("the database was replaced by another");
  }
}
