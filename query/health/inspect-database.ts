import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { PidexError, systemCode, toMessage } from "../../src/errors.ts";
import { getFileStamp } from "../../src/file-identity.ts";
import { getOrInsert } from "../../src/get-or-insert.ts";
import type { FileStamp } from "../../src/store/local-reads.ts";
import { assertOwnDatabase } from "../../src/store/sqlite/file-ownership.ts";
import { copyWithLog, hasWriteAheadLog, type PrivateCopy } from "../../src/store/sqlite/private-copy.ts";
import type { FileProblem } from "../answers.ts";
import type { ProblemCount } from "./diagnosis.ts";
import type { FailedStep, HealthMessage, PageFacts, Step, StepResults } from "./health-messages.ts";

/** Number of problems reported per code. */
const MAX_PROBLEMS_PER_CODE = 3;
const MAX_CHECK_MESSAGES = 10;
/** What SQLite accepts at most. */
const MAX_MAPPED_BYTES = 0x7fff0000;
/** How long to wait for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 1_000;
/** Number of attempts if the database is written to meanwhile. */
const MAX_ATTEMPTS = 3;

type Report = (message: HealthMessage) => Promise<void>;

/**
 * Inspects a database without writing to the file or beside it. A database that no process has open is read as
 * `immutable`, because SQLite would create a write-ahead log even to read it; one that is open is read through its log.
 * Only Node's driver supports `immutable`, not pidex's own. A log left by a killed process, for which SQLite would have
 * to create a shared-memory file, is read in a temporary copy.
 */
export async function inspectDatabase(
  path: string,
  prefixes: readonly string[],
  report: Report,
): Promise<void> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    const before = stamp(path);
    let opened = undefined as Opened | undefined;
    let unreadLog = 0;
    const reportChecked: Report = async (message) => {
      const checked = unreadLog > 0 ? withoutVerdict(message) : message;
      if (checked) await report(checked);
    };
    try {
      const pages = await attemptStep("pages", reportChecked, async () => {
        assertOwnDatabase(path);
        const journalMode = readJournalMode(path); // before SQLite locks it: closing a file releases its locks
        opened = await open(path);
        if (opened.through === "file") unreadLog = fileSize(`${path}-wal`);
        return { ...readPages(opened.database), journalMode, unreadLog };
      });
      if (opened && pages) await inspectRows(opened.database, pages, prefixes, reportChecked);
    } finally {
      opened?.database.close();
      opened?.copy?.remove();
    }
    // If the file changed during an immutable read, the results are unreliable.
    if (opened?.through === "log" || stamp(path) === before || left === 1) return;
    await report({ again: true });
  }
}

/** Omits claims that the database is broken: without its log, pages of different versions may be mixed. */
function withoutVerdict(message: HealthMessage): HealthMessage | undefined {
  if ("check" in message && message.check && message.check.length > 0) return undefined;
  if (!("failed" in message)) return message;
  const { databaseState: _, ...failed } = message.failed;
  return { failed };
}

type Through = "log" | "file";

interface Opened {
  database: DatabaseSync;
  through: Through;
  /** The temporary copy that is open, if any; to be removed. */
  copy?: PrivateCopy;
}

async function open(path: string): Promise<Opened> {
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) {
    try {
      return { database: await openThrough(path, "log"), through: "log" };
    } catch (error) {
      // On a read-only disk, or if the log belongs to another user, the file alone may still be readable.
      if (toDatabaseFault(error)) throw error;
    }
  }
  const copy = hasWriteAheadLog(path) ? tryCopy(path) : undefined;
  if (!copy) return { database: await openThrough(path, "file"), through: "file" };
  try {
    return { database: await openThrough(copy.path, "log"), through: "log", copy };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** A copy of a database with its log; undefined if there is no space for it. */
function tryCopy(path: string): PrivateCopy | undefined {
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
    database.prepare("PRAGMA schema_version").get(); // SQLite opens the file with the first query
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function inspectRows(
  database: DatabaseSync,
  { schema }: PageFacts,
  prefixes: readonly string[],
  report: Report,
): Promise<void> {
  if (schema > 0) {
    await attemptStep("files", report, () => readFiles(database));
    await attemptStep("problems", report, () => countProblems(database, prefixes));
  }
  await attemptStep("check", report, () => checkTables(database)); // last because it takes longest
}

/**
 * Checks the pages of all tables. Of the full-text index, which is a virtual table, only the tables that store it: checking its words
 * takes ten times as long as everything else. `pidex verify` does.
 *
 * @returns up to ten messages of SQLite; none if the tables are intact
 */
function checkTables(database: DatabaseSync): string[] {
  // Mapped, pages are not copied, and the system reads ahead: a third of the time if the file is not cached. An unreadable disk
  // then ends this process in place of an error, which the caller reports as well.
  database.exec(`PRAGMA mmap_size = ${MAX_MAPPED_BYTES}`);
  const tables = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')")
    .all();
  return tables
    .flatMap(({ name }) => database.prepare(`PRAGMA quick_check("${name}")`).all())
    .map((row) => String(Object.values(row)[0]))
    .filter((line) => line !== "ok")
    .slice(0, MAX_CHECK_MESSAGES);
}

function readPages(database: DatabaseSync): Pick<PageFacts, "schema" | "pages" | "freePages"> {
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const [schema, pages, freePages] = [pragma("user_version"), pragma("page_count"), pragma("freelist_count")];
  return { schema, pages, freePages };
}

/** The journal mode in the file's header: SQLite reports a wrong one for an immutable database. */
function readJournalMode(path: string): PageFacts["journalMode"] {
  const fd = openSync(path, "r");
  try {
    const format = Buffer.alloc(1);
    readSync(fd, format, 0, 1, 18);
    return format[0] === 2 ? "wal" : "rollback";
  } finally {
    closeSync(fd);
  }
}

function readFiles(database: DatabaseSync): FileStamp[] {
  const rows = database.prepare(
    "SELECT path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction FROM file",
  );
  return rows.all() as unknown as FileStamp[];
}

function countProblems(database: DatabaseSync, prefixes: readonly string[]): ProblemCount[] {
  const rows = database.prepare(`
    SELECT file.path, problem.code, problem.line, problem.byte_offset AS byteOffset, problem.message
    FROM problem JOIN file ON file.id = problem.file_id
    ORDER BY file.path, problem.byte_offset, problem.rowid`);
  const counts = new Map<string, ProblemCount>();
  for (const row of rows.iterate()) {
    const problem = { ...row } as unknown as FileProblem; // Node's rows have no prototype
    if (!prefixes.some((prefix) => problem.path.startsWith(prefix))) continue;
    const { code } = problem;
    const counted = getOrInsert(counts, code, () => ({ code, count: 0, first: [] }));
    counted.count++;
    if (counted.first.length < MAX_PROBLEMS_PER_CODE) counted.first.push(problem);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

/** Reports the result of a step and returns it. If the step fails, reports why and returns undefined. */
export async function attemptStep<S extends Step>(
  step: S,
  report: Report,
  work: () => StepResults[S] | Promise<StepResults[S]>,
): Promise<StepResults[S] | undefined> {
  try {
    const result = await work();
    await report({ [step]: result });
    return result;
  } catch (error) {
    const databaseState = toDatabaseFault(error);
    const [message = ""] = toMessage(error).split("\n");
    await report({ failed: { step, message, ...(databaseState && { databaseState }) } });
    return undefined;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The state of the database that caused an error, if any. SQLite's primary result code is the low byte of `errcode`. */
function toDatabaseFault(error: unknown): FailedStep["databaseState"] {
  if (error instanceof PidexError) return error.code === "FOREIGN_DATABASE" ? "foreign" : undefined;
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  if (code === SQLITE_BUSY) return "busy";
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB ? "broken" : undefined;
}

/** A string that changes when a process writes to a database or opens it. */
function stamp(path: string): string {
  return `${getFileStamp(path)} ${existsSync(`${path}-shm`)}`;
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
