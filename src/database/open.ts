import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type SQLite from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import type { Migration } from "kysely/migration";
import { PidexError, systemCode } from "../errors.ts";
import { nodeComplaint, OLDEST_NODE } from "../node-version.ts";
import type { Schema } from "./schema.ts";

/** "pidx", by which a database is known to be ours. */
const APPLICATION_ID = 0x70696478;

const BUSY_TIMEOUT_MS = 10_000;

/** What SQLite calls the incremental kind of `auto_vacuum`. */
const INCREMENTAL = 2;

/** 32 MB of pages for each handle. */
const CACHE_SIZE = "cache_size = -32768";

/** The cache, open: one handle that writes, and one that cannot. */
export interface Database {
  readonly path: string;
  /** For the indexer alone: better-sqlite3 itself, for prepared statements in transactions. */
  readonly writer: SQLite.Database;
  /** For queries: cannot write, and sees what is committed. */
  readonly reader: Kysely<Schema>;
  /** The reader's own handle, for the few statements kysely has no words for. */
  readonly readerHandle: SQLite.Database;
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  path: string;
  /** All migrations by name, in order: `migrations` from `migrations/index.ts`. */
  migrations: Record<string, Migration>;
  /** Told what was done that the caller did not ask for: a database that was moved aside. */
  onNotice?: (message: string) => void;
  /** How long a statement waits for another process's transaction, in milliseconds. Default: ten seconds. */
  busyTimeoutMs?: number;
}

/**
 * Opens the cache, and makes or migrates it first where that is needed. A failed migration leaves the database
 * as it was. A database that is broken, or that a newer pidex made, is moved aside (never deleted) and a new
 * one is begun: the session files have it all.
 *
 * @throws PidexError `FOREIGN_DATABASE` for another program's database, `MIGRATION_FAILED`, `DATABASE_BUSY`,
 * `DATABASE_UNAVAILABLE` when the file or its folder cannot be written, `NODE_TOO_OLD`
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const complaint = nodeComplaint();
  if (complaint) throw new PidexError("NODE_TOO_OLD", complaint, `Install Node ${OLDEST_NODE} or newer.`);
  const path = resolve(options.path);
  try {
    return await open(path, options);
  } catch (error) {
    const reason = whyUnusable(error);
    if (!reason) throw unavailable(path, error);
    const aside = moveAside(path);
    options.onNotice?.(`${path} ${reason}: it was moved to ${aside}, and a new index is built`);
  }
  try {
    return await open(path, options);
  } catch (error) {
    throw unavailable(path, error);
  }
}

async function open(path: string, options: OpenDatabaseOptions): Promise<Database> {
  const { migrations, busyTimeoutMs: timeout = BUSY_TIMEOUT_MS } = options;
  // Loaded here: who only writes and lists sessions can do without it.
  const { default: Handle } = await import("better-sqlite3");
  const names = Object.keys(migrations);
  makeFile(path);
  refuseForeign(path);
  const handles: SQLite.Database[] = [];
  try {
    const writer = new Handle(path, { timeout });
    handles.push(writer);
    const version = writer.pragma("user_version", { simple: true }) as number;
    if (version > names.length) throw new NewerDatabase();
    configure(writer);
    if (version < names.length) await inTurn(() => migrate(writer, migrations));
    const readerHandle = new Handle(path, { readonly: true, timeout });
    handles.push(readerHandle);
    readerHandle.pragma(CACHE_SIZE);
    const reader = new Kysely<Schema>({ dialect: new SqliteDialect({ database: readerHandle }) });
    return {
      path,
      writer,
      reader,
      readerHandle,
      close: async () => {
        await reader.destroy();
        readerHandle.close(); // kysely closes it only when it was asked something
        writer.close();
      },
    };
  } catch (error) {
    for (const handle of handles) handle.close();
    throw error;
  }
}

/** Moves a database and its side files to a free name beside it, and says which. */
export function moveAside(path: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  let aside = `${path}.broken-${stamp}`;
  for (let n = 2; existsSync(aside); n++) aside = `${path}.broken-${stamp}-${n}`;
  for (const side of ["-wal", "-shm", ""]) {
    if (existsSync(path + side)) renameSync(path + side, aside + side);
  }
  return aside;
}

/** True when SQLite says that the database file itself is broken. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? "");
}

class NewerDatabase extends Error {}

/** Why a database must be moved aside, or undefined when something else is wrong. */
function whyUnusable(error: unknown): string | undefined {
  if (error instanceof NewerDatabase) return "was made by a newer pidex";
  const broken = isCorruption(error) || (error instanceof PidexError && isCorruption(error.cause));
  return broken ? "is broken" : undefined;
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
  db.pragma(CACHE_SIZE);
}

const SQLITE_MAGIC = "SQLite format 3\0";
const APPLICATION_ID_OFFSET = 68;
/** Changes with every table that is made or dropped. */
const SCHEMA_COOKIE_OFFSET = 40;

/** Looks at the file's header alone: SQLite itself would write to a database it only opens and closes. */
function refuseForeign(path: string): void {
  const header = Buffer.alloc(APPLICATION_ID_OFFSET + 4);
  const fd = openSync(path, "r");
  let length = 0;
  try {
    length = readSync(fd, header, 0, header.length, 0);
  } finally {
    closeSync(fd);
  }
  const isDatabase = header.toString("latin1", 0, SQLITE_MAGIC.length) === SQLITE_MAGIC;
  if (isDatabase && header.readInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
  // Nobody's yet: another pidex may be about to make it its own this very moment.
  const isBlank = (offset: number) => length > offset && header.readInt32BE(offset) === 0;
  if (isDatabase && isBlank(APPLICATION_ID_OFFSET) && isBlank(SCHEMA_COOKIE_OFFSET)) return;
  // An empty file is a new database, and one that lost its header is known by its name.
  if (!isDatabase && (length === 0 || path.endsWith(".db"))) return;
  const what = isDatabase ? "the database of another program" : "no database of pidex";
  throw new PidexError("FOREIGN_DATABASE", `${path} is ${what}`, "Name another file with --db or PIDEX_DB.");
}

/** Makes an empty database file that only its owner may read: it will hold what sessions hold. */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw unavailable(path, error);
  }
}

/** What to throw when a database that is open, or was to be opened, cannot be used. */
export function unavailable(path: string, error: unknown): PidexError {
  if (error instanceof PidexError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return systemCode(error)?.startsWith("SQLITE_BUSY")
    ? new PidexError("DATABASE_BUSY", `${path} is in use: ${reason}`, "Try again in a moment.", {
        cause: error,
      })
    : new PidexError(
        "DATABASE_UNAVAILABLE",
        `${path} cannot be used: ${reason}`,
        "Name a file in a folder you may write with --db or PIDEX_DB.",
        { cause: error },
      );
}

let turns: Promise<unknown> = Promise.resolve();

/** One after the other: two migrations in one process would each wait for the other's lock and never yield. */
function inTurn(migration: () => Promise<void>): Promise<void> {
  const turn = turns.then(migration);
  turns = turn.catch(() => {});
  return turn;
}

/**
 * Runs what is missing in one transaction of ours, so that two processes that start at once don't both do it,
 * and `user_version` never says more than what was done.
 */
async function migrate(writer: SQLite.Database, migrations: Record<string, Migration>): Promise<void> {
  const { Migrator } = await import("kysely/migration");
  // A Kysely of its own that is never destroyed: destroying it would close the writer.
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: writer }) });
  const provider = { getMigrations: async () => migrations };
  const wanted = Object.keys(migrations).length;
  // A table that is made anew is dropped first: with foreign keys on, all that hangs from it would go with it.
  writer.pragma("foreign_keys = OFF");
  writer.exec("BEGIN IMMEDIATE");
  try {
    const version = writer.pragma("user_version", { simple: true }) as number;
    if (version < wanted) {
      const { error } = await new Migrator({ db, provider, disableTransactions: true }).migrateToLatest();
      if (error) throw error;
      const [broken] = writer.pragma("foreign_key_check") as object[];
      if (broken) throw new Error(`rows without what they belong to: ${JSON.stringify(broken)}`);
      writer.pragma(`user_version = ${wanted}`);
    }
    writer.exec("COMMIT");
  } catch (error) {
    if (writer.inTransaction) writer.exec("ROLLBACK");
    if (isCorruption(error)) throw error;
    throw new PidexError(
      "MIGRATION_FAILED",
      `the index could not be migrated: ${error instanceof Error ? error.message : error}`,
      "Nothing was changed. Please report this; deleting the database lets pidex build a new one.",
      { cause: error },
    );
  } finally {
    writer.pragma("foreign_keys = ON");
  }
}
