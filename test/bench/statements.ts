/** Counts what some work in this process does in SQLite: statements, returned rows, query plans. */
import Sqlite, { type Database, type Statement } from "better-sqlite3";

export interface Asked {
  /** How often a statement was run. */
  statements: number;
  /** Rows that came back. */
  rows: number;
  /** Of each statement's text, the lines of its query plan. */
  plans: Map<string, string[]>;
}

type Run = (this: Statement, ...values: unknown[]) => unknown;

/** The driver's own class, which it does not export. */
const driver = Object.getPrototypeOf(new Sqlite(":memory:").prepare("SELECT 1")) as Record<string, Run>;

/** Counts what a piece of work asks of SQLite. Pragmas, and the ends of transactions, are statements too. */
export async function asked<T>(work: () => Promise<T>): Promise<Asked & { result: T }> {
  const counted: Asked = { statements: 0, rows: 0, plans: new Map() };
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
