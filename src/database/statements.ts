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
