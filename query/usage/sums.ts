import { quarterOf, selectSpending, selectToolUse } from "../../src/database/ledger-sums.ts";
import type { Reader } from "../../src/database/reader.ts";
import { CALL_SUMS, NO_QUARTER, QUARTER_MS, STANDING, SUMS, type Sums } from "../../src/database/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/database/sql.ts";
import { allOf } from "../filter.ts";
import { inScope } from "../scope.ts";
import { addSums, noSums } from "./figures.ts";
import type { LedgerPart } from "./ledger-part.ts";

type Condition = Sql<SqlBool>;

/** What sums can be told apart by, besides time. `subagent_file` is `file_id` where that is a subagent's, else null. */
export type SumColumn =
  | "file_id"
  | "subagent_file"
  | "model_id"
  | "kind"
  | "agent"
  | "tool"
  | "stop"
  | "current";

/** What is summed up. Conditions are on the columns of `spending`, and of `tool_use`, by their bare names. */
export interface SumQuery {
  by: readonly SumColumn[];
  /** Whether by quarter of an hour too. */
  byQuarter?: boolean;
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  spending: Condition;
  /** Whether that condition is on sessions and branches alone. */
  isOfSessions: boolean;
  /** Where calls are told apart by tool: the condition on `tool_use`. Else they come with the answers that made them. */
  byTool?: Condition | undefined;
  /** Sessions of subagents: what stands there as a user's message is their task. */
  subagents: readonly number[];
}

/** A group: what it is of, and its sums. */
export interface SumRow extends Partial<Sums> {
  /** By quarter: `NO_QUARTER` for what has no time. */
  quarter?: number;
  file_id?: number;
  subagent_file?: number | null;
  model_id?: number;
  kind?: string;
  agent?: string;
  tool?: string;
  stop?: string;
  current?: number;
}

/** What people did. */
const OF_PEOPLE: readonly (keyof Sums)[] = ["turns", "user_ms"];
const CALLS: readonly (keyof Sums)[] = CALL_SUMS;
/** Rows that are read at a time, by quarter. */
const PAGE = 10_000;

/**
 * Adds up the ledger. Most comes from the sums that the indexer keeps: of sessions where all time is asked for, else by
 * quarter of an hour. Only the ends of a span of time that cut through a quarter, and what a part of the index has
 * adopted, is added up event by event.
 *
 * @returns groups, some at a time, of which several may be of the same
 */
export async function* sumUp(db: Reader, ledger: LedgerPart, query: SumQuery): AsyncGenerator<SumRow[]> {
  const here = ledger.isAll
    ? []
    : [
        // By quarter sums are walked in order of time: the `+` keeps SQLite from looking each file up, and sorting.
        sql<SqlBool>`${query.byQuarter ? sql`+file_id` : sql`file_id`} IN (SELECT id FROM file WHERE ${inScope(ledger.scope)})`,
      ];
  const whole = [sql<SqlBool>`standing = ${STANDING.own}`, ...wholeQuarters(query), ...here];
  const [spending, toolUse] = tablesFor(query);
  yield* groups(db, spending, toolUse, whole, query);
  for (const which of singleEvents(ledger, query)) {
    const toolUse = `(${selectToolUse(which)})`;
    const spending = `(${selectSpending(which, toolUse)})`;
    yield* groups(db, spending, toolUse, here, query);
  }
}

/** The smallest tables that tell apart what a query must. */
function tablesFor({
  byQuarter,
  since,
  until,
  by,
  isOfSessions,
}: SumQuery): [spending: string, toolUse: string] {
  if (!byQuarter && since === undefined && until === undefined)
    return ["session_spending", "session_tool_use"];
  const isCoarse = isOfSessions && by.every((column) => OF_SESSIONS.includes(column));
  return [isCoarse ? "quarter_spending" : "spending", "tool_use"];
}

/** What `quarter_spending` tells apart. */
const OF_SESSIONS: readonly SumColumn[] = ["file_id", "subagent_file", "current"];

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
function singleEvents({ adopted }: LedgerPart, { since, until }: SumQuery): string[] {
  const span = [
    ...(since === undefined ? [] : [`event.time >= ${since}`]),
    ...(until === undefined ? [] : [`event.time < ${until}`]),
  ];
  const ends = [since, until].filter((end) => end !== undefined).filter((end) => end % QUARTER_MS !== 0);
  const edges = [...new Set(ends.map(quarterOf))].map((quarter) => {
    const from = quarter * QUARTER_MS;
    const files = `SELECT file_id FROM spending WHERE quarter = ${quarter}`;
    const within = `event.time >= ${from} AND event.time < ${from + QUARTER_MS}`;
    return [`event.file_id IN (${files})`, within, `event.standing = ${STANDING.own}`, ...span].join(" AND ");
  });
  if (adopted.length === 0) return edges;
  return [...edges, [areAmong(adopted), ...span].join(" AND ")];
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
): Promise<Sums> {
  const toolUse = `(${selectToolUse(areAmong(events))})`;
  const spending = `(${selectSpending(areAmong(events), toolUse)})`;
  const query: SumQuery = { by: [], spending: sql`TRUE`, isOfSessions: true, subagents };
  const total = noSums();
  for await (const rows of groups(db, spending, toolUse, [], query)) {
    for (const row of rows) addSums(total, row);
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
  const { by, byQuarter, source, condition, sums } = grouping;
  const columns = by.map((column) =>
    column === "subagent_file"
      ? sql`CASE WHEN ${isSubagents(grouping)} THEN file_id END AS subagent_file`
      : sql.ref(column),
  );
  if (byQuarter) {
    const added = sums.map((name) => sql`${addedOf(name, grouping)} AS ${sql.ref(name)}`);
    yield* byQuarters(db, source, condition, [...columns, ...added]);
    return;
  }
  const added = sums.map((name) => sql`sum(${addedOf(name, grouping)}) AS ${sql.ref(name)}`);
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

/** What is added up of a row: what people did does not count in a session of a subagent. */
function addedOf(name: keyof Sums, query: SumQuery): Sql<unknown> {
  const value = sql.ref(name);
  if (!OF_PEOPLE.includes(name) || query.subagents.length === 0) return value;
  return sql`iif(turns > 0 AND ${isSubagents(query)}, 0, ${value})`;
}

function isSubagents({ subagents }: SumQuery): Condition {
  return sql`file_id IN (SELECT value FROM json_each(${JSON.stringify(subagents)}))`;
}
