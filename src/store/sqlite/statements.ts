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

type Setting = "pluck" | "raw" | "safeIntegers";

/**
 * Prepares each statement when it is first run: the indexer has 140, and a sync of one appended line uses half of them.
 * Errors in the SQL appear only then.
 */
export function lazyStatements(handle: StatementPreparer): StatementPreparer {
  const prepare = (sql: string) => {
    let statement: SQLite.Statement | undefined;
    const settings: Setting[] = [];
    const prepared = (): SQLite.Statement => {
      if (statement) return statement;
      statement = handle.prepare(sql);
      for (const setting of settings) statement[setting]();
      return statement;
    };
    const set = (setting: Setting) => (): object => {
      if (statement) statement[setting]();
      else settings.push(setting);
      return lazy;
    };
    const lazy = {
      pluck: set("pluck"),
      raw: set("raw"),
      safeIntegers: set("safeIntegers"),
      run: (...parameters: unknown[]) => prepared().run(...parameters),
      get: (...parameters: unknown[]) => prepared().get(...parameters),
      all: (...parameters: unknown[]) => prepared().all(...parameters),
      iterate: (...parameters: unknown[]) => prepared().iterate(...parameters),
    };
    return lazy;
  };
  return { prepare: prepare as unknown as StatementPreparer["prepare"] };
}
