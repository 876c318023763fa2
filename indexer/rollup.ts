import {
  ATTRIBUTION,
  BUCKET_MS,
  NO_TIME_BUCKET,
  SERIES_COLUMNS,
  type SUMS,
} from "../src/store/sqlite/schema.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import {
  bucketDay,
  packRollup,
  type RollupRow,
  selectSums,
  toBucket,
  toSums,
  unpackRollup,
} from "../src/store/sqlite/usage-rollup.ts";

/** If more quarters of an hour of a file changed, the whole file is summed up again. */
const MAX_QUARTERS = 64;

type SummedRow = Record<(typeof SERIES_COLUMNS)[number], number | string> &
  Record<(typeof SUMS)[number], number> & { quarter: number };

/**
 * Maintains the roll-up of the ledger. Changes are recorded by file and quarter of an hour, and summed up again from the rows
 * at the end of the transaction, because errors of incremental sums would accumulate.
 */
export function prepareRollup(db: StatementPreparer) {
  // `+@file`: with `@file` alone SQLite prepares these again at each run (see `ledger.ts`).
  const own = `event.file_id = +@file AND event.standing = ${ATTRIBUTION.owner}`;
  const select = (condition: string) =>
    db.prepare<Record<string, number>, SummedRow>(selectSums(`${own} AND ${condition}`));
  const ofFile = select("TRUE");
  const ofQuarter = select("event.time >= +@from AND event.time < +@to");
  const withoutTime = select("event.time IS NULL");
  const rowsAt = db
    .prepare<[number, number], Buffer>("SELECT rows FROM usage_rollup WHERE file_id = ? AND day = ?")
    .pluck();
  const insert = db.prepare("INSERT INTO usage_rollup (file_id, day, rows) VALUES (?, ?, ?)");
  const removeDay = db.prepare("DELETE FROM usage_rollup WHERE file_id = ? AND day = ?");
  const removeFile = db.prepare("DELETE FROM usage_rollup WHERE file_id = ?");
  const selectSeries = db.prepare<[], SummedRow & { id: number }>(
    `SELECT id, ${SERIES_COLUMNS.join(", ")} FROM usage_series`,
  );
  const insertSeries = db.prepare<SummedRow>(
    `INSERT INTO usage_series (${SERIES_COLUMNS.join(", ")})
     VALUES (${SERIES_COLUMNS.map((name) => `@${name}`).join(", ")})`,
  );
  const seriesIds = new Map<string, number>();
  const changed = new Map<number, Set<number> | "all">();

  const toKey = (row: SummedRow) => JSON.stringify(SERIES_COLUMNS.map((column) => row[column]));

  function seriesOf(row: SummedRow): number {
    // There are few series: all are read at once, for the first row of a transaction.
    if (seriesIds.size === 0) for (const one of selectSeries.all()) seriesIds.set(toKey(one), one.id);
    const key = toKey(row);
    const id = seriesIds.get(key) ?? Number(insertSeries.run(row).lastInsertRowid);
    seriesIds.set(key, id);
    return id;
  }

  const toRow = (row: SummedRow): RollupRow => ({
    bucket: row.quarter,
    series: seriesOf(row),
    sums: toSums(row),
  });

  function sumUpFile(file: number): void {
    removeFile.run(file);
    const days = Map.groupBy(ofFile.all({ file }), ({ quarter }) => bucketDay(quarter));
    for (const [day, rows] of days) insert.run(file, day, packRollup(day, rows.map(toRow)));
  }

  function sumUpQuarters(file: number, quarters: ReadonlySet<number>): void {
    for (const [day, changedQuarters] of Map.groupBy(quarters, bucketDay)) {
      const before = unpackRollup(day, rowsAt.get(file, day) ?? Buffer.alloc(0));
      const rows = before.filter(({ bucket }) => !quarters.has(bucket));
      for (const quarter of changedQuarters) {
        const from = quarter * BUCKET_MS;
        const summed =
          quarter === NO_TIME_BUCKET
            ? withoutTime.all({ file })
            : ofQuarter.all({ file, from, to: from + BUCKET_MS });
        rows.push(...summed.map(toRow));
      }
      removeDay.run(file, day);
      if (rows.length > 0) insert.run(file, day, packRollup(day, rows));
    }
  }

  return {
    begin(): void {
      changed.clear();
      seriesIds.clear(); // another process may have replaced the database
    },
    /** Records that an event of a file changed. */
    changedAt(file: number, time: number | null): void {
      const quarters = changed.get(file);
      if (quarters === "all") return;
      if (quarters) quarters.add(toBucket(time));
      else changed.set(file, new Set([toBucket(time)]));
    },
    /** Records that any event of a file may have changed. */
    changedAnywhere: (file: number) => void changed.set(file, "all"),
    /** Deletes the sums of a file. */
    drop(file: number): void {
      changed.delete(file);
      removeFile.run(file);
    },
    /** Row ids of the files with changes. */
    changedFiles: () => [...changed.keys()],
    settle(): void {
      for (const [file, quarters] of changed) {
        if (quarters === "all" || quarters.size > MAX_QUARTERS) sumUpFile(file);
        else sumUpQuarters(file, quarters);
      }
      changed.clear();
    },
  };
}
