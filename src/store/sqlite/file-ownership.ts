import { accessSync, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { PidexError, systemCode } from "../../errors.ts";

/** "pidx": SQLite's `application_id` of our databases. */
export const APPLICATION_ID = 0x70696478;

/** File names of our databases: the normal one, one beside a newer pidex's, and that of a rebuild. */
const OURS = /\.db(\.v\d+|\.rebuild)?$/;

const SQLITE_MAGIC = "SQLite format 3\0";
const APPLICATION_ID_OFFSET = 68;
/** Changes with every table that is created or dropped. */
const SCHEMA_COOKIE_OFFSET = 40;

/**
 * Checks that a file is our database, or a new one. Reads only the header: SQLite writes even to a database that it just
 * opens and closes.
 *
 * @throws PidexError `FOREIGN_DATABASE` if it isn't; the error of `fs` if it cannot be read
 */
export function assertOwnDatabase(path: string): void {
  const header = headerOf(path);
  if (!header) return;
  const isDatabase = header.toString("latin1", 0, SQLITE_MAGIC.length) === SQLITE_MAGIC;
  const isBlank = (offset: number) => header.length > offset && header.readInt32BE(offset) === 0;
  if (isDatabase && header.length > APPLICATION_ID_OFFSET) {
    if (header.readInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
    // Not marked yet: another pidex process may be creating it right now.
    if (isBlank(APPLICATION_ID_OFFSET) && isBlank(SCHEMA_COOKIE_OFFSET)) return;
  }
  // An empty file is a new database, and one with a damaged header is recognized by its name.
  if (!isDatabase && (header.length === 0 || OURS.test(path))) return;
  const what = isDatabase ? "the database of another program" : "not a pidex database";
  throw foreign(path, what);
}

/** The first bytes of a file, or undefined if it doesn't exist. */
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
    if (!stat.isFile() && !stat.isDirectory()) throw foreign(path, "not a regular file");
    const header = Buffer.alloc(APPLICATION_ID_OFFSET + 4);
    return header.subarray(0, readSync(fd, header, 0, header.length, 0));
  } finally {
    closeSync(fd);
  }
}

function foreign(path: string, what: string): PidexError {
  return new PidexError("FOREIGN_DATABASE", `${path} is ${what}`, ELSEWHERE);
}

const ELSEWHERE = "Choose another file with --db or PIDEX_DB.";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Rejects a writable database owned by another user, who could read the index. A read-only one is allowed.
 *
 * @returns a notice for root, who is allowed to use another user's file
 * @throws PidexError `FOREIGN_DATABASE` for a writable file of another user
 */
export function assertSameUser(path: string): string | undefined {
  const self = process.geteuid?.();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (self === undefined || !stat || stat.uid === self) return undefined;
  const what = `belongs to another user (${stat.uid})`;
  if (self === 0) return `${path} ${what}, who can read the indexed text`;
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
