import type SQLite from "better-sqlite3";

/** Texts depend on which options are set, not on their values, so there are rarely more. */
const MAX_CACHED_STATEMENTS = 200;

/**
 * Prepares each statement of a handle once, because SQLite takes longer to plan a lookup than to run it. Write values that
 * the planner uses, such as a LIMIT or the value of a flag, as literals: SQLite plans a statement again whenever such a
 * parameter is bound, even to the same value.
 */
export function cacheStatements(handle: SQLite.Database): { prepare: (sql: string) => SQLite.Statement } {
  const kept = new Map<string, SQLite.Statement>();
  return {
    prepare: (sql) => {
      let statement = kept.get(sql);
      if (!statement || statement.busy) {
        statement = handle.prepare(sql);
        if (kept.size >= MAX_CACHED_STATEMENTS) kept.clear();
        kept.set(sql, statement);
      }
      return statement;
    },
  };
}

/** Returns a function that runs a statement and returns the first column of its first row. */
export function singleValue<T>(handle: SQLite.Database, sql: string): () => T {
  const statement = handle.prepare(sql).pluck();
  return () => statement.get() as T;
}

/** Prepares statements. */
export type StatementPreparer = Pick<SQLite.Database, "prepare">;

/**
 * Prepares each statement when it is first run: the indexer has 140, and a sync of one appended line uses half of them.
 * Errors in the SQL appear only then.
 */
export function lazyStatements(handle: StatementPreparer): StatementPreparer {
  return {
    prepare: ((sql: string) => new LazyStatement(handle, sql)) as unknown as StatementPreparer["prepare"],
  };
}

type Setting = "pluck" | "raw" | "safeIntegers";

/** The methods of a statement that the indexer uses. */
class LazyStatement {
  readonly #handle: StatementPreparer;
  readonly #sql: string;
  readonly #settings: Setting[] = [];
  #prepared: SQLite.Statement | undefined;

  constructor(handle: StatementPreparer, sql: string) {
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
