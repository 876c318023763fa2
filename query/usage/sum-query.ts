/** What sums are asked for, and how their columns are told. */
import { CALL_SUMS, type Sums } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";

export type Condition = Sql<SqlBool>;

/**
 * What sums can be told apart by, besides time. `subagent` is 1 where the file is a subagent's, `subagent_file` then is
 * `file_id`, else null.
 */
export type SumColumn =
  | "file_id"
  | "subagent"
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
  /** Whether by time too: then rows are of quarters of an hour, or of longer times that no period begins in. */
  periods?: Periods | undefined;
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  spending: Condition;
  /** The columns that it is on, besides `file_id`. */
  columns: readonly SumColumn[];
  /** The same conditions on blocks of time, where those can be. */
  blocks?: { spending: Condition; toolUse: Condition } | undefined;
  /** Where calls are told apart by tool: the condition on `tool_use`. Else they come with the answers that made them. */
  byTool?: Condition | undefined;
  /** Sessions of subagents: what stands there as a user's message is their task. */
  subagents: readonly number[];
}

/** Periods of time that sums are put together in. */
export interface Periods {
  /** Whether hours matter, or but days. */
  isOfHours: boolean;
  /** As `periodCuts`. */
  cuts: (from: number, until: number) => number[];
}

/** A group: what it is of, and its sums. */
export interface SumRow extends Partial<Sums> {
  /** By time: a quarter of the period it is in; before all that a Date can hold for what has no time. */
  quarter?: number;
  /** A quarter of another period that the same was counted in before: there it is to be taken away. */
  counted?: number | null;
  file_id?: number;
  subagent?: number;
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
export const CALLS: readonly (keyof Sums)[] = CALL_SUMS;
/** The columns that rows are told apart by, where a condition tells which are a subagent's. */
export function columnsOf(by: readonly SumColumn[], isSubagents: Condition): Sql<unknown>[] {
  return by.map((column) => {
    if (column === "subagent") return sql`${isSubagents} AS subagent`;
    if (column === "subagent_file") return sql`CASE WHEN ${isSubagents} THEN file_id END AS subagent_file`;
    return sql.ref(column);
  });
}

/** What is added up of a row: what people did does not count in a session of a subagent. */
export function addedOf(name: keyof Sums, isSubagents: Condition | undefined): Sql<unknown> {
  const value = sql.ref(name);
  if (!OF_PEOPLE.includes(name) || !isSubagents) return value;
  return sql`iif(turns > 0 AND ${isSubagents}, 0, ${value})`;
}

/** Whether a row of a table with sessions is of a subagent's. */
export function areSubagents({ subagents }: SumQuery): Condition {
  return sql`file_id IN (SELECT value FROM json_each(${JSON.stringify(subagents)}))`;
}

/** What `session_total` and `quarter_spending` tell apart. */
const OF_SESSIONS: readonly SumColumn[] = ["file_id", "subagent_file", "subagent", "current"];

/** The table of sums by session, the smaller one where that tells apart what a query must. */
export function sessionTable(query: SumQuery): "session_total" | "session_spending" {
  return isCoarse(query) ? "session_total" : "session_spending";
}

/** The same by session and quarter. */
export function quarterTable(query: SumQuery): "quarter_spending" | "spending" {
  return isCoarse(query) ? "quarter_spending" : "spending";
}

function isCoarse({ by, columns }: SumQuery): boolean {
  return [...by, ...columns].every((column) => OF_SESSIONS.includes(column));
}
