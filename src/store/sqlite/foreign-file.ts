import { accessSync, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { PidexError, systemCode } from "../../errors.ts";

/** "pidx", by which a database is known to be ours. */
export const APPLICATION_ID = 0x70696478;

/** Names that a database of ours may have: its own, that beside a newer pidex's, that of a rebuild. */
const OURS = /\.db(\.v\d+|\.rebuild)?$/;

const SQLITE_MAGIC = "SQLite format 3\0";
const APPLICATION_ID_OFFSET = 68;
/** Changes with every table that is made or dropped. */
const SCHEMA_COOKIE_OFFSET = 40;

/**
 * Looks at a file's header alone: SQLite itself would write to a database it only opens and closes.
 *
 * @throws PidexError `FOREIGN_DATABASE` for what is not ours to write to; the error of `fs` when it cannot be read
 */
export function refuseForeign(path: string): void {
  const header = headerOf(path);
  if (!header) return;
  const isDatabase = header.toString("latin1", 0, SQLITE_MAGIC.length) === SQLITE_MAGIC;
  const isBlank = (offset: number) => header.length > offset && header.readInt32BE(offset) === 0;
  if (isDatabase && header.length > APPLICATION_ID_OFFSET) {
    if (header.readInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
    // Nobody's yet: another pidex may be about to make it its own this very moment.
    if (isBlank(APPLICATION_ID_OFFSET) && isBlank(SCHEMA_COOKIE_OFFSET)) return;
  }
  // An empty file is a new database, and one that lost its header is known by its name.
  if (!isDatabase && (header.length === 0 || OURS.test(path))) return;
  const what = isDatabase ? "the database of another program" : "no database of pidex";
  throw foreign(path, what);
}

/** The first bytes of a file; undefined when there is none. */
function headerOf(path: string): Buffer | undefined {
  let fd: number;
  try {
    // Without O_NONBLOCK, opening a pipe would hang.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() && !stat.isDirectory()) throw foreign(path, "no file");
    const header = Buffer.alloc(APPLICATION_ID_OFFSET + 4);
    return header.subarray(0, readSync(fd, header, 0, header.length, 0));
  } finally {
    closeSync(fd);
  }
}

function foreign(path: string, what: string): PidexError {
  return new PidexError("FOREIGN_DATABASE", `${path} is ${what}`, ELSEWHERE);
}

const ELSEWHERE = "Name another file with --db or PIDEX_DB.";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Rejects a writable database owned by another user, who could read the index. One that can only be read is fine.
 *
 * @returns what to tell root, who may do anything, of another user's file
 * @throws PidexError `FOREIGN_DATABASE` for another user's file that may be written
 */
export function refuseOtherUsers(path: string): string | undefined {
  const self = process.geteuid?.();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (self === undefined || !stat || stat.uid === self) return undefined;
  const what = `belongs to another user (${stat.uid})`;
  if (self === 0) return `${path} ${what}, who can read what is indexed`;
  if ((stat.mode & WRITABLE_BY_OTHERS) === 0 || !isWritable(path)) return undefined;
  const message = `${path} ${what}, who could read your sessions in it`;
  throw new PidexError("FOREIGN_DATABASE", message, ELSEWHERE);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
