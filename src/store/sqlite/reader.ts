import type SQLite from "better-sqlite3";
import type { Statement } from "../sql.ts";
import { cacheStatements } from "./statements.ts";

/**
 * Runs queries on a read-only handle. Not Kysely, because loading it takes as long as the rest of a short command.
 */
export class Reader {
  readonly #handle: SQLite.Database;
  readonly #statements: ReturnType<typeof cacheStatements>;
  readonly #onStatement: ((statement: Statement) => void) | undefined;
  /** Cached values by name. */
  readonly #known: Map<string, unknown>;
  /** The snapshot in progress. */
  #snapshot: Promise<void> | undefined;

  /** @param onStatement called with each statement, for tests */
  constructor(
    handle: SQLite.Database,
    onStatement?: (statement: Statement) => void,
    statements = cacheStatements(handle),
    known = new Map<string, unknown>(),
  ) {
    this.#handle = handle;
    this.#statements = statements;
    this.#known = known;
    this.#onStatement = onStatement;
  }

  /** Runs a statement and returns its rows. */
  async query<Row>(statement: Statement): Promise<Row[]> {
    while (this.#snapshot) await this.#snapshot; // this query is not part of the snapshot
    this.#onStatement?.(statement);
    return this.#statements.prepare(statement.sql).all(statement.values) as Row[];
  }

  /** Creates a temporary table, which only this handle sees. The end of a snapshot removes it. */
  createTemporary(statement: string): void {
    this.#handle.exec(statement);
  }

  /** Returns a cached value, computed at the first call. It is never refreshed while the database is open. */
  async cached<T>(name: string, find: () => Promise<T>): Promise<T> {
    if (!this.#known.has(name)) this.#known.set(name, await find());
    return this.#known.get(name) as T;
  }

  /** As `cached`, but computed again once another handle has changed the database. */
  async cachedUntilChange<T>(name: string, find: () => Promise<T>): Promise<T> {
    const version = this.#handle.pragma("data_version", { simple: true });
    const known = this.#known.get(name) as { version: unknown; value: T } | undefined;
    if (known !== undefined && known.version === version) return known.value;
    const value = await find();
    this.#known.set(name, { version, value });
    return value;
  }

  /** Runs several queries in one read transaction: they all see the same state of the database. */
  async snapshot<T>(queries: (db: Reader) => Promise<T>): Promise<T> {
    while (this.#snapshot) await this.#snapshot;
    const result = this.#inTransaction(queries);
    const end = () => {
      this.#snapshot = undefined;
    };
    this.#snapshot = result.then(end, end);
    return result;
  }

  async #inTransaction<T>(queries: (db: Reader) => Promise<T>): Promise<T> {
    const inside = new Reader(this.#handle, this.#onStatement, this.#statements, this.#known);
    this.#handle.exec("BEGIN");
    try {
      return await queries(inside);
    } finally {
      if (this.#handle.open) this.#handle.exec("ROLLBACK"); // nothing was written
    }
  }
}
