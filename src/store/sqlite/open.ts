import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type SQLite from "better-sqlite3";
import { PidexError, systemCode } from "../../errors.ts";
import { identityOf } from "../../file-identity.ts";
import { nodeComplaint, OLDEST_NODE } from "../../node-version.ts";
import { isCorruption, putAside } from "./aside.ts";
import { linkTarget } from "./database-file.ts";
import { APPLICATION_ID, refuseForeign, refuseOtherUsers } from "./foreign-file.ts";
import type { Migrations } from "./migrate.ts";
import { prepared } from "./prepared.ts";
import { isReadOnlyPlace, openCopy } from "./read-only.ts";
import { Reader } from "./reader.ts";
import { isEmptied, ReplacedDatabase } from "./replaced.ts";
import { LAST_UNRELEASED_SCHEMA, schemaVersion } from "./schema-version.ts";
import { canLock, makePrivateFile, type Turn, takeTurn } from "./turn.ts";
import { isFull, unavailable } from "./unavailable.ts";

/** How long a statement waits for another process's transaction, in milliseconds, where nothing else is said. */
export const BUSY_TIMEOUT_MS = 10_000;

/** What SQLite calls the incremental kind of `auto_vacuum`. */
const INCREMENTAL = 2;

/** Pages that each handle keeps, where nothing else is said. */
const CACHE_MB = 32;

/** A log that a big load or a rebuild made long is cut to 64 MB when it begins again. */
const LOG_LIMIT = "journal_size_limit = 67108864";

/** The cache, open: one handle that writes, and one that cannot. */
export interface Database {
  readonly path: string;
  /** Which file that was when it was opened: another may lie there later. */
  readonly identity: string;
  /** For the indexer alone: better-sqlite3 itself, for prepared statements in transactions. */
  readonly writer: SQLite.Database;
  /** For queries: cannot write, and sees what is committed. */
  readonly reader: Reader;
  /** The reader's own handle, for what is no question. */
  readonly readerHandle: SQLite.Database;
  /** How many migrations this pidex knows. */
  readonly knownVersion: number;
  /** How many migrations it has now: more than it had when a newer pidex is at work. */
  version(): number;
  /** Which database it is now: a rebuild puts another under open handles, in which rows have other numbers. */
  generation(): string;
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  path: string;
  /** All migrations by name, in order: `migrations` from `migrations/index.ts`. */
  migrations: Migrations;
  /** Told what was done that the caller did not ask for: a database that was moved aside. */
  onNotice?: (message: string) => void;
  /** How long a statement waits for another process's transaction, in milliseconds. Default: ten seconds. */
  busyTimeoutMs?: number;
  /** How many megabytes of pages each handle may keep. Default: 32. */
  cacheMb?: number | undefined;
}

/**
 * Opens the cache, and makes or migrates it first where that is needed. A failed migration leaves the database
 * as it was. A broken database is moved aside (never deleted) and a new one is begun: the session files have it all.
 * One that a newer pidex made is left to it, and one of our own is kept beside it: else an old pidex and a new one, on
 * one machine, would build it anew for each other for ever. On a disk that is full or may only be read it is opened as it is there.
 *
 * @throws PidexError `FOREIGN_DATABASE` for another program's database, `MIGRATION_FAILED`, `DATABASE_BUSY`,
 * `DATABASE_UNAVAILABLE` when the file or its folder cannot be written, `NODE_TOO_OLD`
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const complaint = nodeComplaint();
  if (complaint) throw new PidexError("NODE_TOO_OLD", complaint, `Install Node ${OLDEST_NODE} or newer.`);
  const path = resolve(options.path);
  try {
    return await openAt(linkTarget(path), options);
  } catch (error) {
    throw unavailable(path, error);
  }
}

async function openAt(path: string, options: OpenDatabaseOptions): Promise<Database> {
  try {
    return await openMended(path, options);
  } catch (error) {
    // On a full disk there is no room for what SQLite keeps beside a database either.
    if ((isReadOnlyPlace(error) || isFull(path, systemCode(error) ?? "")) && existsSync(path)) {
      const copy = await openCopy(path);
      const knownVersion = schemaVersion(options.migrations);
      // One of another version cannot be migrated there.
      if (copy.pragma("user_version", { simple: true }) === knownVersion) {
        return asDatabase({
          path,
          identity: identityOf(path) ?? "",
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
      options.onNotice?.(`${path} was made by a newer pidex: this one keeps an index of its own, ${own}`);
    }
    return openAt(own, options);
  }
}

async function openMended(path: string, options: OpenDatabaseOptions): Promise<Database> {
  const { onNotice, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  try {
    return await openInTurn(path, options);
  } catch (error) {
    if (!(error instanceof BrokenDatabase)) throw error;
    const aside = await putAside({ path, identity: error.identity }, busyTimeoutMs);
    if (aside) onNotice?.(`${path} ${error.message}: it was moved to ${aside}, and a new index is built`);
  }
  return openInTurn(path, options);
}

/** How often somebody may delete or replace the database while it is opened. */
const TRIES = 5;

/** Opens it while nobody puts another in its place, and makes it first where there is none. */
async function openInTurn(path: string, options: OpenDatabaseOptions): Promise<Database> {
  const patienceMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  if (!isOpenHere(path)) {
    refuseForeign(path);
    const whose = refuseOtherUsers(path);
    if (whose !== undefined) options.onNotice?.(whose);
  }
  makeFolder(dirname(path));
  for (let tries = 1; ; tries++) {
    if (!existsSync(path)) await alone(path, patienceMs, () => makeFile(path));
    const turn = await patiently(path, "open", patienceMs);
    const identity = identityOf(path) ?? "";
    try {
      if (isEmptied(path)) throw new BrokenDatabase(identity, "was emptied");
      if (identity !== "") return await open(path, identity, options);
    } catch (error) {
      const isStillThere = identityOf(path) === identity;
      if (isStillThere && isCorruption(error))
        throw new BrokenDatabase(identity, "is broken", { cause: error });
      if (isStillThere || tries >= TRIES) throw error;
    } finally {
      turn.release();
    }
    if (tries >= TRIES) throw beingReplaced(path);
  }
}

/** Makes a folder, and those above it, for its owner alone, whatever the umask takes away. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error; // another pidex was faster
  }
}

/** Does something while nobody opens the database. */
async function alone(path: string, patienceMs: number, work: () => void): Promise<void> {
  const turn = await patiently(path, "replace", patienceMs);
  try {
    work();
  } finally {
    turn.release();
  }
}

/** After how long it is asked whether there are locks at all, in milliseconds. */
const SOON_MS = 500;

/** Takes a turn. @throws PidexError `DATABASE_BUSY` when it does not come in time, `DATABASE_UNAVAILABLE` where it never can */
async function patiently(path: string, purpose: "open" | "replace", patienceMs: number): Promise<Turn> {
  const turn = await takeTurn(path, purpose, { patienceMs: Math.min(patienceMs, SOON_MS) });
  if (turn) return turn;
  if (!(await canLock(path))) {
    const message = `${path} cannot be used: its file system has no file locks`;
    const hint = "Name a file on a local disk with --db or PIDEX_DB.";
    throw new PidexError("DATABASE_UNAVAILABLE", message, hint);
  }
  const left = Math.max(0, patienceMs - SOON_MS);
  const later = await takeTurn(path, purpose, { patienceMs: left });
  if (!later) throw beingReplaced(path);
  return later;
}

function beingReplaced(path: string): PidexError {
  return new PidexError("DATABASE_BUSY", `${path} is being replaced`, "Try again in a moment.");
}

/**
 * Makes an empty database file that only its owner may read: it will hold what sessions hold. A log that a deleted one
 * left goes first: who has that still open keeps it, and would be ended by the system if another wrote to it.
 */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  for (const side of ["-wal", "-shm"]) rmSync(path + side, { force: true });
  makePrivateFile(path);
}

/** How long opening blocks the process at a time while another one has the database locked, in milliseconds. */
const BLOCKING_MS = 50;

/**
 * Opens the database that lies there. SQLite's own wait blocks the process, which could not even be left meanwhile: so it is
 * tried again and again, with pauses.
 */
async function open(path: string, identity: string, options: OpenDatabaseOptions): Promise<Database> {
  const patienceMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  let deadline: number | undefined; // the clock, and what pauses, are loaded only to wait
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

/** @param timeout how long each statement waits, in milliseconds */
async function openOnce(
  path: string,
  identity: string,
  { migrations, cacheMb = CACHE_MB }: OpenDatabaseOptions,
  timeout: number,
): Promise<Database> {
  // Loaded here: who only writes and lists sessions can do without it.
  const { default: Handle } = await import("better-sqlite3");
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
    configure(writer);
    writer.pragma(cacheSize(cacheMb));
    if (version < knownVersion) {
      const { migrate } = await import("./migrate.ts");
      await migrate(writer, migrations);
    }
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
    reader: new Reader(readerHandle),
    version: prepared(readerHandle, "PRAGMA user_version"),
    generation: prepared(readerHandle, "SELECT id FROM generation"),
    close: async () => {
      readerHandle.close();
      writer.close();
      handlesHere.delete(writer);
    },
  };
}

/**
 * Works with a further handle that writes: what it does in a transaction is seen by no other of this process either, until
 * that is over.
 *
 * @throws ReplacedDatabase when another file lies at the path by now
 */
export async function withWriter<T>(db: Database, work: (writer: SQLite.Database) => Promise<T>): Promise<T> {
  const { default: Handle } = await import("better-sqlite3");
  if (identityOf(db.path) !== db.identity) throw new ReplacedDatabase();
  const writer = new Handle(db.path, { fileMustExist: true });
  handlesHere.set(writer, db.identity);
  try {
    if (identityOf(db.path) !== db.identity) throw new ReplacedDatabase();
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

/** The handles of this process, by the file that each is open on. */
const handlesHere = new Map<SQLite.Database, string>();

/**
 * Whether this process has a database open already. Then its file must not be opened but by SQLite: closing any
 * descriptor of a file takes all locks from it that the process has.
 */
function isOpenHere(path: string): boolean {
  const identity = identityOf(path);
  return handlesHere.entries().some(([handle, file]) => file === identity && handle.open);
}

class NewerDatabase extends Error {}

class BrokenDatabase extends Error {
  readonly identity: string;

  /** @param message what is wrong, to be read behind the path */
  constructor(identity: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.identity = identity;
  }
}

function configure(db: SQLite.Database): void {
  // Only an empty database takes it; asked of another, it would wait for whoever is writing.
  if (db.pragma("auto_vacuum", { simple: true }) !== INCREMENTAL) db.pragma("auto_vacuum = INCREMENTAL");
  // Before WAL, so that it stands in the file's own header whatever happens to the log.
  if (db.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    db.pragma(`application_id = ${APPLICATION_ID}`);
  }
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL"); // a cache: a lost last transaction is read from the files again
  db.pragma("foreign_keys = ON");
  db.pragma("secure_delete = FAST"); // what is deleted in a page is overwritten; freed pages go with the next vacuum
  db.pragma(LOG_LIMIT);
}

function cacheSize(megabytes: number): string {
  return `cache_size = -${Math.round(megabytes * 1024)}`;
}
