import type { Reader } from "../../src/store/sqlite/reader.ts";
import { REPORTED_COLUMNS } from "../../src/store/sqlite/reported-figures.ts";
import {
  ATTRIBUTION,
  BUCKET_MS,
  NO_TIME_BUCKET,
  type SUMS,
  type Sums,
  type UsageSeriesTable,
} from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import {
  addRollup,
  bucketDay,
  CALL_KIND,
  selectCallSums,
  selectEventSums,
  toBucket,
  toSums,
} from "../../src/store/sqlite/usage-rollup.ts";
import { allOf } from "../filter.ts";
import { inScope } from "../scope.ts";
import { addSums } from "./figures.ts";
import type { Correction, ScopedLedger } from "./scoped-ledger.ts";

/** The dimensions of a sum, besides file and time. Tool calls have the kind of the model response that made them. */
export interface UsageSeries extends Omit<UsageSeriesTable, "id"> {
  isCall: boolean;
}

/** The sums that a series in a file is added to, which may depend on the quarter of an hour; undefined skips it. */
export type SumTarget = Sums | ((quarter: number) => Sums) | undefined;

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
  /** Called once for each series, and for each file if files are distinguished. */
  target: (series: UsageSeries, file: number) => SumTarget;
}

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
  const { since, until, files } = query;
  const first = since === undefined ? Number.NEGATIVE_INFINITY : Math.ceil(since / BUCKET_MS);
  const end = until === undefined ? Number.POSITIVE_INFINITY : Math.floor(until / BUCKET_MS);
  // With an upper limit, events without a time are excluded.
  const start = until === undefined ? first : Math.max(first, NO_TIME_BUCKET + 1);
  const targets = new Targets(query, await seriesById(db));
  let file = 0;
  let ofFile = targets.of(file);
  const sumsAt = (quarter: number, series: number) =>
    quarter >= start && quarter < end ? sumsOf(ofFile(series), quarter) : undefined;
  const conditions: Sql<SqlBool>[] = [];
  if (!ledger.isComplete)
    conditions.push(sql`file_id IN (SELECT id FROM file WHERE ${inScope(ledger.scope)})`);
  if (files) conditions.push(sql`file_id IN (SELECT value FROM json_each(${JSON.stringify([...files])}))`);
  if (start > Number.NEGATIVE_INFINITY) conditions.push(sql`day >= ${bucketDay(start)}`);
  if (end < Number.POSITIVE_INFINITY) conditions.push(sql`day <= ${bucketDay(end)}`);
  // 300,000 events are some 2 MB.
  const { rows } = await sql<{ file_id: number; day: number; rows: Uint8Array }>`
    SELECT file_id, day, rows FROM usage_rollup WHERE ${allOf(conditions)}`.execute(db);
  for (const { file_id, day, rows: packed } of rows) {
    if (file_id !== file) ofFile = targets.of(file_id);
    file = file_id;
    addRollup(day, packed, sumsAt);
  }
}

/** Caches targets by file and series, because there are many rows. */
class Targets {
  readonly #query: SumQuery;
  readonly #series: ReadonlyMap<number, UsageSeries>;
  /** For files that are not distinguished. */
  readonly #shared = this.#ofFile(0);

  constructor(query: SumQuery, series: ReadonlyMap<number, UsageSeries>) {
    this.#query = query;
    this.#series = series;
  }

  of(file: number): (series: number) => SumTarget {
    const { isByFile, subagents } = this.#query;
    return isByFile || subagents.has(file) ? this.#ofFile(file) : this.#shared;
  }

  #ofFile(file: number): (series: number) => SumTarget {
    const found: (SumTarget | null)[] = [];
    return (id) => {
      const known = found[id];
      if (known !== undefined) return known ?? undefined;
      const series = this.#series.get(id);
      const target = series && targetOf(this.#query, series, file);
      found[id] = target ?? null;
      return target;
    };
  }
}

type TargetQuery = Pick<SumQuery, "files" | "subagents" | "target">;

function targetOf({ subagents, target }: TargetQuery, series: UsageSeries, file: number): SumTarget {
  return series.kind === "user" && subagents.has(file) ? undefined : target(series, file);
}

function sumsOf(target: SumTarget, quarter: number): Sums | undefined {
  return typeof target === "function" ? target(quarter) : target;
}

async function seriesById(db: Reader): Promise<Map<number, UsageSeries>> {
  const { rows } = await sql<UsageSeriesTable>`SELECT * FROM usage_series`.execute(db);
  return new Map(rows.map(({ id, ...row }) => [id, toSeries(row)]));
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
      const sums = sumsOf(targetOf(query, toSeries(row), row.file_id), row.quarter);
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
    return [`event.file_id IN (${files})`, within, `event.standing = ${ATTRIBUTION.owner}`, span].join(
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
      event.stop, event.standing, NULL AS elapsed, ${figures.join(", ")}
    FROM json_each('${JSON.stringify(values)}') CROSS JOIN event
      ON event.entry = value ->> 0 AND event.ordinal = value ->> 1)`;
}

function isAmong(events: readonly { entry: number; ordinal: number }[]): string {
  const ids = JSON.stringify(events.map(({ entry, ordinal }) => [entry, ordinal]));
  return `(event.entry, event.ordinal) IN (SELECT value ->> 0, value ->> 1 FROM json_each('${ids}'))`;
}
