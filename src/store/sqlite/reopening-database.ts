import { PidexError, systemCode } from "../../errors.ts";
import { getFileIdentity } from "../../file-identity.ts";
import { toDatabaseError } from "./database-error.ts";
import { BUSY_TIMEOUT_MS, type Database, type OpenDatabaseOptions, openDatabase } from "./open.ts";
import { isDamaged, quarantineDatabase } from "./quarantine.ts";
import { DatabaseReplacedError, isTruncated } from "./replaced-database.ts";

/** Keeps a database open until it is released. */
export interface DatabaseLease {
  readonly database: Database;
  release(): Promise<void>;
}

/** Attempts at one piece of work while databases are replaced or found broken. */
const MAX_TRIES = 5;

/**
 * The database at a path. It is opened again if another process replaced it, if it was deleted, or if a newer pidex migrated
 * it. A broken one is quarantined and a new one is created. Work in progress continues with the old database.
 */
export class ReopeningDatabase {
  readonly #options: OpenDatabaseOptions;
  #database: Database;
  /** The last database that `prepare` has finished for, and the call in progress. */
  #prepared: Database;
  #preparing: Promise<unknown> | undefined;
  /** Number of holders of each open database. The last holder of a database that was replaced closes it. */
  readonly #holders = new Map<Database, number>();
  /** The reopening in progress. */
  #opening: Promise<void> | undefined;
  #closed = false;

  private constructor(options: OpenDatabaseOptions, database: Database) {
    this.#options = options;
    this.#database = database;
    this.#prepared = database;
  }

  /** @throws as `openDatabase` */
  static async open(options: OpenDatabaseOptions): Promise<ReopeningDatabase> {
    return new ReopeningDatabase(options, await openDatabase(options));
  }

  get path(): string {
    return this.#database.path;
  }

  /**
   * Runs `work` with the database. If the database turns out to be broken, or was replaced, opens a new one and runs `work`
   * again.
   *
   * @param prepare runs before the first work with a database that was opened in place of another; concurrent calls share one run
   * @throws the errors of `work`, SQLite's errors as PidexErrors, and as `openDatabase`
   */
  async use<T>(work: (database: Database) => T | Promise<T>, prepare?: () => Promise<unknown>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const held = await this.#hold(prepare);
      try {
        return await work(held.database);
      } catch (error) {
        if (tries >= MAX_TRIES || this.#closed) throw toDatabaseError(this.path, error);
        if (!isReplacedError(held.database, error)) {
          if (!isDamaged(held.database.readerHandle, error)) throw toDatabaseError(this.path, error);
          await this.replace(held.database);
        }
      } finally {
        await held.release();
      }
    }
  }

  /** Keeps a database open until the result is released. */
  retain(database: Database): DatabaseLease {
    this.#holders.set(database, (this.#holders.get(database) ?? 0) + 1);
    let released = false;
    return {
      database,
      release: async () => {
        if (released) return;
        released = true;
        this.#holders.set(database, (this.#holders.get(database) ?? 1) - 1);
        await this.#closeIfUnused(database);
      },
    };
  }

  /** Replaces a broken database by a new one. Concurrent calls for the same database replace it once. */
  async replace(broken: Database): Promise<void> {
    await this.#reopen(broken, async () => {
      if (process.platform === "win32") await broken.close(); // open files cannot be renamed there
      const patience = this.#options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
      const quarantinePath = await quarantineDatabase(broken, patience);
      if (!quarantinePath) return;
      this.#options.onNotice?.(
        `${broken.path} is damaged: it was moved to ${quarantinePath}, and a new index is built`,
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {}); // the waiting calls get the error
    this.#holders.set(this.#database, 0);
    for (const database of this.#holders.keys()) await database.close();
    this.#holders.clear();
  }

  /** Keeps the current database open, after reopening and `prepare` where necessary. */
  async #hold(prepare: (() => Promise<unknown>) | undefined): Promise<DatabaseLease> {
    this.#throwIfClosed();
    while (this.#opening || !isPresent(this.#database)) await this.#reopen(this.#database, async () => {});
    const database = this.#database;
    if (!prepare || database === this.#prepared) return this.retain(database);
    this.#preparing ??= prepare().finally(() => {
      this.#preparing = undefined;
    });
    await this.#preparing;
    this.#prepared = database;
    return this.#hold(prepare);
  }

  async #reopen(old: Database, removeOld: () => Promise<void>): Promise<void> {
    this.#throwIfClosed();
    if (this.#opening) return this.#opening;
    if (old !== this.#database) return;
    this.#opening = (async () => {
      await removeOld();
      this.#database = await openDatabase(this.#options);
      await this.#closeIfUnused(old);
    })().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #closeIfUnused(database: Database): Promise<void> {
    if (database === this.#database || (this.#holders.get(database) ?? 0) > 0) return;
    this.#holders.delete(database);
    await database.close();
  }

  #throwIfClosed(): void {
    if (!this.#closed) return;
    throw new PidexError("DATABASE_UNAVAILABLE", `${this.path} is closed`, "Open the index again.");
  }
}

/** Whether an open database is still the file at its path, in a version that this pidex knows. */
function isPresent(database: Database): boolean {
  if (getFileIdentity(database.path) !== database.identity || isTruncated(database.path)) return false;
  try {
    return database.version() <= database.knownVersion;
  } catch (error) {
    // Broken: `use` finds out.
    if (systemCode(error)?.startsWith("SQLITE_")) return true;
    throw error;
  }
}

/** Whether an error is a consequence of the database having been replaced. */
function isReplacedError(database: Database, error: unknown): boolean {
  if (error instanceof DatabaseReplacedError) return true;
  return systemCode(error)?.startsWith("SQLITE_") === true && !isPresent(database);
}
