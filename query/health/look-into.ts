import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { PidexError, systemCode } from "../../src/errors.ts";
import { fileStamp } from "../../src/file-identity.ts";
import { refuseForeign } from "../../src/store/sqlite/foreign-file.ts";
import { copyWithLog, hasLog, type PrivateCopy } from "../../src/store/sqlite/private-copy.ts";
import type { FileProblem } from "../answers.ts";
import type { ProblemCount } from "./diagnosis.ts";
import type { Failed, FileLook, HealthMessage, PageFacts, Step } from "./health-messages.ts";

/** How many places of each kind of problem are told. */
const FIRST = 3;
/** How long another process's lock is waited for, in milliseconds. */
const BUSY_TIMEOUT_MS = 1_000;
/** How often it is looked again at a database that is written to meanwhile. */
const TRIES = 3;

type Tell = (message: HealthMessage) => Promise<void>;

/**
 * Looks into a database and writes nothing: neither in the file nor beside it. A database that nobody has open is read
 * as a file that cannot change (`immutable`), since SQLite would begin a write-ahead log for it, even where it only
 * reads; one that is open has its log, and is read through that. pidex's own driver cannot do the former, Node's can.
 * A log that a killed process left, and whose index may not be made there, is read in a temporary copy.
 */
export async function lookInto(path: string, prefixes: readonly string[], tell: Tell): Promise<void> {
  for (let left = TRIES; ; left--) {
    const before = stamp(path);
    const opened = await attempt("pages", tell, () => {
      refuseForeign(path);
      const journalMode = journalModeOf(path); // before SQLite locks it: closing a file ends its locks
      return open(path).then((database) => ({ ...database, journalMode }));
    });
    if (opened) {
      const { database, through, journalMode, copy } = opened;
      const unreadLog = through === "file" ? sizeOf(`${path}-wal`) : 0;
      await askAll(
        database,
        { prefixes, journalMode, unreadLog },
        unreadLog > 0 ? doubting(tell) : tell,
      ).finally(() => {
        database.close();
        copy?.remove();
      });
      if (through === "log") return;
    }
    // Who reads a file as if it could not change, while it does, sees what never was.
    if (stamp(path) === before || left === 1) return;
    await tell({ again: true });
  }
}

/** Without its log a database may be half old and half new: that it looks broken says nothing then. */
function doubting(tell: Tell): Tell {
  return async (message) => {
    if ("check" in message && message.check.length > 0) return;
    if (!("failed" in message)) return tell(message);
    const { because: _, ...failed } = message.failed;
    return tell({ failed });
  };
}

type Through = "log" | "file";

interface Opened {
  database: DatabaseSync;
  through: Through;
  /** Where it is a copy that is opened: to be removed. */
  copy?: PrivateCopy;
}

async function open(path: string): Promise<Opened> {
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) {
    try {
      return { database: await openThrough(path, "log"), through: "log" };
    } catch (error) {
      // On a read-only disk, or where the log is another user's, the file alone may still be read.
      if (meaningOf(error)) throw error;
    }
  }
  const copy = hasLog(path) ? copyOrNothing(path) : undefined;
  if (!copy) return { database: await openThrough(path, "file"), through: "file" };
  try {
    return { database: await openThrough(copy.path, "log"), through: "log", copy };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** A copy of a database with its log; undefined where there is no room for one. */
function copyOrNothing(path: string): PrivateCopy | undefined {
  try {
    return copyWithLog(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

async function openThrough(path: string, through: Through): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  const url = pathToFileURL(path);
  if (through === "file") url.searchParams.set("immutable", "1");
  const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec("PRAGMA temp_store = MEMORY");
    database.prepare("PRAGMA schema_version").get(); // SQLite opens nothing before it is asked something
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

interface What extends Pick<PageFacts, "journalMode" | "unreadLog"> {
  prefixes: readonly string[];
}

async function askAll(database: DatabaseSync, { prefixes, ...known }: What, tell: Tell): Promise<void> {
  const pages = await attempt("pages", tell, () => ({ ...pagesOf(database), ...known }));
  if (!pages) return;
  await tell({ pages });
  if (pages.schema > 0) {
    const files = await attempt("files", tell, () => filesOf(database));
    if (files) await tell({ files });
    const problems = await attempt("problems", tell, () => problemsOf(database, prefixes));
    if (problems) await tell({ problems });
  }
  // The last, since it takes longest. It looks into the full-text index too.
  const check = await attempt("check", tell, () =>
    database
      .prepare("PRAGMA quick_check(10)")
      .all()
      .map((row) => String(Object.values(row)[0]))
      .filter((said) => said !== "ok"),
  );
  if (check) await tell({ check });
}

function pagesOf(database: DatabaseSync): Pick<PageFacts, "schema" | "pages" | "freePages"> {
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const [schema, pages, freePages] = [pragma("user_version"), pragma("page_count"), pragma("freelist_count")];
  return { schema, pages, freePages };
}

/** As the file's header says: SQLite itself calls a database that it reads as a file one without a log. */
function journalModeOf(path: string): PageFacts["journalMode"] {
  const fd = openSync(path, "r");
  try {
    const format = Buffer.alloc(1);
    readSync(fd, format, 0, 1, 18);
    return format[0] === 2 ? "wal" : "rollback";
  } finally {
    closeSync(fd);
  }
}

function filesOf(database: DatabaseSync): FileLook[] {
  const rows = database.prepare(
    "SELECT path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction FROM file",
  );
  return rows.all() as unknown as FileLook[];
}

function problemsOf(database: DatabaseSync, prefixes: readonly string[]): ProblemCount[] {
  const rows = database.prepare(`
    SELECT file.path, problem.code, problem.line, problem.byte_offset AS byteOffset, problem.message
    FROM problem JOIN file ON file.id = problem.file_id
    ORDER BY file.path, problem.byte_offset, problem.rowid`);
  const counts = new Map<string, ProblemCount>();
  for (const row of rows.iterate()) {
    const problem = { ...row } as unknown as FileProblem; // Node's rows have no prototype
    if (!prefixes.some((prefix) => problem.path.startsWith(prefix))) continue;
    const { code } = problem;
    const counted = counts.get(code) ?? { code, count: 0, first: [] };
    counts.set(code, counted);
    counted.count++;
    if (counted.first.length < FIRST) counted.first.push(problem);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

/** Does something, or tells why it cannot be done. */
export async function attempt<T>(step: Step, tell: Tell, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const because = meaningOf(error);
    const message = error instanceof Error ? error.message : String(error);
    await tell({ failed: { step, message, ...(because && { because }) } });
    return undefined;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** What an error, of Node's SQLite for one, says of the database. The last byte of a code is what it is a kind of. */
function meaningOf(error: unknown): Failed["because"] {
  if (error instanceof PidexError) return error.code === "FOREIGN_DATABASE" ? "foreign" : undefined;
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  if (code === SQLITE_BUSY) return "busy";
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB ? "broken" : undefined;
}

/** What changes when somebody writes to a database, or opens it. */
function stamp(path: string): string {
  return `${fileStamp(path)} ${existsSync(`${path}-shm`)}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
