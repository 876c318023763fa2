import type { SearchReads } from "../search-reads.ts";
import type { Reader } from "./reader.ts";
import type { Scope } from "./scope.ts";

export class SqliteSearchReads implements SearchReads {
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }
}
