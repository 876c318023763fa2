/**
 * What the whole index comes to, by blocks of time: hours, days and 16 days, in UTC. Sums of `spending` and `tool_use`
 * without their sessions, and only of what is `own`: there are few of them, so most questions about all sessions read no more.
 */
import { CALL_SUMS, STANDING, SUMS } from "./schema.ts";

/** How long blocks are, in quarters of an hour. */
export const HOUR = 4;
export const DAY = 96;
export const MANY_DAYS = 16 * DAY;

/** What tells the rows of a block apart, and how long the blocks are that there are of it, the shortest first. */
export const BLOCKS = {
  block_total: { key: ["current", "subagent"], widths: [HOUR, DAY], sums: SUMS },
  block_model: { key: ["model_id", "kind", "current", "subagent"], widths: [HOUR, DAY], sums: SUMS },
  block_spending: {
    key: ["model_id", "kind", "agent", "tool", "stop", "current", "subagent"],
    widths: [DAY, MANY_DAYS],
    sums: SUMS,
  },
  block_tool_use: {
    key: ["model_id", "tool", "stop", "current", "subagent"],
    widths: [DAY, MANY_DAYS],
    sums: CALL_SUMS,
  },
} as const;

export type BlockTable = keyof typeof BLOCKS;

/** A length of blocks in a table, and what it is summed up from: a table of quarters, or shorter blocks. */
export interface BlockLevel {
  table: BlockTable;
  width: number;
  from: "spending" | "tool_use" | { table: BlockTable; width: number };
}

/** All there are; what is summed up from others comes after them. */
export const BLOCK_LEVELS: readonly BlockLevel[] = [
  { table: "block_model", width: HOUR, from: "spending" },
  { table: "block_model", width: DAY, from: { table: "block_model", width: HOUR } },
  { table: "block_total", width: HOUR, from: { table: "block_model", width: HOUR } },
  { table: "block_total", width: DAY, from: { table: "block_total", width: HOUR } },
  { table: "block_spending", width: DAY, from: "spending" },
  { table: "block_spending", width: MANY_DAYS, from: { table: "block_spending", width: DAY } },
  { table: "block_tool_use", width: DAY, from: "tool_use" },
  { table: "block_tool_use", width: MANY_DAYS, from: { table: "block_tool_use", width: DAY } },
];

/** The first quarter of the block that a quarter is in. */
export function blockOf(quarter: number, width: number): number {
  return Math.floor(quarter / width) * width;
}

/** Whether a subagent wrote a file: by where it lies, or as another session tells. `subagentFiles` asks the same. */
const IS_SUBAGENT = `(file.subagent = 1 OR EXISTS (SELECT 1 FROM run_file CROSS JOIN entry ON entry.id = run_file.entry
  WHERE run_file.path = file.path AND entry.file_id <> file.id))`;

/**
 * Selects the rows of blocks of one length: of all there are, or of those whose starts are listed as JSON.
 *
 * @param starts the name of the parameter with that list
 */
export function selectBlocks({ table, width, from }: BlockLevel, starts?: string): string {
  const { key, sums } = BLOCKS[table];
  const isOfQuarters = typeof from === "string";
  const source = isOfQuarters ? from : from.table;
  const time = isOfQuarters ? "quarter" : "start";
  // `%` has the sign of what is divided, which may be before 1970.
  const start = starts ? "listed.value" : `${time} - (${time} % ${width} + ${width}) % ${width}`;
  const listed = starts
    ? `json_each(${starts}) AS listed CROSS JOIN ${source} ON ${time} >= listed.value AND ${time} < listed.value + ${width}`
    : source;
  const which = isOfQuarters
    ? `CROSS JOIN file ON file.id = ${source}.file_id WHERE standing = ${STANDING.own}`
    : `WHERE width = ${from.width}`;
  const columns = key.map((name) =>
    isOfQuarters && name === "subagent" ? `${IS_SUBAGENT} AS subagent` : name,
  );
  return `SELECT ${width} AS width, ${start} AS block, ${columns.join(", ")},
      ${sums.map((name) => `sum(${name}) AS ${name}`).join(", ")}
    FROM ${listed} ${which} GROUP BY block, ${key.map((_, n) => n + 3).join(", ")}`;
}
