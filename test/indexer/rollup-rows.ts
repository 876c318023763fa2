import type SQLite from "better-sqlite3";
import { SERIES_COLUMNS, SUMS } from "../../src/store/sqlite/schema.ts";
import { unpackRollup } from "../../src/store/sqlite/usage-rollup.ts";

/** The roll-up as rows: file, quarter of an hour, the columns of the series, and all sums. */
export function rollupRows(db: SQLite.Database): Record<string, unknown>[] {
  const series = new Map(
    (db.prepare("SELECT * FROM usage_series").all() as Record<string, unknown>[]).map((row) => [row.id, row]),
  );
  const blobs = db.prepare("SELECT * FROM usage_rollup").all() as {
    file_id: number;
    day: number;
    rows: Buffer;
  }[];
  return blobs.flatMap(({ file_id, day, rows }) =>
    unpackRollup(day, rows).map(({ bucket, series: id, sums }) => {
      const of = series.get(id);
      if (!of) throw new Error(`there is no series ${id}`);
      return {
        file_id,
        quarter: bucket,
        ...Object.fromEntries(SERIES_COLUMNS.map((name) => [name, of[name]])),
        ...Object.fromEntries(SUMS.map((name, n) => [name, sums[n]])),
      };
    }),
  );
}
