import type { Pool } from "pg";
import { PidexError, systemCode } from "../../../src/errors.ts";
import { type OpenStore, openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { QuerySource } from "../../query/query-index.ts";

/** Milliseconds that one statement of a query may take. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Milliseconds that a reader of a stream may pause: until then, the stream holds a connection and a transaction. */
const IDLE_TIMEOUT_MS = 60_000;

export interface HubSourceOptions {
  /** Ends a query when it is aborted, and frees its connection. */
  signal?: AbortSignal | undefined;
  statementTimeoutMs?: number | undefined;
  idleTimeoutMs?: number | undefined;
}

/** Runs queries on some shelves of a hub's database. Each query and each stream has a transaction of its own. */
export class HubSource implements QuerySource {
  readonly #pool: Pool;
  readonly #shelves: readonly number[];
  readonly #options: HubSourceOptions;
  readonly #toStore: (opened: OpenStore) => Promise<Store>;

  /** @param toStore the store to query, if it is not that of all the shelves */
  constructor(
    pool: Pool,
    shelves: readonly number[],
    options: HubSourceOptions = {},
    toStore: (opened: OpenStore) => Promise<Store> = async ({ store }) => store,
  ) {
    this.#pool = pool;
    this.#shelves = shelves;
    this.#options = options;
    this.#toStore = toStore;
  }

  async read<T>(query: (store: Store) => Promise<T>): Promise<T> {
    const opened = await this.#open();
    try {
      return await query(await this.#toStore(opened));
    } catch (error) {
      throw this.#toQueryError(error);
    } finally {
      await opened.close();
    }
  }

  readPage<O, A>(options: O, query: (store: Store, options: O) => Promise<A>): Promise<A> {
    return this.read((store) => query(store, options));
  }

  async *stream<T, R>(query: (store: Store) => AsyncGenerator<T, R>): AsyncGenerator<T, R> {
    const opened = await this.#open();
    try {
      return yield* query(await this.#toStore(opened));
    } catch (error) {
      throw this.#toQueryError(error);
    } finally {
      await opened.close();
    }
  }

  async *streamLines<T>(query: (store: Store) => Promise<AsyncGenerator<T, void>>): AsyncGenerator<T, void> {
    yield* this.stream(async function* (store) {
      yield* await query(store);
    });
  }

  #open(): Promise<OpenStore> {
    const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = this.#options;
    return openPostgresStore(this.#pool, this.#shelves, {
      ...this.#options,
      statementTimeoutMs,
      idleTimeoutMs,
    });
  }

  #toQueryError(error: unknown): unknown {
    const { signal } = this.#options;
    if (signal?.aborted) return signal.reason; // the connection was dropped, whatever the driver makes of it
    if (systemCode(error) !== CANCELED) return error;
    const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = this.#options;
    return new PidexError(
      "SQL_TIMEOUT",
      `the hub stopped the query after ${statementTimeoutMs / 1000} s`,
      "Narrow it, for example with since: or project:, or try again later.",
      { cause: error },
    );
  }
}

/** PostgreSQL's code of a statement that was stopped, here by its timeout. */
const CANCELED = "57014";
