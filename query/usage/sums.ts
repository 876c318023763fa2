import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { quarterOf, selectSpending, selectToolUse } from "../../src/database/ledger-sums.ts";
import { NO_QUARTER, QUARTER_MS, type Schema, STANDING } from "../../src/database/schema.ts";
import { allOf } from "../filter.ts";
import { inScope } from "../scope.ts";
import type { LedgerPart } from "./ledger-part.ts";

type Condition = RawBuilder<SqlBool>;

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
  /** By which ranges of quarters, if by any; those of one number make one group. An event without a time is in none. */
  ranges?: readonly { first: number; last: number; group: number }[] | undefined;
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

/** Sums of a group, as SQL adds them up: money in nano-dollars, times in milliseconds. */
export interface Sums {
  events: number;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  cache_write_1h: number;
  reasoning: number;
  cost: number;
  provider_cost: number;
  messages: number;
  turns: number;
  compactions: number;
  model_ms: number;
  user_ms: number;
  calls: number;
  answered: number;
  failed: number;
  tool_ms: number;
}

/** A group: what it is of, and its sums. */
export interface SumRow extends Partial<Sums> {
  /** The number of its ranges; null for events without a time, and without ranges. */
  range: number | null;
  file_id?: number;
  subagent_file?: number | null;
  model_id?: number;
  kind?: string;
  agent?: string;
  tool?: string;
  stop?: string;
  current?: number;
}

/** What is added up, and is told by the same names: all but the calls, which `tool_use` has too. */
const ADDED = [
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "cost",
  "provider_cost",
  "messages",
  "compactions",
  "model_ms",
] as const;
const CALLS = ["calls", "answered", "failed", "tool_ms"] as const;

/**
 * Adds up the ledger. Most comes from the sums that the indexer keeps: of sessions where all time is asked for, else by
 * quarter of an hour. Only the ends of a span of time that cut through a quarter, and what a part of the index has
 * adopted, is added up event by event.
 *
 * @returns groups, of which several may be of the same
 */
export async function sumUp(db: Kysely<Schema>, ledger: LedgerPart, query: SumQuery): Promise<SumRow[]> {
  const here = ledger.isAll
    ? []
    : [
        // By period sums are walked in order of time: with the `+` SQLite does not look for each file in each period.
        sql<SqlBool>`${query.ranges ? sql`+file_id` : sql`file_id`} IN (SELECT id FROM file WHERE ${inScope(ledger.scope)})`,
      ];
  const whole = [sql<SqlBool>`standing = ${STANDING.own}`, ...wholeQuarters(query), ...here];
  const [spending, toolUse] = tablesFor(query);
  const rows = [await groups(db, spending, toolUse, whole, query)];
  for (const which of singleEvents(ledger, query)) {
    const toolUse = `(${selectToolUse(which)})`;
    const spending = `(${selectSpending(which, toolUse)})`;
    rows.push(await groups(db, spending, toolUse, here, query));
  }
  return rows.flat();
}

/** The smallest tables that tell apart what a query must. */
function tablesFor({
  ranges,
  since,
  until,
  by,
  isOfSessions,
}: SumQuery): [spending: string, toolUse: string] {
  if (!ranges && since === undefined && until === undefined) return ["session_spending", "session_tool_use"];
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
export function sumEvents(
  db: Kysely<Schema>,
  events: readonly { entry: number; ordinal: number }[],
  subagents: readonly number[],
): Promise<SumRow[]> {
  const toolUse = `(${selectToolUse(areAmong(events))})`;
  const spending = `(${selectSpending(areAmong(events), toolUse)})`;
  return groups(db, spending, toolUse, [], { by: [], spending: sql`TRUE`, isOfSessions: true, subagents });
}

/** Groups of one source of sums: where calls are told apart by tool, those come from `tool_use`. */
async function groups(
  db: Kysely<Schema>,
  spending: string,
  toolUse: string,
  conditions: readonly Condition[],
  query: SumQuery,
): Promise<SumRow[]> {
  const ofPeople = query.subagents.length > 0 ? sql`turns > 0 AND NOT ${isSubagents(query)}` : sql`TRUE`;
  const sumsOf = (names: readonly (keyof Sums)[]): Figure[] =>
    names.map((name) => [name, sql`sum(${sql.ref(name)})`]);
  const figures: Figure[] = [
    ["events", sql`sum(billed)`],
    ...sumsOf(ADDED),
    ["turns", sql`coalesce(sum(turns) FILTER (WHERE ${ofPeople}), 0)`],
    ["user_ms", sql`coalesce(sum(user_ms) FILTER (WHERE ${ofPeople}), 0)`],
  ];
  const calls = sumsOf(CALLS);
  const ofSpending = { ...query, source: spending, condition: allOf([...conditions, query.spending]) };
  if (!query.byTool) return grouped(db, { ...ofSpending, figures: [...figures, ...calls] });
  const rows = await grouped(db, { ...ofSpending, figures });
  // A call is made by an answer: kind and agent are those of its session.
  const by = query.by.filter((column) => column !== "kind" && column !== "agent");
  const condition = allOf([...conditions, query.byTool]);
  return [...rows, ...(await grouped(db, { ...query, by, source: toolUse, condition, figures: calls }))];
}

/** The name of a sum, and what it is in SQL. */
type Figure = readonly [name: keyof Sums, sum: RawBuilder<unknown>];

interface Grouping extends SumQuery {
  /** A table, or a query in parentheses. */
  source: string;
  condition: Condition;
  figures: readonly Figure[];
}

async function grouped(db: Kysely<Schema>, grouping: Grouping): Promise<SumRow[]> {
  const { by, ranges, source, condition, figures } = grouping;
  const columns = by.map((column) =>
    column === "subagent_file"
      ? sql`CASE WHEN ${isSubagents(grouping)} THEN file_id END AS subagent_file`
      : sql.ref(column),
  );
  const names = by.map((column) => sql.ref(column));
  const sums = figures.map(([name, sum]) => sql`${sum} AS ${sql.ref(name)}`);
  if (!ranges) {
    const group = names.length > 0 ? sql`GROUP BY ${sql.join(names)}` : sql`HAVING count(*) > 0`;
    const { rows } = await sql<SumRow>`
      SELECT NULL AS range, ${sql.join([...columns, ...sums])} FROM ${sql.raw(source)} WHERE ${condition}
      ${group}`.execute(db);
    return rows;
  }
  // From each range to its quarters, which stand together: so the sums of a range come without sorting. Where several
  // make one group, their sums are put together, which are few.
  const spans = JSON.stringify(ranges.map(({ first, last, group }) => [first, last, group]));
  const isOneEach = ranges.every(({ group }, n) => group === n);
  const inner = sql`
    SELECT span.number AS range, ${sql.join([...columns, ...sums])}
    FROM span CROSS JOIN ${sql.raw(source)} AS sums
    WHERE quarter BETWEEN span.first AND span.last AND ${condition}
    GROUP BY ${sql.join([sql.ref("span.place"), ...names])}`;
  const again = figures.map(([name]) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`);
  const groups = [sql.ref("range"), ...names];
  const query = isOneEach
    ? inner
    : sql`SELECT ${sql.join([...groups, ...again])} FROM (${inner}) GROUP BY ${sql.join(groups)}`;
  const { rows } = await sql<SumRow>`
    WITH span AS MATERIALIZED (SELECT key AS place, value ->> 0 AS first, value ->> 1 AS last, value ->> 2 AS number
      FROM json_each(${spans}))
    ${query}`.execute(db);
  return rows;
}

function isSubagents({ subagents }: SumQuery): Condition {
  return sql`file_id IN (SELECT value FROM json_each(${JSON.stringify(subagents)}))`;
}
