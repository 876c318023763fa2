import { DayPeriods } from "../day-periods.ts";
import type { UsageSeriesTable } from "../schema.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { addDay, createFileTargets, type RollupDay, toSeries } from "../sum-rollup.ts";
import type { SumQuery } from "../usage-reads.ts";
import { ALL_FILES, ALL_FILES_AND_DAYS } from "../usage-rollup.ts";
import type { Reader } from "./reader.ts";
import { inScope } from "./scope.ts";
import type { ScopedLedger } from "./scoped-ledger.ts";
import { allOf } from "./session-conditions.ts";
import { sumSingleEvents } from "./sum-events.ts";

/**
 * Adds up the ledger from the roll-up. Events are read only for the ends of a time range within a quarter of an hour, and for
 * differences between the scope and the whole index.
 */
export async function sumLedger(db: Reader, ledger: ScopedLedger, query: SumQuery): Promise<void> {
  await sumRollup(db, ledger, query);
  await sumSingleEvents(db, ledger, query);
}

async function sumRollup(db: Reader, ledger: ScopedLedger, query: SumQuery): Promise<void> {
  const { files, subagents } = query;
  const periods = new DayPeriods(query);
  const conditions: Sql<SqlBool>[] = periods.dayCondition();
  const { rows: series } = await sql<UsageSeriesTable>`SELECT * FROM usage_series`.execute(db);
  const seriesById = new Map(series.map(({ id, ...row }) => [id, toSeries(row)]));
  const targetsOf = createFileTargets(query, seriesById);
  const ofMainFiles = targetsOf(ALL_FILES);
  // Without a condition on files, the sums over all files are read, and the difference that subagents' files make.
  const isOverall = ledger.isComplete && !files && !query.isByFile;
  const overall = periods.areWholeDays ? ALL_FILES_AND_DAYS : ALL_FILES;
  if (isOverall) conditions.push(isIn([overall, ...subagents]));
  else if (files) conditions.push(isIn(files));
  else conditions.push(sql`+file_id > ${sql.lit(ALL_FILES)}`);
  if (!ledger.isComplete)
    conditions.push(sql`file_id IN (SELECT id FROM file WHERE ${inScope(ledger.scope)})`);
  const { rows } = await sql<RollupDay>`
    SELECT file_id, day, totals, ${await quartersColumn(db, periods)} AS rows FROM usage_rollup
    WHERE ${allOf(conditions)}`.execute(db);
  let file = overall;
  let ofFile = ofMainFiles;
  for (const row of rows) {
    if (row.file_id !== file) {
      file = row.file_id;
      ofFile = query.isByFile || subagents.has(file) ? targetsOf(file) : ofMainFiles;
    }
    addDay(row, periods, ofFile, 1);
    if (isOverall && file !== overall) addDay(row, periods, ofMainFiles, -1);
  }
}

/** SQL for the quarters of an hour, which are seven times as long as the totals, of days in which a period ends. */
async function quartersColumn(db: Reader, periods: DayPeriods): Promise<Sql<string | null>> {
  if (periods.areWholeDays) return sql`NULL`;
  if (periods.areShort) return sql`rows`;
  const { rows } = await sql<{ day: number }>`
    SELECT day FROM usage_rollup WHERE file_id = ${sql.lit(ALL_FILES)}`.execute(db);
  const whole = rows.map(({ day }) => day).filter((day) => periods.on(day).length === 1);
  return sql`CASE WHEN day NOT IN (SELECT value FROM json_each(${JSON.stringify(whole)})) THEN rows END`;
}

function isIn(files: Iterable<number>): Sql<SqlBool> {
  return sql`file_id IN (SELECT value FROM json_each(${JSON.stringify([...files])}))`;
}
