/** Counts the SQLite work in this process: statements, returned rows, query plans. */
import Sqlite, { type Database, type Statement } from "better-sqlite3";

export interface SqliteWork {
  /** Number of executed statements. */
  statements: number;
  /** Number of returned rows. */
  rows: number;
  /** Lines of the query plan by statement text. */
  plans: Map<string, string[]>;
}

type Run = (this: Statement, ...values: unknown[]) => unknown;

/** The driver's statement class, which it does not export. */
const driver = Object.getPrototypeOf(new Sqlite(":memory:").prepare("SELECT 1")) as Record<string, Run>;

/** Counts the SQLite work of a function. Pragmas and ends of transactions count as statements. */
export async function measureSqlite<T>(work: () => Promise<T>): Promise<SqliteWork & { result: T }> {
  const counted: SqliteWork = { statements: 0, rows: 0, plans: new Map() };
  const { all, get, run, iterate } = driver as Record<"all" | "get" | "run" | "iterate", Run>;
  const note = (statement: Statement, values: unknown[]) => {
    counted.statements++;
    const { source } = statement;
    const database: Database = statement.database;
    if (counted.plans.has(source) || !/^\s*(SELECT|WITH)\b/i.test(source)) return;
    const plan = all.apply(database.prepare(`EXPLAIN QUERY PLAN ${source}`), values) as { detail: string }[];
    counted.plans.set(
      source,
      plan.map(({ detail }) => detail),
    );
  };
  driver.all = function (...values) {
    note(this, values);
    const rows = all.apply(this, values) as unknown[];
    counted.rows += rows.length;
    return rows;
  };
  driver.get = function (...values) {
    note(this, values);
    const row = get.apply(this, values);
    if (row !== undefined) counted.rows++;
    return row;
  };
  driver.run = function (...values) {
    note(this, values);
    return run.apply(this, values);
  };
  driver.iterate = function* (...values) {
    note(this, values);
    for (const row of iterate.apply(this, values) as Iterable<unknown>) {
      counted.rows++;
      yield row;
    }
  } as Run;
  try {
    const result = await work();
    return { ...counted, result };
  } finally {
    Object.assign(driver, { all, get, run, iterate });
  }
}
