import type { Pool } from "pg";
import type { EntryReads } from "../entry-reads.ts";
import type { SearchReads } from "../search-reads.ts";
import type { SessionReads } from "../session-reads.ts";
import type { Statement } from "../sql.ts";
import type { Store } from "../store.ts";
import type { UsageReads } from "../usage-reads.ts";
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
 * @throws PidexError `DATABASE_UNAVAILABLE` if the server cannot be reached
 */
export async function withPostgresStore<T>(
  pool: Pool,
  shelves: readonly number[],
  queries: (store: Store) => Promise<T>,
  onStatement?: (statement: Statement) => void,
): Promise<T> {
  const client = await connectClient(pool);
  let isBroken = false;
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query({
      name: "become reader",
      text: "SELECT set_config('pidex.shelves', $1, true), set_config('role', 'pidex_reader', true)",
      values: [`{${shelves.join()}}`],
    });
    return await queries(new PostgresStore(new Runner(client, onStatement), shelves));
  } finally {
    await client.query("ROLLBACK").catch(() => {
      isBroken = true; // the connection has been lost
    });
    client.release(isBroken);
  }
}

/** The sessions on some shelves of a hub, within one transaction. */
class PostgresStore implements Store {
  readonly sessions: SessionReads;
  readonly #db: Runner;
  readonly #shelves: readonly number[];
  #search: SearchReads | undefined;

  constructor(db: Runner, shelves: readonly number[]) {
    this.#db = db;
    this.#shelves = shelves;
    this.sessions = new PostgresSessionReads(db, shelves);
  }

  async entries(): Promise<EntryReads> {
    return new PostgresEntryReads(this.#db, this.#shelves);
  }

  async search(): Promise<SearchReads> {
    this.#search ??= new PostgresSearchReads(this.#db, this.#shelves);
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
