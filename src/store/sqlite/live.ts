import { PidexError, systemCode } from "../../errors.ts";
import { identityOf } from "../../file-identity.ts";
import { isDamaged, putAside } from "./aside.ts";
import { BUSY_TIMEOUT_MS, type Database, type OpenDatabaseOptions, openDatabase } from "./open.ts";
import { isEmptied, ReplacedDatabase } from "./replaced.ts";
import { inWords } from "./unavailable.ts";

/** A database that is kept open as long as somebody needs it. */
export interface Held {
  readonly database: Database;
  release(): Promise<void>;
}

/** How often the database may be replaced, or found broken, under one piece of work. */
const TRIES = 5;

/**
 * The database at a path, whichever that is now. Where another process put a new one there, somebody deleted it, or a newer
 * pidex took it over, it is opened again; where it is broken it is moved aside and begun anew. Who is asking the old one
 * meanwhile goes on with it.
 */
export class LiveDatabase {
  readonly #options: OpenDatabaseOptions;
  #database: Database;
  /** The one that is known to be prepared for being asked, and its preparing where that is at work. */
  #prepared: Database;
  #preparing: Promise<unknown> | undefined;
  /** How many need each database that is open; one that is not the present one is closed by the last of them. */
  readonly #holders = new Map<Database, number>();
  /** The one that is opened in another's place at the moment. */
  #opening: Promise<void> | undefined;
  #closed = false;

  private constructor(options: OpenDatabaseOptions, database: Database) {
    this.#options = options;
    this.#database = database;
    this.#prepared = database;
  }

  /** @throws as `openDatabase` */
  static async open(options: OpenDatabaseOptions): Promise<LiveDatabase> {
    return new LiveDatabase(options, await openDatabase(options));
  }

  get path(): string {
    return this.#database.path;
  }

  /**
   * Works with the database. One that turns out to be broken, or to be another than was opened, is replaced, and the work
   * done once more.
   *
   * @param prepare called before a database is worked with that was opened in another's place; by several at once, once
   * @throws what the work throws, SQLite's errors in words, and as `openDatabase`
   */
  async use<T>(work: (database: Database) => T | Promise<T>, prepare?: () => Promise<unknown>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const held = await this.#hold(prepare);
      try {
        return await work(held.database);
      } catch (error) {
        if (tries >= TRIES || this.#closed) throw inWords(this.path, error);
        if (!isOfAnother(held.database, error)) {
          if (!isDamaged(held.database.readerHandle, error)) throw inWords(this.path, error);
          await this.replace(held.database);
        }
      } finally {
        await held.release();
      }
    }
  }

  /** Keeps a database that is in use open until it is released. */
  keep(database: Database): Held {
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

  /** Puts a new database in the place of one that was found broken, once however many find it so. */
  async replace(broken: Database): Promise<void> {
    await this.#reopen(broken, async () => {
      if (process.platform === "win32") await broken.close(); // what is open cannot be renamed there
      const patience = this.#options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
      const aside = await putAside(broken, patience);
      if (!aside) return;
      this.#options.onNotice?.(
        `${broken.path} is broken: it was moved to ${aside}, and a new index is built`,
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {}); // told to those who asked for it
    this.#holders.set(this.#database, 0);
    for (const database of this.#holders.keys()) await database.close();
    this.#holders.clear();
  }

  /** The database that lies there now, prepared, and kept open. */
  async #hold(prepare: (() => Promise<unknown>) | undefined): Promise<Held> {
    this.#throwIfClosed();
    while (this.#opening || !isPresent(this.#database)) await this.#reopen(this.#database, async () => {});
    const database = this.#database;
    if (!prepare || database === this.#prepared) return this.keep(database);
    this.#preparing ??= prepare().finally(() => {
      this.#preparing = undefined;
    });
    await this.#preparing;
    this.#prepared = database;
    return this.#hold(prepare);
  }

  async #reopen(old: Database, clearTheWay: () => Promise<void>): Promise<void> {
    this.#throwIfClosed();
    if (this.#opening) return this.#opening;
    if (old !== this.#database) return;
    this.#opening = (async () => {
      await clearTheWay();
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
    throw new PidexError("DATABASE_UNAVAILABLE", `${this.path} was closed`, "Open the index again.");
  }
}

/** Whether the path of an open database still leads to it, and it is still one that this pidex knows. */
function isPresent(database: Database): boolean {
  if (identityOf(database.path) !== database.identity || isEmptied(database.path)) return false;
  try {
    return database.version() <= database.knownVersion;
  } catch (error) {
    // Broken, as who works with it finds out.
    if (systemCode(error)?.startsWith("SQLITE_")) return true;
    throw error;
  }
}

/** Whether what went wrong came of the database being another than was opened. */
function isOfAnother(database: Database, error: unknown): boolean {
  if (error instanceof ReplacedDatabase) return true;
  return systemCode(error)?.startsWith("SQLITE_") === true && !isPresent(database);
}
