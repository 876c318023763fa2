import { getOrInsert } from "../../get-or-insert.ts";
import { addSums, type Sums, type UsageSeriesTable, zeroSums } from "../schema.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import type { SeriesTarget, SumQuery, SumTarget, UsageSeries } from "../usage-reads.ts";
import { DayPeriods, LONG_SPAN } from "./day-periods.ts";
import type { Reader } from "./reader.ts";
import { inScope } from "./scope.ts";
import type { ScopedLedger } from "./scoped-ledger.ts";
import { allOf } from "./session-conditions.ts";
import { sumSingleEvents, targetsIn, toSeries } from "./sum-events.ts";
import { ALL_FILES, ALL_FILES_AND_DAYS, addRollup, QUARTERS_PER_DAY } from "./usage-rollup.ts";

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
  const shared = new Map<SeriesTarget, FileTargets>();
  function targetsOf(file: number): FileTargets {
    return getOrInsert(shared, targetsIn(query, file), (target) => {
      const areSeriesAlike = !query.isBySeries && !subagents.has(file);
      const targetOf = areSeriesAlike ? toConstant(target(ANY_SERIES)) : cacheTargets(target, seriesById);
      return { targetOf, areSeriesAlike };
    });
  }
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

interface RollupDay {
  file_id: number;
  day: number;
  totals: string;
  rows: string | null;
}

/** The targets of a file by series id. */
type SeriesTargets = (series: number) => SumTarget;

interface FileTargets {
  targetOf: SeriesTargets;
  areSeriesAlike: boolean;
}

/** Stands for each series if a query does not distinguish them. */
const ANY_SERIES = toSeries({ kind: "assistant", model_id: 0, agent: "", tool: "", stop: "", current: 1 });

function toConstant<T>(value: T): () => T {
  return () => value;
}

/** Adds up a day of the roll-up. */
function addDay(
  { day, totals, rows }: RollupDay,
  periods: DayPeriods,
  { targetOf, areSeriesAlike }: FileTargets,
  sign: number,
): void {
  const how = { sign, areSeriesAlike };
  const inPeriod = (period: number) => (_: number, series: number) => targetOf(series)?.(period);
  const spans = periods.areShort ? [] : periods.on(day);
  const long = spans.find(({ from, until }) => until - from >= LONG_SPAN);
  if (long?.period !== undefined) addRollup(totals, inPeriod(long.period), how);
  if (!rows) return;
  if (long) {
    for (const { from, until, period } of spans) {
      if (from === long.from) continue;
      // Summed up first, because finding the span in the rows takes longer than adding it up.
      const moved = new Map<NonNullable<SumTarget>, Sums>();
      const sumsAt = (_: number, series: number) => {
        const target = targetOf(series);
        return target && getOrInsert(moved, target, zeroSums);
      };
      addRollup(rows, sumsAt, { ...how, from, until });
      for (const [target, sums] of moved) {
        if (period !== undefined) addSums(target(period), sums);
        if (long.period !== undefined) addSums(target(long.period), sums, -1);
      }
    }
    return;
  }
  const start = day * QUARTERS_PER_DAY;
  let period: number | undefined;
  let end = 0;
  addRollup(
    rows,
    (quarter, series) => {
      if (quarter >= end) {
        const span = periods.at(start + quarter);
        period = span.period;
        end = span.until - start;
      }
      return period === undefined ? undefined : targetOf(series)?.(period);
    },
    how,
  );
}

/** Targets by series id, cached because there are many rows. */
function cacheTargets(targetOf: SeriesTarget, seriesById: ReadonlyMap<number, UsageSeries>): SeriesTargets {
  const found: (SumTarget | null)[] = [];
  return (id) => {
    const known = found[id];
    if (known !== undefined) return known ?? undefined;
    const series = seriesById.get(id);
    const target = series && targetOf(series);
    found[id] = target ?? null;
    return target;
  };
}

function isIn(files: Iterable<number>): Sql<SqlBool> {
  return sql`file_id IN (SELECT value FROM json_each(${JSON.stringify([...files])}))`;
}
