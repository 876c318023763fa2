import type { EntryReads } from "../entry-reads.ts";
import type { Reader } from "./reader.ts";
import type { Scope } from "./scope.ts";

export class SqliteEntryReads implements EntryReads {
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }
}
