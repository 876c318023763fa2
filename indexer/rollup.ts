import { getOrInsert } from "../src/get-or-insert.ts";
import {
  ATTRIBUTION,
  BUCKET_MS,
  NO_TIME_BUCKET,
  SERIES_COLUMNS,
  type SUMS,
  toSums,
} from "../src/store/schema.ts";
import { selectSums } from "../src/store/sqlite/event-sums.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import {
  ALL_FILES,
  ALL_FILES_AND_DAYS,
  bucketDay,
  mergeRows,
  packRollup,
  packTotals,
  type RollupRow,
  toBucket,
  unpackRollup,
} from "../src/store/usage-rollup.ts";

/** If more quarters of an hour of a file changed, the whole file is summed up again. */
const MAX_QUARTERS = 64;

type SummedRow = Record<(typeof SERIES_COLUMNS)[number], number | string> &
  Record<(typeof SUMS)[number], number> & { quarter: number };

/** Returns the updated sums, or undefined if one of them is negative. */
function addDifferences(
  rows: readonly RollupRow[],
  differences: readonly RollupRow[],
): RollupRow[] | undefined {
  const updated = mergeRows([...rows, ...differences]);
  return updated.every(({ sums }) => sums.every((sum) => sum >= 0)) ? updated : undefined;
}

/**
 * Maintains the roll-up of the ledger. Changes are recorded by file and quarter of an hour, and summed up again from the rows
 * at the end of the transaction, because errors of incremental sums would accumulate.
 */
export function prepareRollup(db: StatementPreparer) {
  // `+@file`: with `@file` alone SQLite prepares these again at each run (see `ledger-statements.ts`).
  const own = `event.file_id = +@file AND event.attribution = ${ATTRIBUTION.owner}`;
  const select = (condition: string) =>
    db.prepare<Record<string, number>, SummedRow>(selectSums(`${own} AND ${condition}`));
  const ofFile = select("TRUE");
  const ofQuarter = select("event.time >= +@from AND event.time < +@to");
  const withoutTime = select("event.time IS NULL");
  const rowsAt = db
    .prepare<[number, number], string>("SELECT rows FROM usage_rollup WHERE file_id = ? AND day = ?")
    .pluck();
  const rowsOf = db.prepare<[number], { day: number; rows: string }>(
    "SELECT day, rows FROM usage_rollup WHERE file_id = ?",
  );
  const rowsOfDay = db
    .prepare<[number], string>(`SELECT rows FROM usage_rollup WHERE day = ? AND file_id > ${ALL_FILES}`)
    .pluck();
  const totalsOfDays = db
    .prepare<[], string>(`SELECT totals FROM usage_rollup WHERE file_id = ${ALL_FILES}`)
    .pluck();
  const totalsOfAllDays = db
    .prepare<[], string>(`SELECT totals FROM usage_rollup WHERE file_id = ${ALL_FILES_AND_DAYS}`)
    .pluck();
  const insert = db.prepare("INSERT INTO usage_rollup (file_id, day, totals, rows) VALUES (?, ?, ?, ?)");
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
  /** By day, rows to add to those of all files. */
  const differences = new Map<number, RollupRow[]>();

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

  const unpackAt = (file: number, day: number) => unpackRollup(day, rowsAt.get(file, day) ?? "");

  function write(file: number, day: number, rows: readonly RollupRow[]): void {
    if (rows.length > 0) insert.run(file, day, packTotals(day, rows), packRollup(day, rows));
  }

  /** Records the differences in a day of a file for the sums over all files. */
  function differ(day: number, before: readonly RollupRow[], after: readonly RollupRow[]): void {
    const rows = getOrInsert(differences, day, () => []);
    for (const { sums, ...row } of before) rows.push({ ...row, sums: sums.map((sum) => -sum) });
    for (const row of after) rows.push(row);
  }

  function removeRows(file: number): void {
    for (const { day, rows } of rowsOf.all(file)) differ(day, unpackRollup(day, rows), []);
    removeFile.run(file);
  }

  function sumUpFile(file: number): void {
    removeRows(file);
    const days = Map.groupBy(ofFile.all({ file }).map(toRow), ({ bucket }) => bucketDay(bucket));
    for (const [day, rows] of days) {
      write(file, day, rows);
      differ(day, [], rows);
    }
  }

  function sumUpQuarters(file: number, quarters: ReadonlySet<number>): void {
    for (const [day, changedQuarters] of Map.groupBy(quarters, bucketDay)) {
      const rows = unpackAt(file, day);
      const summed = changedQuarters.flatMap((quarter) => {
        const from = quarter * BUCKET_MS;
        return quarter === NO_TIME_BUCKET
          ? withoutTime.all({ file })
          : ofQuarter.all({ file, from, to: from + BUCKET_MS });
      });
      const before = rows.filter(({ bucket }) => quarters.has(bucket));
      const after = summed.map(toRow);
      removeDay.run(file, day);
      write(file, day, [...rows.filter((row) => !before.includes(row)), ...after]);
      differ(day, before, after);
    }
  }

  /**
   * Updates the sums over all files by the differences between replaced rows and their replacements. If they were damaged, so that a
   * sum is now negative, adds up the rows of the files again.
   */
  function sumUpAllFiles(): void {
    if (differences.size === 0) return;
    for (const [day, rows] of differences) {
      const sums =
        addDifferences(unpackAt(ALL_FILES, day), rows) ??
        mergeRows(rowsOfDay.all(day).flatMap((packed) => unpackRollup(day, packed)));
      removeDay.run(ALL_FILES, day);
      write(ALL_FILES, day, sums);
    }
    const rows = [...differences.values()].flatMap((rows) => rows.map((row) => ({ ...row, bucket: 0 })));
    const sums =
      addDifferences(unpackRollup(0, totalsOfAllDays.get() ?? ""), rows) ??
      mergeRows(totalsOfDays.all().flatMap((packed) => unpackRollup(0, packed)));
    removeFile.run(ALL_FILES_AND_DAYS);
    if (sums.length > 0) insert.run(ALL_FILES_AND_DAYS, 0, packRollup(0, sums), "");
    differences.clear();
  }

  return {
    begin(): void {
      changed.clear();
      differences.clear();
      seriesIds.clear(); // another process may have replaced the database
    },
    /** Records that an event of a file changed. */
    markChanged(file: number, time: number | null): void {
      const quarters = changed.get(file);
      if (quarters === "all") return;
      if (quarters) quarters.add(toBucket(time));
      else changed.set(file, new Set([toBucket(time)]));
    },
    /** Records that any event of a file may have changed. */
    markAllChanged: (file: number) => void changed.set(file, "all"),
    /** Deletes the sums of a file. */
    drop(file: number): void {
      changed.delete(file);
      removeRows(file);
    },
    /** Row ids of the files with changes. */
    changedFiles: () => [...changed.keys()],
    settle(): void {
      for (const [file, quarters] of changed) {
        if (quarters === "all" || quarters.size > MAX_QUARTERS) sumUpFile(file);
        else sumUpQuarters(file, quarters);
      }
      changed.clear();
      sumUpAllFiles();
    },
  };
}
