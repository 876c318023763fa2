import { memoize } from "../../memoize.ts";
import type { EntryReads } from "../entry-reads.ts";
import type { LocalReads, LocalStore } from "../local-reads.ts";
import type { SearchReads } from "../search-reads.ts";
import type { SessionReads } from "../session-reads.ts";
import type { Store } from "../store.ts";
import type { UsageReads } from "../usage-reads.ts";
import type { Reader } from "./reader.ts";
import type { Scope } from "./scope.ts";
import { SqliteSessionReads } from "./session-reads.ts";

const loadEntries = memoize(() => import("./entry-reads.ts"));
const loadLocal = memoize(() => import("./local-reads.ts"));
const loadSearch = memoize(() => import("./search-reads.ts"));
const loadUsage = memoize(() => import("./usage-reads.ts"));

/** The sessions of an SQLite database that are below some roots. */
export class SqliteStore implements LocalStore {
  readonly sessions: SessionReads;
  readonly #db: Reader;
  readonly #scope: Scope;
  #entries: Promise<EntryReads> | undefined;
  #local: Promise<LocalReads> | undefined;
  #search: Promise<SearchReads> | undefined;
  #usage: Promise<UsageReads> | undefined;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
    this.sessions = new SqliteSessionReads(db, scope);
  }

  entries(): Promise<EntryReads> {
    this.#entries ??= loadEntries().then(
      ({ SqliteEntryReads }) => new SqliteEntryReads(this.#db, this.#scope),
    );
    return this.#entries;
  }

  local(): Promise<LocalReads> {
    this.#local ??= loadLocal().then(({ SqliteLocalReads }) => new SqliteLocalReads(this.#db, this.#scope));
    return this.#local;
  }

  search(): Promise<SearchReads> {
    this.#search ??= loadSearch().then(
      ({ SqliteSearchReads }) => new SqliteSearchReads(this.#db, this.#scope),
    );
    return this.#search;
  }

  usage(): Promise<UsageReads> {
    this.#usage ??= loadUsage().then(({ SqliteUsageReads }) => new SqliteUsageReads(this.#db, this.#scope));
    return this.#usage;
  }

  snapshot<T>(queries: (store: Store) => Promise<T>): Promise<T> {
    return this.#db.snapshot((db) => queries(new SqliteStore(db, this.#scope)));
  }
}
