import type SQLite from "better-sqlite3";
import type { Statement } from "../sql.ts";
import { cacheStatements } from "./statements.ts";

/** How long queries that can be cancelled run before the event loop gets a turn, in milliseconds: a cancellation arrives there. */
const TURN_MS = 8;

/** What the readers of a handle share. */
interface Shared {
  readonly handle: SQLite.Database;
  readonly statements: ReturnType<typeof cacheStatements>;
  readonly onStatement: ((statement: Statement) => void) | undefined;
  /** Cached values by name. */
  readonly known: Map<string, unknown>;
  /** The snapshot in progress. */
  snapshot: Promise<void> | undefined;
}

/**
 * Runs queries on a read-only handle. Not Kysely, because loading it takes as long as the rest of a short command.
 */
export class Reader {
  readonly #shared: Shared;
  /** Whether this reader is part of a snapshot. */
  readonly #isInSnapshot: boolean;
  readonly #signal: AbortSignal | undefined;
  /** When the event loop last had a turn. */
  #turnAt = Date.now();

  private constructor(shared: Shared, isInSnapshot: boolean, signal: AbortSignal | undefined) {
    this.#shared = shared;
    this.#isInSnapshot = isInSnapshot;
    this.#signal = signal;
  }

  /** @param onStatement called with each statement, for tests */
  static of(handle: SQLite.Database, onStatement?: (statement: Statement) => void): Reader {
    const statements = cacheStatements(handle);
    return new Reader(
      { handle, statements, onStatement, known: new Map(), snapshot: undefined },
      false,
      undefined,
    );
  }

  /** A reader of the same database. Its queries reject with the signal's reason once it is aborted. */
  cancelledBy(signal: AbortSignal): Reader {
    return new Reader(this.#shared, this.#isInSnapshot, signal);
  }

  /** Runs a statement and returns its rows. */
  async query<Row>(statement: Statement): Promise<Row[]> {
    if (this.#signal) await this.#throwIfAborted(this.#signal);
    while (this.#isWaiting) await this.#shared.snapshot;
    this.#shared.onStatement?.(statement);
    return this.#shared.statements.prepare(statement.sql).all(statement.values) as Row[];
  }

  /** A statement blocks the event loop, so that a cancellation can only arrive between two. */
  async #throwIfAborted(signal: AbortSignal): Promise<void> {
    if (Date.now() - this.#turnAt > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#turnAt = Date.now();
    }
    signal.throwIfAborted();
  }

  /** Queries that are not part of the snapshot in progress wait for its end. */
  get #isWaiting(): boolean {
    return !this.#isInSnapshot && this.#shared.snapshot !== undefined;
  }

  /** Creates a temporary table, which only this handle sees. The end of a snapshot removes it. */
  createTemporary(statement: string): void {
    this.#shared.handle.exec(statement);
  }

  /** Returns a cached value, computed at the first call. It is never refreshed while the database is open. */
  async cached<T>(name: string, find: () => Promise<T>): Promise<T> {
    const { known } = this.#shared;
    if (!known.has(name)) known.set(name, await find());
    return known.get(name) as T;
  }

  /** As `cached`, but computed again once another handle has changed the database. */
  async cachedUntilChange<T>(name: string, find: () => Promise<T>): Promise<T> {
    const { handle, known } = this.#shared;
    const version = handle.pragma("data_version", { simple: true });
    const last = known.get(name) as { version: unknown; value: T } | undefined;
    if (last !== undefined && last.version === version) return last.value;
    const value = await find();
    known.set(name, { version, value });
    return value;
  }

  /** Runs several queries in one read transaction: they all see the same state of the database. Within a snapshot, its own. */
  async snapshot<T>(queries: (db: Reader) => Promise<T>): Promise<T> {
    if (this.#isInSnapshot) return queries(this);
    while (this.#isWaiting) await this.#shared.snapshot;
    const result = this.#inTransaction(queries);
    const end = () => {
      this.#shared.snapshot = undefined;
    };
    this.#shared.snapshot = result.then(end, end);
    return result;
  }

  async #inTransaction<T>(queries: (db: Reader) => Promise<T>): Promise<T> {
    const { handle } = this.#shared;
    handle.exec("BEGIN");
    try {
      return await queries(new Reader(this.#shared, true, this.#signal));
    } finally {
      if (handle.open) handle.exec("ROLLBACK"); // nothing was written
    }
  }
}
