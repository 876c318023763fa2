import type SQLite from "better-sqlite3";
import { BLOCK_LEVELS, blockOf, selectBlocks } from "../src/store/sqlite/blocks.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";

/**
 * Keeps the sums of the whole index by blocks of time. The quarters in which anything changed are noted, and their blocks
 * summed up anew, the shortest first, once all sums of sessions are right.
 */
export function prepareBlocks(db: Preparer) {
  const quartersOf = db
    .prepare<[number], number>("SELECT DISTINCT quarter FROM quarter_spending WHERE file_id = ?")
    .pluck();
  const levels = BLOCK_LEVELS.map((level) => ({
    width: level.width,
    remove: db.prepare<{ starts: string }>(
      `DELETE FROM ${level.table} WHERE width = ${level.width} AND start IN (SELECT value FROM json_each(@starts))`,
    ),
    sumUp: db.prepare<{ starts: string }>(`INSERT INTO ${level.table} ${selectBlocks(level, "@starts")}`),
  }));
  const changed = new Set<number>();

  return {
    begin: () => changed.clear(),
    /** Notes that the sums of a quarter changed. */
    changedIn: (quarter: number) => void changed.add(quarter),
    /** Notes that those of a file may change, or have changed: to be called before and after. */
    changedOf(file: number): void {
      for (const quarter of quartersOf.all(file)) changed.add(quarter);
    },
    settle(): void {
      if (changed.size === 0) return;
      for (const { width, remove, sumUp } of levels) {
        const blocks = new Set(Array.from(changed, (quarter) => blockOf(quarter, width)));
        const starts = JSON.stringify([...blocks]);
        remove.run({ starts });
        sumUp.run({ starts });
      }
      changed.clear();
    },
  };
}

/** Makes all blocks anew. Runs inside a transaction of the caller's. */
export function makeBlocks(db: SQLite.Database): void {
  for (const { table } of BLOCK_LEVELS) db.exec(`DELETE FROM ${table}`);
  for (const level of BLOCK_LEVELS) db.exec(`INSERT INTO ${level.table} ${selectBlocks(level)}`);
}
