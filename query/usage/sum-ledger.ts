import { getOrInsert } from "../../src/get-or-insert.ts";
import {
  ATTRIBUTION,
  BUCKET_MS,
  NO_TIME_BUCKET,
  type SUMS,
  type Sums,
  type UsageSeriesTable,
  zeroSums,
} from "../../src/store/schema.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { REPORTED_COLUMNS } from "../../src/store/sqlite/reported-figures.ts";
import { inScope } from "../../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import {
  ALL_FILES,
  ALL_FILES_AND_DAYS,
  addRollup,
  addSums,
  bucketDay,
  CALL_KIND,
  QUARTERS_PER_DAY,
  selectCallSums,
  selectEventSums,
  toBucket,
  toSums,
} from "../../src/store/sqlite/usage-rollup.ts";
import { allOf } from "../sql-conditions.ts";
import type { Correction, ScopedLedger } from "./scoped-ledger.ts";

/** The dimensions of a sum, besides file and time. Tool calls have the kind of the model response that made them. */
export interface UsageSeries extends Omit<UsageSeriesTable, "id"> {
  isCall: boolean;
}

/** The sums that a series in a file is added to, by number of the period; undefined skips the series. */
export type SumTarget = ((period: number) => Sums) | undefined;

/**
 * Called once for each series. Files other than subagents' whose sums have the same targets should share one function: there
 * are thousands of files with tens of series each.
 */
export type SeriesTarget = (series: UsageSeries) => SumTarget;

/** A number for the period that contains a quarter of an hour, and the first quarter after it. */
export interface NumberedPeriod {
  period: number;
  until: number;
}

export interface SumQuery {
  /** Row ids of the files to read; undefined for all. */
  files?: ReadonlySet<number> | undefined;
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  /** Row ids of subagents' files: users' messages there are the subagents' tasks, and are skipped. */
  subagents: ReadonlySet<number>;
  /** Whether `target` distinguishes files other than subagents'. */
  isByFile?: boolean;
  /** Whether `target` distinguishes series. */
  isBySeries: boolean;
  /** Called once for each file if files are distinguished. */
  target: (file: number) => SeriesTarget;
  /** The periods to distinguish; by default all time is period 0. */
  periodAt?: ((quarter: number) => NumberedPeriod) | undefined;
}

const ALL_TIME: NumberedPeriod = { period: 0, until: Number.POSITIVE_INFINITY };

/**
 * Adds up the ledger from the roll-up. Events are read only for the ends of a time range within a quarter of an hour, and for
 * differences between the scope and the whole index.
 */
export async function sumLedger(db: Reader, ledger: ScopedLedger, query: SumQuery): Promise<void> {
  await sumRollup(db, ledger, query);
  const isInLedger: Sql<SqlBool>[] = ledger.isComplete
    ? []
    : [sql`file_id IN (SELECT id FROM file WHERE ${inScope(ledger.scope)})`];
  const span = isInSpan(query);
  for (const condition of singleEventConditions(ledger, query)) {
    await sumRows(db, [selectEventSums(condition), selectCallSums(condition)], isInLedger, query);
  }
  if (ledger.corrections.length === 0) return;
  await sumRows(db, [selectEventSums(span, differences(ledger.corrections))], isInLedger, query);
}

/** Adds up the given events, whatever their attribution. */
export async function sumEvents(
  db: Reader,
  events: readonly { entry: number; ordinal: number }[],
  corrections: readonly Correction[],
  query: TargetQuery,
): Promise<void> {
  const condition = isAmong(events);
  await sumRows(db, [selectEventSums(condition), selectCallSums(condition)], [], query);
  if (corrections.length > 0)
    await sumRows(db, [selectEventSums("TRUE", differences(corrections))], [], query);
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

/** A part of a day that is in one period: quarters of an hour, counted from the start of the day. */
interface DaySpan {
  from: number;
  until: number;
  /** Undefined outside the time range of the query. */
  period: number | undefined;
}

/** If a span is at least this long, it is computed from the sums of the day and those of the rest of the day. */
const LONG_SPAN = QUARTERS_PER_DAY / 2;

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

/** Divides days into the periods of a query. */
class DayPeriods {
  readonly #start: number;
  readonly #end: number;
  readonly #periodAt: (quarter: number) => NumberedPeriod;
  readonly #days = new Map<number, DaySpan[]>();
  /** Whether no period ends within a day. */
  readonly areWholeDays: boolean;
  /** Whether periods are hours or similar, of which most days have few: only those are named. */
  readonly areShort: boolean;

  constructor({ since, until, periodAt = () => ALL_TIME }: SumQuery) {
    const first = since === undefined ? Number.NEGATIVE_INFINITY : Math.ceil(since / BUCKET_MS);
    // With an upper limit, events without a time are excluded.
    this.#start = until === undefined ? first : Math.max(first, NO_TIME_BUCKET + 1);
    this.#end = until === undefined ? Number.POSITIVE_INFINITY : Math.floor(until / BUCKET_MS);
    this.#periodAt = periodAt;
    // Whatever the offset of the time zone, one of two consecutive long periods has at least half a day.
    const { until: next } = periodAt(0);
    this.areShort = next < LONG_SPAN && periodAt(next).until - next < LONG_SPAN;
    this.areWholeDays = since === undefined && until === undefined && periodAt(0) === ALL_TIME;
  }

  /** Conditions on `day`. */
  dayCondition(): Sql<SqlBool>[] {
    return [
      ...(this.#start > Number.NEGATIVE_INFINITY ? [sql<SqlBool>`day >= ${bucketDay(this.#start)}`] : []),
      ...(this.#end < Number.POSITIVE_INFINITY ? [sql<SqlBool>`day <= ${bucketDay(this.#end)}`] : []),
    ];
  }

  /** The period of a quarter of an hour, if it is in the time range of the query, and a quarter until which that is so. */
  at(quarter: number): { period: number | undefined; until: number } {
    if (quarter < this.#start) return { period: undefined, until: this.#start };
    if (quarter >= this.#end) return { period: undefined, until: Number.POSITIVE_INFINITY };
    const { period, until } = this.#periodAt(quarter);
    return { period, until: Math.min(until, this.#end) };
  }

  /** The spans of a day, in order. */
  on(day: number): DaySpan[] {
    const known = this.#days.get(day);
    if (known) return known;
    const spans: DaySpan[] = [];
    const start = day * QUARTERS_PER_DAY;
    for (let from = start; from < start + QUARTERS_PER_DAY; ) {
      const next = this.at(from);
      const until = Math.min(start + QUARTERS_PER_DAY, next.until);
      const last = spans.at(-1);
      if (last && last.period === next.period) last.until = until - start;
      else spans.push({ from: from - start, until: until - start, period: next.period });
      from = until;
    }
    this.#days.set(day, spans);
    return spans;
  }
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

type TargetQuery = Pick<SumQuery, "files" | "subagents" | "target" | "periodAt">;

function targetsIn({ subagents, target }: TargetQuery, file: number): SeriesTarget {
  const targetOf = target(file);
  return subagents.has(file) ? (series) => (series.kind === "user" ? undefined : targetOf(series)) : targetOf;
}

function toSeries(row: Omit<UsageSeriesTable, "id">): UsageSeries {
  const { model_id, agent, tool, stop, current } = row;
  const isCall = row.kind === CALL_KIND;
  return { isCall, kind: isCall ? "assistant" : row.kind, model_id, agent, tool, stop, current };
}

type SummedRow = Omit<UsageSeriesTable, "id"> &
  Record<(typeof SUMS)[number], number> & { quarter: number; file_id: number };

/** Adds sums that SQLite computes from events. */
async function sumRows(
  db: Reader,
  selects: readonly string[],
  conditions: readonly Sql<SqlBool>[],
  query: TargetQuery,
): Promise<void> {
  for (const select of selects) {
    const { rows } = await sql<SummedRow>`
      SELECT * FROM (${sql.raw(select)}) WHERE ${allOf(conditions)}`.execute(db);
    for (const row of rows) {
      if (query.files?.has(row.file_id) === false) continue;
      const period = query.periodAt?.(row.quarter).period ?? ALL_TIME.period;
      const sums = targetsIn(query, row.file_id)(toSeries(row))?.(period);
      if (sums) addSums(sums, toSums(row));
    }
  }
}

/** Conditions on the events that are read one by one. Only numbers are inserted into the SQL text. */
function singleEventConditions({ reattributed }: ScopedLedger, query: SumQuery): string[] {
  const { since, until } = query;
  const span = isInSpan(query);
  const ends = [since, until].filter((end) => end !== undefined).filter((end) => end % BUCKET_MS !== 0);
  const edges = [...new Set(ends.map(toBucket))].map((quarter) => {
    const from = quarter * BUCKET_MS;
    const files = `SELECT file_id FROM usage_rollup WHERE day = ${bucketDay(quarter)}`;
    const within = `event.time >= ${from} AND event.time < ${from + BUCKET_MS}`;
    return [`event.file_id IN (${files})`, within, `event.attribution = ${ATTRIBUTION.owner}`, span].join(
      " AND ",
    );
  });
  if (reattributed.length === 0) return edges;
  return [...edges, [isAmong(reattributed), span].join(" AND ")];
}

function isInSpan({ since, until }: SumQuery): string {
  return [
    ...(since === undefined ? [] : [`event.time >= ${since}`]),
    ...(until === undefined ? [] : [`event.time < ${until}`]),
    "TRUE",
  ].join(" AND ");
}

/** A subquery for the corrected events, with the differences as their figures. */
function differences(corrections: readonly Correction[]): string {
  const values = corrections.map(({ entry, ordinal, difference }) => [
    ...[entry, ordinal],
    ...REPORTED_COLUMNS.map((name) => difference[name]),
  ]);
  const figures = REPORTED_COLUMNS.map((name, n) => `value ->> ${n + 2} AS ${name}`);
  return `(SELECT event.entry, event.ordinal, event.file_id, event.time, event.kind, event.model_id, event.agent, event.tool,
      event.stop, event.attribution, NULL AS elapsed, ${figures.join(", ")}
    FROM json_each('${JSON.stringify(values)}') CROSS JOIN event
      ON event.entry = value ->> 0 AND event.ordinal = value ->> 1)`;
}

function isAmong(events: readonly { entry: number; ordinal: number }[]): string {
  const ids = JSON.stringify(events.map(({ entry, ordinal }) => [entry, ordinal]));
  return `(event.entry, event.ordinal) IN (SELECT value ->> 0, value ->> 1 FROM json_each('${ids}'))`;
}
