import type { StatementPreparer } from "../src/store/sqlite/statements.ts";

/** Number of cached ids: a session uses the same few models and paths repeatedly. */
const CACHE_SIZE = 10_000;

/** The row ids of values in a lookup table, cached for a transaction. Values without a row get one. */
export function prepareRowIds(db: StatementPreparer, table: string, columns: readonly string[]) {
  const condition = columns.map((name) => `${name} = ?`).join(" AND ");
  const select = db.prepare<string[], number>(`SELECT id FROM ${table} WHERE ${condition}`).pluck();
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  const ids = new Map<string, number>();

  return {
    /** Call it first in each transaction: the last one may have been rolled back, and other processes change rows. */
    forget: () => ids.clear(),
    idOf(...values: string[]): number {
      const name = JSON.stringify(values);
      let id = ids.get(name) ?? select.get(...values);
      id ??= Number(insert.run(...values).lastInsertRowid);
      if (ids.size >= CACHE_SIZE) ids.clear();
      ids.set(name, id);
      return id;
    },
  };
}
