import { ALL_TIME } from "../day-periods.ts";
import { ATTRIBUTION, addSums, BUCKET_MS, type SUMS, toSums, type UsageSeriesTable } from "../schema.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { type TargetQuery, targetsIn, toSeries } from "../sum-rollup.ts";
import type { SumQuery } from "../usage-reads.ts";
import { bucketDay, toBucket } from "../usage-rollup.ts";
import { selectCallSums, selectEventSums } from "./event-sums.ts";
import type { Reader } from "./reader.ts";
import { REPORTED_COLUMNS } from "./reported-figures.ts";
import { inScope } from "./scope.ts";
import type { Correction, ScopedLedger } from "./scoped-ledger.ts";
import { allOf } from "./session-conditions.ts";

/** Adds up the events that the roll-up does not cover: see `sumLedger`. */
export async function sumSingleEvents(db: Reader, ledger: ScopedLedger, query: SumQuery): Promise<void> {
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
  const { since, until, files } = query;
  const span = isInSpan(query);
  // All sessions may be copies of others outside the scope: a search reads the costs of a few of them.
  const counted = files ? reattributed.filter(({ file }) => files.has(file)) : reattributed;
  const ends = [since, until].filter((end) => end !== undefined).filter((end) => end % BUCKET_MS !== 0);
  const edges = [...new Set(ends.map(toBucket))].map((quarter) => {
    const from = quarter * BUCKET_MS;
    const files = `SELECT file_id FROM usage_rollup WHERE day = ${bucketDay(quarter)}`;
    const within = `event.time >= ${from} AND event.time < ${from + BUCKET_MS}`;
    return [`event.file_id IN (${files})`, within, `event.attribution = ${ATTRIBUTION.owner}`, span].join(
      " AND ",
    );
  });
  if (counted.length === 0) return edges;
  return [...edges, [isAmong(counted), span].join(" AND ")];
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
      event.stop, event.attribution, event.context, NULL AS elapsed, ${figures.join(", ")}
    FROM json_each('${JSON.stringify(values)}') CROSS JOIN event
      ON event.entry = value ->> 0 AND event.ordinal = value ->> 1)`;
}

function isAmong(events: readonly { entry: number; ordinal: number }[]): string {
  const ids = JSON.stringify(events.map(({ entry, ordinal }) => [entry, ordinal]));
  return `(event.entry, event.ordinal) IN (SELECT value ->> 0, value ->> 1 FROM json_each('${ids}'))`;
}
