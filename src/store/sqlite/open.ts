import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type SQLite from "better-sqlite3";
import { PidexError, systemCode } from "../../errors.ts";
import { getFileIdentity } from "../../file-identity.ts";
import { MIN_NODE_VERSION, nodeVersionError } from "../../node-version.ts";
import { watchForOtherChanges } from "./data-version.ts";
import { isDiskFull, toUnavailableError } from "./database-error.ts";
import { resolveDatabaseLink } from "./database-file.ts";
import { loadDriver } from "./driver.ts";
import { APPLICATION_ID, assertOwnDatabase, assertSameUser } from "./file-ownership.ts";
import { acquireLock, canLock, createPrivateFile, type DatabaseLock } from "./lock.ts";
import type { Migrations } from "./migrate.ts";
import { isCorruption, quarantineDatabase } from "./quarantine.ts";
import { isWriteDenied, openReadOnlyCopy } from "./read-only.ts";
import { Reader } from "./reader.ts";
import { isTruncated, throwIfReplaced } from "./replaced-database.ts";
import { LAST_UNRELEASED_SCHEMA, schemaVersion } from "./schema-version.ts";
import { singleValue } from "./statements.ts";

/** Default time that a statement waits for another process's transaction, in milliseconds. */
export const BUSY_TIMEOUT_MS = 10_000;

/** SQLite's number for `auto_vacuum = INCREMENTAL`. */
const INCREMENTAL = 2;

/** Default page cache of each handle, in megabytes. */
const CACHE_MB = 32;

/** Truncates a log that a large load or a rebuild grew to 64 MB when it restarts. */
const LOG_LIMIT = "journal_size_limit = 67108864";

/** An open database: one handle for writing, one for reading. */
export interface Database {
  readonly path: string;
  /** The identity of the file when it was opened: another file may replace it. */
  readonly identity: string;
  /** For the indexer only. */
  readonly writer: SQLite.Database;
  /** For queries: cannot write, and sees committed data only. */
  readonly reader: Reader;
  /** The reader's handle, for anything but queries. */
  readonly readerHandle: SQLite.Database;
  /** Number of migrations that this pidex knows. */
  readonly knownVersion: number;
  /** Number of migrations that the database has now: a newer pidex may have added some. */
  version(): number;
  /** Identifies the content: a rebuild replaces it under open handles, and row ids change. */
  generation(): string;
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  path: string;
  /** All migrations by name, in order: `migrations` from `migrations/index.ts`. */
  migrations: Migrations;
  /** Called with a notice for the user, such as that a corrupt database was quarantined. */
  onNotice?: (message: string) => void;
  /** Time that a statement waits for another process's transaction, in milliseconds. Default: 10,000. */
  busyTimeoutMs?: number;
  /** Page cache of each handle, in megabytes. Default: 32. */
  cacheMb?: number | undefined;
}

/**
 * Opens the database, and creates or migrates it first if necessary. A failed migration leaves it unchanged. A broken
 * database is quarantined, never deleted, and a new one is created: the session files contain everything. If a newer pidex
 * migrated it, a separate database is opened beside it: otherwise two versions on one machine would rebuild it for each
 * other forever. On a full or read-only disk, an up-to-date database is opened for reading.
 *
 * @throws PidexError `FOREIGN_DATABASE` for another program's database, `MIGRATION_FAILED`, `DATABASE_BUSY`,
 * `DATABASE_UNAVAILABLE` if the file or its folder cannot be written, `NODE_TOO_OLD`
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const complaint = nodeVersionError();
  if (complaint)
    throw new PidexError("NODE_TOO_OLD", complaint, `Install Node ${MIN_NODE_VERSION} or newer.`);
  const path = resolve(options.path);
  try {
    return await openAt(resolveDatabaseLink(path), options);
  } catch (error) {
    throw toUnavailableError(path, error);
  }
}

async function openAt(path: string, options: OpenDatabaseOptions): Promise<Database> {
  try {
    return await openMended(path, options);
  } catch (error) {
    // A full disk has no room for SQLite's side files either.
    if ((isWriteDenied(error) || isDiskFull(path, systemCode(error) ?? "")) && existsSync(path)) {
      const copy = await openReadOnlyCopy(path);
      const knownVersion = schemaVersion(options.migrations);
      // A database of another version cannot be migrated there.
      if (copy.pragma("user_version", { simple: true }) === knownVersion) {
        return asDatabase({
          path,
          identity: getFileIdentity(path) ?? "",
          writer: copy,
          readerHandle: copy,
          knownVersion,
        });
      }
      copy.close();
    }
    if (!(error instanceof NewerDatabase)) throw error;
    const own = `${path}.v${schemaVersion(options.migrations)}`;
    if (!existsSync(own)) {
      options.onNotice?.(`${path} belongs to a newer pidex: this version uses its own index, ${own}`);
    }
    return openAt(own, options);
  }
}

async function openMended(path: string, options: OpenDatabaseOptions): Promise<Database> {
  const { onNotice, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  try {
    return await openLocked(path, options);
  } catch (error) {
    if (!(error instanceof BrokenDatabase)) throw error;
    const quarantinePath = await quarantineDatabase({ path, identity: error.identity }, busyTimeoutMs);
    if (quarantinePath)
      onNotice?.(`${path} ${error.message}: it was moved to ${quarantinePath}, and a new index is built`);
  }
  return openLocked(path, options);
}

/** Attempts to open a database that keeps being deleted or replaced. */
const MAX_TRIES = 5;

/** Opens the database, holding the lock against replacing it, and creates it first if necessary. */
async function openLocked(path: string, options: OpenDatabaseOptions): Promise<Database> {
  const patienceMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  if (!isOpenHere(path)) {
    assertOwnDatabase(path);
    const notice = assertSameUser(path);
    if (notice !== undefined) options.onNotice?.(notice);
  }
  makeFolder(dirname(path));
  for (let tries = 1; ; tries++) {
    if (!existsSync(path)) {
      const alone = await acquire(path, "replace", patienceMs);
      try {
        makeFile(path);
      } finally {
        alone.release();
      }
    }
    const lock = await acquire(path, "open", patienceMs);
    const identity = getFileIdentity(path) ?? "";
    try {
      if (isTruncated(path)) throw new BrokenDatabase(identity, "was emptied");
      if (identity !== "") return await open(path, identity, options);
    } catch (error) {
      const isStillThere = getFileIdentity(path) === identity;
      if (isStillThere && isCorruption(error))
        throw new BrokenDatabase(identity, "is damaged", { cause: error });
      if (isStillThere || tries >= MAX_TRIES) throw error;
    } finally {
      lock.release();
    }
    if (tries >= MAX_TRIES) throw beingReplaced(path);
  }
}

/** Creates a folder and its ancestors, for the user only, regardless of the umask. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error; // another pidex process created it
  }
}

/** Time after which the file system is checked for lock support, in milliseconds. */
const LOCK_CHECK_MS = 500;

/** Acquires a lock. @throws PidexError `DATABASE_BUSY` after `patienceMs`, `DATABASE_UNAVAILABLE` without lock support */
async function acquire(path: string, purpose: "open" | "replace", patienceMs: number): Promise<DatabaseLock> {
  const lock = await acquireLock(path, purpose, { timeoutMs: Math.min(patienceMs, LOCK_CHECK_MS) });
  if (lock) return lock;
  if (!(await canLock(path))) {
    const message = `${path} cannot be used: its file system has no file locks`;
    const hint = "Choose a file on a local disk with --db or PIDEX_DB.";
    throw new PidexError("DATABASE_UNAVAILABLE", message, hint);
  }
  const left = Math.max(0, patienceMs - LOCK_CHECK_MS);
  const later = await acquireLock(path, purpose, { timeoutMs: left });
  if (!later) throw beingReplaced(path);
  return later;
}

function beingReplaced(path: string): PidexError {
  return new PidexError("DATABASE_BUSY", `${path} is being replaced`, "Try again in a moment.");
}

/**
 * Creates an empty database file that only its owner can read: it will contain text of sessions. First removes the log
 * that a deleted database left behind: a process may have that open, and would crash if another one wrote to it.
 */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  for (const side of ["-wal", "-shm"]) rmSync(path + side, { force: true });
  createPrivateFile(path);
}

/** Busy timeout of one attempt to open the database, and the pause after it, in milliseconds. */
const BLOCKING_MS = 50;

/** Opens an existing database. Retries with pauses, because SQLite's busy timeout blocks the process, even Ctrl-C. */
async function open(path: string, identity: string, options: OpenDatabaseOptions): Promise<Database> {
  const patienceMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  let deadline: number | undefined; // the clock and the timer are loaded only if needed
  while (true) {
    try {
      const database = await openOnce(path, identity, options, Math.min(BLOCKING_MS, patienceMs));
      for (const handle of [database.writer, database.readerHandle]) {
        handle.pragma(`busy_timeout = ${patienceMs}`);
      }
      return database;
    } catch (error) {
      deadline ??= performance.now() + patienceMs;
      if (!systemCode(error)?.startsWith("SQLITE_BUSY") || performance.now() >= deadline) throw error;
      const { setTimeout: pause } = await import("node:timers/promises");
      await pause(BLOCKING_MS);
    }
  }
}

/** @param timeout busy timeout, in milliseconds */
async function openOnce(
  path: string,
  identity: string,
  { migrations, cacheMb = CACHE_MB }: OpenDatabaseOptions,
  timeout: number,
): Promise<Database> {
  const Handle = await loadDriver();
  const knownVersion = schemaVersion(migrations);
  const handles: SQLite.Database[] = [];
  try {
    const writer = new Handle(path, { timeout });
    handles.push(writer);
    handlesHere.set(writer, identity);
    const version = writer.pragma("user_version", { simple: true }) as number;
    if (version > 0 && version <= LAST_UNRELEASED_SCHEMA) {
      throw new BrokenDatabase(identity, "has the schema of an unreleased version of pidex");
    }
    if (version > knownVersion) throw new NewerDatabase();
    if (version === 0) configureFile(writer);
    configure(writer);
    writer.pragma(cacheSize(cacheMb));
    if (version < knownVersion) {
      const { migrate } = await import("./migrate.ts");
      await migrate(writer, migrations);
    }
    watchForOtherChanges(writer);
    const readerHandle = new Handle(path, { readonly: true, timeout });
    handles.push(readerHandle);
    readerHandle.pragma(cacheSize(cacheMb));
    return asDatabase({ path, identity, writer, readerHandle, knownVersion });
  } catch (error) {
    for (const handle of handles) {
      handle.close();
      handlesHere.delete(handle);
    }
    throw error;
  }
}

type Handles = Pick<Database, "path" | "identity" | "writer" | "readerHandle" | "knownVersion">;

function asDatabase(handles: Handles): Database {
  const { writer, readerHandle } = handles;
  return {
    ...handles,
    reader: Reader.of(readerHandle),
    version: singleValue(readerHandle, "PRAGMA user_version"),
    generation: singleValue(readerHandle, "SELECT id FROM generation"),
    close: async () => {
      readerHandle.close();
      writer.close();
      handlesHere.delete(writer);
    },
  };
}

/**
 * Runs `work` with a separate write handle. Its uncommitted changes are invisible to the other handles of this process too.
 *
 * @throws DatabaseReplacedError if another file is at the path by now
 */
export async function withWriter<T>(db: Database, work: (writer: SQLite.Database) => Promise<T>): Promise<T> {
  const Handle = await loadDriver();
  throwIfReplaced(db);
  const writer = new Handle(db.path, { fileMustExist: true });
  handlesHere.set(writer, db.identity);
  try {
    throwIfReplaced(db);
    configure(writer);
    for (const name of ["busy_timeout", "cache_size", "synchronous"]) {
      writer.pragma(`${name} = ${db.writer.pragma(name, { simple: true })}`);
    }
    return await work(writer);
  } finally {
    writer.close();
    handlesHere.delete(writer);
  }
}

/** The open handles of this process, with the identity of their file. */
const handlesHere = new Map<SQLite.Database, string>();

/**
 * Whether this process has the database open. If so, only SQLite may open its file: closing any descriptor of a file
 * releases all locks that the process holds on it.
 */
function isOpenHere(path: string): boolean {
  const identity = getFileIdentity(path);
  return handlesHere.entries().some(([handle, file]) => file === identity && handle.open);
}

class NewerDatabase extends Error {}

class BrokenDatabase extends Error {
  readonly identity: string;

  /** @param message follows the path: "is damaged" */
  constructor(identity: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.identity = identity;
  }
}

/** Settings that the file keeps: those of a new one. */
function configureFile(db: SQLite.Database): void {
  // Works in an empty database only; in another one it would wait for the current writer.
  if (db.pragma("auto_vacuum", { simple: true }) !== INCREMENTAL) db.pragma("auto_vacuum = INCREMENTAL");
  // Before WAL, so that it is written to the file's header, not to the log.
  if (db.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    db.pragma(`application_id = ${APPLICATION_ID}`);
  }
}

function configure(db: SQLite.Database): void {
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL"); // if the last transaction is lost, the files are read again
  db.pragma("foreign_keys = ON");
  db.pragma("secure_delete = FAST"); // overwrites deleted content within pages; the next vacuum removes freed pages
  db.pragma(LOG_LIMIT);
}

function cacheSize(megabytes: number): string {
  return `cache_size = -${Math.round(megabytes * 1024)}`;
}
