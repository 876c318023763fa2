import { quarterOf, selectSpending, selectToolUse } from "../../src/store/sqlite/ledger-sums.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import {
  CALL_SUMS,
  NO_QUARTER,
  QUARTER_MS,
  STANDING,
  SUMS,
  type Sums,
} from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { allOf } from "../filter.ts";
import { inScope } from "../scope.ts";
import { sumBlocks } from "./block-sums.ts";
import { addSums, noSums } from "./figures.ts";
import { CORRECTED, type Correction, type LedgerPart } from "./ledger-part.ts";
import {
  addedOf,
  areSubagents,
  CALLS,
  type Condition,
  columnsOf,
  quarterTable,
  type SumQuery,
  type SumRow,
  sessionTable,
} from "./sum-query.ts";

/** Rows that are read at a time, by quarter. */
const PAGE = 10_000;

/**
 * Adds up the ledger. Most comes from the sums that the indexer keeps: of blocks of time where the whole index is asked
 * for and no session, else of sessions where all time is, else by quarter of an hour. Only the ends of a span of time that
 * cut through a quarter, and what a part of the index has adopted, is added up event by event.
 *
 * @returns groups, some at a time, of which several may be of the same
 */
export async function* sumUp(db: Reader, ledger: LedgerPart, query: SumQuery): AsyncGenerator<SumRow[]> {
  const here = ledger.isAll
    ? []
    : [
        // By quarter sums are walked in order of time: the `+` keeps SQLite from looking each file up, and sorting.
        sql<SqlBool>`${query.periods ? sql`+file_id` : sql`file_id`} IN (SELECT id FROM file WHERE ${inScope(ledger.scope)})`,
      ];
  const whole = [sql<SqlBool>`standing = ${STANDING.own}`, ...wholeQuarters(query), ...here];
  const [spending, toolUse] = tablesFor(query);
  const inBlocks = ledger.isAll && (yield* sumBlocks(db, query));
  if (!inBlocks) yield* groups(db, spending, toolUse, whole, query);
  // Blocks of time know that something is a subagent's, and not of which one.
  else if (query.by.includes("subagent_file") && query.subagents.length > 0) {
    yield* groups(db, spending, toolUse, [...whole, areSubagents(query)], query);
  }
  for (const which of singleEvents(ledger, query)) {
    const toolUse = `(${selectToolUse(which)})`;
    const spending = `(${selectSpending(which, toolUse)})`;
    yield* groups(db, spending, toolUse, here, query);
  }
  if (ledger.corrections.length === 0) return;
  const noToolUse = `(${selectToolUse("FALSE")})`;
  const corrected = selectSpending(isInSpan(query), noToolUse, differences(ledger.corrections));
  yield* groups(db, `(${corrected})`, noToolUse, here, query);
}

/** The smallest tables that tell apart what a query must. */
function tablesFor(query: SumQuery): [spending: string, toolUse: string] {
  const { periods, since, until } = query;
  const isOfAllTime = !periods && since === undefined && until === undefined;
  return isOfAllTime ? [sessionTable(query), "session_tool_use"] : [quarterTable(query), "tool_use"];
}

/** The quarters that lie in the span as a whole. */
function wholeQuarters({ since, until }: SumQuery): Condition[] {
  const conditions: Condition[] = [];
  if (since !== undefined) conditions.push(sql`quarter >= ${Math.ceil(since / QUARTER_MS)}`);
  if (until !== undefined) conditions.push(sql`quarter < ${Math.floor(until / QUARTER_MS)}`);
  // An event without a time is in no span.
  if (since === undefined && until !== undefined) conditions.push(sql`quarter > ${NO_QUARTER}`);
  return conditions;
}

/** Conditions on events that are to be added up one by one. Only numbers are pasted into them. */
function singleEvents({ adopted }: LedgerPart, query: SumQuery): string[] {
  const { since, until } = query;
  const span = isInSpan(query);
  const ends = [since, until].filter((end) => end !== undefined).filter((end) => end % QUARTER_MS !== 0);
  const edges = [...new Set(ends.map(quarterOf))].map((quarter) => {
    const from = quarter * QUARTER_MS;
    const files = `SELECT file_id FROM spending WHERE quarter = ${quarter}`;
    const within = `event.time >= ${from} AND event.time < ${from + QUARTER_MS}`;
    return [`event.file_id IN (${files})`, within, `event.standing = ${STANDING.own}`, span].join(" AND ");
  });
  if (adopted.length === 0) return edges;
  return [...edges, [areAmong(adopted), span].join(" AND ")];
}

function isInSpan({ since, until }: SumQuery): string {
  return [
    ...(since === undefined ? [] : [`event.time >= ${since}`]),
    ...(until === undefined ? [] : [`event.time < ${until}`]),
    "TRUE",
  ].join(" AND ");
}

/** Events of which the figures are what corrections add. */
function differences(corrections: readonly Correction[]): string {
  const values = corrections.map(({ entry, ordinal, difference }) => [
    ...[entry, ordinal],
    ...CORRECTED.map((name) => difference[name]),
  ]);
  const figures = CORRECTED.map((name, n) => `value ->> ${n + 2} AS ${name}`);
  return `(SELECT event.entry, event.ordinal, event.file_id, event.time, event.kind, event.model_id, event.agent, event.tool,
      event.stop, event.standing, NULL AS elapsed, ${figures.join(", ")}
    FROM json_each('${JSON.stringify(values)}') CROSS JOIN event
      ON event.entry = value ->> 0 AND event.ordinal = value ->> 1)`;
}

function areAmong(events: readonly { entry: number; ordinal: number }[]): string {
  const places = JSON.stringify(events.map(({ entry, ordinal }) => [entry, ordinal]));
  return `(event.entry, event.ordinal) IN (SELECT value ->> 0, value ->> 1 FROM json_each('${places}'))`;
}

/** Adds up some events, whosever they are. */
export async function sumEvents(
  db: Reader,
  events: readonly { entry: number; ordinal: number }[],
  subagents: readonly number[],
  corrections: readonly Correction[],
): Promise<Sums> {
  const toolUse = `(${selectToolUse(areAmong(events))})`;
  const noToolUse = `(${selectToolUse("FALSE")})`;
  const sources = [[selectSpending(areAmong(events), toolUse), toolUse] as const];
  if (corrections.length > 0)
    sources.push([selectSpending("TRUE", noToolUse, differences(corrections)), noToolUse]);
  const query: SumQuery = { by: [], spending: sql`TRUE`, columns: [], subagents };
  const total = noSums();
  for (const [spending, calls] of sources) {
    for await (const rows of groups(db, `(${spending})`, calls, [], query)) {
      for (const row of rows) addSums(total, row);
    }
  }
  return total;
}

/** Groups of one source of sums: where calls are told apart by tool, those come from `tool_use`. */
async function* groups(
  db: Reader,
  spending: string,
  toolUse: string,
  conditions: readonly Condition[],
  query: SumQuery,
): AsyncGenerator<SumRow[]> {
  const ofSpending = { ...query, source: spending, condition: allOf([...conditions, query.spending]) };
  if (!query.byTool) {
    yield* grouped(db, { ...ofSpending, sums: SUMS });
    return;
  }
  yield* grouped(db, { ...ofSpending, sums: SUMS.filter((sum) => !CALLS.includes(sum)) });
  // A call is made by an answer: kind and agent are those of its session.
  const by = query.by.filter((column) => column !== "kind" && column !== "agent");
  const condition = allOf([...conditions, query.byTool]);
  yield* grouped(db, { ...query, by, source: toolUse, condition, sums: CALL_SUMS });
}

interface Grouping extends SumQuery {
  /** A table, or a query in parentheses. */
  source: string;
  condition: Condition;
  sums: readonly (keyof Sums)[];
}

async function* grouped(db: Reader, grouping: Grouping): AsyncGenerator<SumRow[]> {
  const { by, periods, source, condition, sums, subagents } = grouping;
  const isSubagents = areSubagents(grouping);
  const columns = columnsOf(by, isSubagents);
  const addedUp = (name: keyof Sums) => addedOf(name, subagents.length > 0 ? isSubagents : undefined);
  if (periods) {
    const added = sums.map((name) => sql`${addedUp(name)} AS ${sql.ref(name)}`);
    yield* byQuarters(db, source, condition, [...columns, ...added]);
    return;
  }
  // Nearly each row is a group of its own: handing it out is less work than looking for others.
  if (source === "session_total" && by.includes("file_id")) {
    const { rows } = await sql<SumRow>`
      SELECT ${sql.join([...columns, ...sums.map((name) => sql`${addedUp(name)} AS ${sql.ref(name)}`)])}
      FROM session_total WHERE ${condition}`.execute(db);
    yield rows;
    return;
  }
  const added = sums.map((name) => sql`sum(${addedUp(name)}) AS ${sql.ref(name)}`);
  const names = by.map((column) => sql.ref(column));
  const group = names.length > 0 ? sql`GROUP BY ${sql.join(names)}` : sql`HAVING count(*) > 0`;
  const { rows } = await sql<SumRow>`
    SELECT ${sql.join([...columns, ...added])} FROM ${sql.raw(source)} WHERE ${condition} ${group}`.execute(
    db,
  );
  yield rows;
}

/**
 * The rows themselves, in order of their quarters: there are so few of each that it takes longer to have SQLite put them
 * together. All rows of a quarter come at once, and not many more with them, however old the ledger is.
 */
async function* byQuarters(
  db: Reader,
  source: string,
  condition: Condition,
  columns: readonly Sql<unknown>[],
): AsyncGenerator<SumRow[]> {
  const isQuery = source.startsWith("("); // it would be run again for each page
  let from = NO_QUARTER;
  for (let size = isQuery ? -1 : PAGE; ; ) {
    const { rows } = await sql<SumRow & { quarter: number }>`
      SELECT quarter, ${sql.join(columns)} FROM ${sql.raw(source)}
      WHERE quarter >= ${from} AND ${condition} ORDER BY quarter LIMIT ${size}`.execute(db);
    const last = rows.at(-1)?.quarter;
    if (isQuery || last === undefined || rows.length < size) {
      yield rows;
      return;
    }
    // The last quarter may go on.
    const whole = rows.filter(({ quarter }) => quarter < last);
    if (whole.length > 0) yield whole;
    else size *= 2;
    from = last;
  }
}
