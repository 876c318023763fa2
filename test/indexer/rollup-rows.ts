import type SQLite from "better-sqlite3";
import { SERIES_COLUMNS, SUMS } from "../../src/store/schema.ts";
import { unpackRollup } from "../../src/store/usage-rollup.ts";

/** The roll-up as rows: file (0 for all files), span, time bucket, the columns of the series, and all sums. */
export function rollupRows(db: SQLite.Database): Record<string, unknown>[] {
  const series = new Map(
    (db.prepare("SELECT * FROM usage_series").all() as Record<string, unknown>[]).map((row) => [row.id, row]),
  );
  const days = db.prepare("SELECT * FROM usage_rollup").all() as {
    file_id: number;
    day: number;
    totals: string;
    rows: string;
  }[];
  const unpacked = days.flatMap(({ file_id, day, totals, rows }) =>
    Object.entries({ day: totals, quarter: rows }).flatMap(([span, packed]) =>
      unpackRollup(day, packed).map((row) => ({ file_id, span, row })),
    ),
  );
  return unpacked.map(({ file_id, span, row: { bucket, series: id, sums } }) => {
    const of = series.get(id);
    if (!of) throw new Error(`series ${id} is missing`);
    return {
      file_id,
      span,
      quarter: bucket,
      ...Object.fromEntries(SERIES_COLUMNS.map((name) => [name, of[name]])),
      ...Object.fromEntries(SUMS.map((name, n) => [name, sums[n]])),
    };
  });
}
