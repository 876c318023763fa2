import type { Database } from "../src/store/sqlite/open.ts";
import type { ReopeningDatabase } from "../src/store/sqlite/reopening-database.ts";
import { SnapshotReader } from "../src/store/sqlite/snapshot-reader.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { IndexRoots } from "./index-roots.ts";
import type { CallOptions } from "./query/call-options.ts";
import type { QuerySource } from "./query/query-index.ts";

/** Runs queries on the part of an SQLite database below the roots. */
export class LocalSource implements QuerySource {
  readonly snapshots: SnapshotReader;
  readonly sync: (options: CallOptions) => Promise<unknown>;
  readonly #roots: IndexRoots;

  /**
   * @param prepare as in `SnapshotReader`
   * @param sync brings the database up to date
   */
  constructor(
    database: ReopeningDatabase,
    roots: IndexRoots,
    { prepare, sync }: { prepare: () => Promise<unknown>; sync: LocalSource["sync"] },
  ) {
    this.snapshots = new SnapshotReader(database, prepare);
    this.sync = sync;
    this.#roots = roots;
  }

  read<T>(query: (store: SqliteStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.snapshots.read(({ reader }) => query(this.#toStore(reader, signal)));
  }

  readPage<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O,
    query: (store: SqliteStore, options: O) => Promise<A>,
    signal?: AbortSignal,
  ): Promise<A> {
    return this.snapshots.readPage(options, (reader, params) => query(this.#toStore(reader, signal), params));
  }

  stream<T, R>(query: (store: SqliteStore) => AsyncGenerator<T, R>, items: string): AsyncGenerator<T, R> {
    return this.snapshots.stream((reader) => query(this.#toStore(reader)), items);
  }

  /** Only the first item needs the database; the rest come from the file. */
  async *streamLines<T>(
    query: (store: SqliteStore) => Promise<AsyncGenerator<T, void>>,
  ): AsyncGenerator<T, void> {
    const { first, rest } = await this.read(async (store) => {
      const rest = await query(store);
      return { first: await rest.next(), rest };
    });
    try {
      for (let next = first; !next.done; next = await rest.next()) yield next.value;
    } finally {
      await rest.return(undefined);
    }
  }

  #toStore(reader: Database["reader"], signal?: AbortSignal): SqliteStore {
    return new SqliteStore(signal ? reader.cancelledBy(signal) : reader, { roots: this.#roots.current });
  }
}
