import type { Pool } from "pg";
import type { EntryReads } from "../entry-reads.ts";
import type { SearchReads } from "../search-reads.ts";
import type { SessionReads } from "../session-reads.ts";
import { type Statement, sql } from "../sql.ts";
import type { Store } from "../store.ts";
import type { UsageReads } from "../usage-reads.ts";
import { EntryCounts } from "./entry-counts.ts";
import { PostgresEntryReads } from "./entry-reads.ts";
import { Runner } from "./runner.ts";
import { PostgresSearchReads } from "./search-reads.ts";
import { PostgresSessionReads } from "./session-reads.ts";
import { connectClient } from "./transaction.ts";

/**
 * Runs queries on a store of the sessions on some shelves, as a reader that row-level security limits to these. All of them see the
 * same state of the database.
 *
 * @param onStatement called with each statement, for tests
 * @throws as `openPostgresStore`
 */
export async function withPostgresStore<T>(
  pool: Pool,
  shelves: readonly number[],
  queries: (store: Store) => Promise<T>,
  onStatement?: (statement: Statement) => void,
): Promise<T> {
  const opened = await openPostgresStore(pool, shelves, { onStatement });
  try {
    return await queries(opened.store);
  } finally {
    await opened.close();
  }
}

export interface OpenStoreOptions {
  /** Closes the store at once, and ends what it runs: its connection is dropped. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one statement may take. Default: any. */
  statementTimeoutMs?: number | undefined;
  /** Milliseconds between two statements after which the server closes the store. Default: any. */
  idleTimeoutMs?: number | undefined;
  /** Called with each statement, for tests. */
  onStatement?: ((statement: Statement) => void) | undefined;
}

/** A store that reads within one transaction, until it is closed. */
export interface OpenStore {
  store: Store;
  /** The same transaction as a reader of fewer shelves. */
  limitedTo: (shelves: readonly number[]) => Store;
  /** Lists the files on the shelves, with their shelf and person. */
  listFileShelves: () => Promise<{ file: number; shelf: number; person: string }[]>;
  close: () => Promise<void>;
}

const countsByPool = new WeakMap<Pool, EntryCounts>();

/** How often a server looks whether the client is still connected while it runs a statement. */
const CONNECTION_CHECK = "1s";

/**
 * Opens a store as `withPostgresStore` does, for the caller to close.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE` if the server cannot be reached; the signal's reason when aborted
 */
export async function openPostgresStore(
  pool: Pool,
  shelves: readonly number[],
  { signal, statementTimeoutMs = 0, idleTimeoutMs = 0, onStatement }: OpenStoreOptions = {},
): Promise<OpenStore> {
  signal?.throwIfAborted();
  const client = await connectClient(pool);
  let isReleased = false;
  const release = (isBroken: boolean) => {
    if (isReleased) return;
    isReleased = true;
    signal?.removeEventListener("abort", drop);
    client.release(isBroken);
    if (!isBroken) client.off("error", drop);
  };
  const drop = () => release(true);
  client.on("error", drop); // between two statements, nothing else notices that the connection is lost
  signal?.addEventListener("abort", drop, { once: true });
  const close = async () => {
    if (isReleased) return;
    const isBroken = await client.query("ROLLBACK").then(
      () => false,
      () => true, // the connection has been lost
    );
    release(isBroken);
  };
  try {
    signal?.throwIfAborted();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query({
      name: "become reader",
      text: `SELECT set_config('statement_timeout', $2, true), set_config('idle_in_transaction_session_timeout', $3, true),
        set_config('client_connection_check_interval', $4, true),
        set_config('pidex.shelves', $1, true), set_config('role', 'pidex_reader', true)`,
      values: [
        `{${shelves.join()}}`,
        String(statementTimeoutMs),
        String(idleTimeoutMs),
        signal ? CONNECTION_CHECK : "0",
      ],
    });
  } catch (error) {
    await close();
    signal?.throwIfAborted();
    throw error;
  }
  const db = new Runner(client, onStatement);
  const counts = countsByPool.get(pool) ?? new EntryCounts();
  countsByPool.set(pool, counts);
  return {
    store: new PostgresStore(db, shelves, counts),
    limitedTo: (some) => new PostgresStore(db, some, counts),
    async listFileShelves() {
      const { rows } = await sql<{ file: number; shelf: number; person: string }>`
        SELECT file_id AS file, shelf, person FROM file_origin WHERE shelf = ANY (${shelves})`.execute(db);
      return rows;
    },
    close,
  };
}

/** The sessions on some shelves of a hub, within one transaction. */
class PostgresStore implements Store {
  readonly sessions: SessionReads;
  readonly #db: Runner;
  readonly #shelves: readonly number[];
  readonly #counts: EntryCounts;
  #search: SearchReads | undefined;

  constructor(db: Runner, shelves: readonly number[], counts: EntryCounts) {
    this.#db = db;
    this.#shelves = shelves;
    this.#counts = counts;
    this.sessions = new PostgresSessionReads(db, shelves);
  }

  async entries(): Promise<EntryReads> {
    return new PostgresEntryReads(this.#db, this.#shelves);
  }

  async search(): Promise<SearchReads> {
    this.#search ??= new PostgresSearchReads(this.#db, this.#shelves, this.#counts);
    return this.#search;
  }

  async usage(): Promise<UsageReads> {
    const { PostgresUsageReads } = await import("./usage-reads.ts");
    return new PostgresUsageReads(this.#db, this.#shelves);
  }

  snapshot<T>(queries: (store: Store) => Promise<T>): Promise<T> {
    return queries(this);
  }
}
