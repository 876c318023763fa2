import { PidexError } from "../errors.ts";
import { identityOf, isCorruption, putAside } from "./aside.ts";
import { BUSY_TIMEOUT_MS, type Database, type OpenDatabaseOptions, openDatabase } from "./open.ts";
import { inWords } from "./unavailable.ts";

/** A database that is kept open as long as somebody needs it. */
export interface Held {
  readonly database: Database;
  release(): Promise<void>;
}

type OnNew = () => Promise<unknown>;

/**
 * The database at a path, whichever that is now. Where another process put a new one there, or somebody deleted it, it is
 * opened again; where it is broken it is moved aside and begun anew. Who is asking the old one meanwhile goes on with it.
 */
export class LiveDatabase {
  readonly #options: OpenDatabaseOptions;
  #database: Database;
  /** How many need each database that is open; one that is not the present one is closed by the last of them. */
  readonly #holders = new Map<Database, number>();
  /** The one that is opened in another's place at the moment. */
  #opening: Promise<void> | undefined;
  #closed = false;

  private constructor(options: OpenDatabaseOptions, database: Database) {
    this.#options = options;
    this.#database = database;
  }

  /** @throws as `openDatabase` */
  static async open(options: OpenDatabaseOptions): Promise<LiveDatabase> {
    return new LiveDatabase(options, await openDatabase(options));
  }

  get path(): string {
    return this.#database.path;
  }

  /**
   * Works with the database. One that turns out to be broken is replaced, and the work done once more.
   *
   * @param onNew called when there is another database than the one that was open, before it is worked with
   * @throws what the work throws, SQLite's errors in words, and as `openDatabase`
   */
  async use<T>(work: (database: Database) => T | Promise<T>, onNew?: OnNew): Promise<T> {
    try {
      return await this.#use(work, onNew);
    } catch (error) {
      throw inWords(this.path, error);
    }
  }

  async #use<T>(work: (database: Database) => T | Promise<T>, onNew?: OnNew): Promise<T> {
    if (await this.#reopenReplaced()) await onNew?.();
    const held = this.keep(this.#database);
    try {
      return await work(held.database);
    } catch (error) {
      if (!isCorruption(error)) throw error;
      await this.replace(held.database);
    } finally {
      await held.release();
    }
    await onNew?.();
    const again = this.keep(this.#database);
    try {
      return await work(again.database);
    } finally {
      await again.release();
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

  /** @returns whether there was another file at the path than the one that is open */
  async #reopenReplaced(): Promise<boolean> {
    const database = this.#database;
    if (!this.#opening && identityOf(database.path) === database.identity) return false;
    await this.#reopen(database, async () => {});
    return true;
  }

  async #reopen(old: Database, clearTheWay: () => Promise<void>): Promise<void> {
    if (this.#closed)
      throw new PidexError("DATABASE_UNAVAILABLE", `${old.path} was closed`, "Open it again.");
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
}
