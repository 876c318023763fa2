import type SQLite from "better-sqlite3";

/** Statements that are kept at most. Their texts differ by which options were given, not by what was: so many are rare. */
const MOST_KEPT = 200;

/**
 * What prepares each statement of a handle once: SQLite takes longer to plan a lookup than to do it.
 * Write into the text what SQLite looks at when it plans: a LIMIT, and what a flag is to be. Where it is a parameter, the
 * statement is planned again each time it is bound, be it to the same value.
 */
export function keepingStatements(handle: SQLite.Database): { prepare: (sql: string) => SQLite.Statement } {
  const kept = new Map<string, SQLite.Statement>();
  return {
    prepare: (sql) => {
      let statement = kept.get(sql);
      if (!statement || statement.busy) {
        statement = handle.prepare(sql);
        if (kept.size >= MOST_KEPT) kept.clear();
        kept.set(sql, statement);
      }
      return statement;
    },
  };
}

/** What statements are made by. */
export type Preparer = Pick<SQLite.Database, "prepare">;

/**
 * What prepares each statement when it is first run: the indexer has 140, and a sync of one appended line runs half of
 * them. A mistake in the SQL shows then, and not before.
 */
export function lazyStatements(handle: Preparer): Preparer {
  return { prepare: ((sql: string) => new LazyStatement(handle, sql)) as unknown as Preparer["prepare"] };
}

type Setting = "pluck" | "raw" | "safeIntegers";

/** As much of a statement as the indexer uses. */
class LazyStatement {
  readonly #handle: Preparer;
  readonly #sql: string;
  readonly #settings: Setting[] = [];
  #prepared: SQLite.Statement | undefined;

  constructor(handle: Preparer, sql: string) {
    this.#handle = handle;
    this.#sql = sql;
  }

  pluck(): this {
    return this.#set("pluck");
  }

  raw(): this {
    return this.#set("raw");
  }

  safeIntegers(): this {
    return this.#set("safeIntegers");
  }

  run(...parameters: unknown[]): SQLite.RunResult {
    return this.#statement().run(...parameters);
  }

  get(...parameters: unknown[]): unknown {
    return this.#statement().get(...parameters);
  }

  all(...parameters: unknown[]): unknown[] {
    return this.#statement().all(...parameters);
  }

  iterate(...parameters: unknown[]): IterableIterator<unknown> {
    return this.#statement().iterate(...parameters);
  }

  #set(setting: Setting): this {
    if (this.#prepared) this.#prepared[setting]();
    else this.#settings.push(setting);
    return this;
  }

  #statement(): SQLite.Statement {
    if (this.#prepared) return this.#prepared;
    const statement = this.#handle.prepare(this.#sql);
    for (const setting of this.#settings) statement[setting]();
    this.#prepared = statement;
    return statement;
  }
}
