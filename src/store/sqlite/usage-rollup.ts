/**
 * The roll-up of the ledger: what events with attribution `own` add up to, by file, quarter of an hour and series. It is
 * packed, a blob for each file and UTC day: reading and adding up as many rows of SQL takes ten times as long.
 */
import { CALL_SUMS, NO_QUARTER, noSums, QUARTER_MS, SERIES_COLUMNS, SUMS, type Sums } from "./schema.ts";

/** The quarter of an hour of a time in Unix milliseconds, or of none. */
export function quarterOf(time: number | null): number {
  return time === null ? NO_QUARTER : Math.floor(time / QUARTER_MS);
}

/** The same in SQL, which divides towards zero: up, before 1970. */
const QUARTER = `CASE WHEN event.time IS NULL THEN ${NO_QUARTER}
  ELSE (event.time - (event.time % ${QUARTER_MS} + ${QUARTER_MS}) % ${QUARTER_MS}) / ${QUARTER_MS} END`;

/** Whether the entry of an event is on the current branch of its session. */
export const ON_CURRENT_BRANCH = `coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = event.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0)`;

/** A wait that is longer is a pause: a session that was left for the night, or a clock that was wrong. */
export const LONGEST_WAIT_MS = 86_400_000;

/** Quarters of an hour in a day: those of one blob. */
const DAY = 96;

/** The UTC day of a quarter of an hour, counted from 1970-01-01. */
export function dayOf(quarter: number): number {
  return Math.floor(quarter / DAY);
}

/**
 * Selects sums of the events that meet a condition, by quarter, file and series.
 *
 * @param events the table `event`, or a query in parentheses with its columns
 */
export function selectEventSums(which: string, events = "event"): string {
  const only = (kind: string, value: string) => `CASE WHEN event.kind = '${kind}' THEN ${value} ELSE 0 END`;
  const elapsed = "coalesce(event.elapsed, 0)";
  const values: Partial<Record<(typeof SUMS)[number], string>> = {
    messages: only("assistant", "1"),
    turns: only("user", "1"),
    compactions: only("compaction", "1"),
    provider_cost: "coalesce(event.provider_cost, 0)",
    model_ms: only("assistant", elapsed),
    user_ms: only("user", elapsed),
    ...Object.fromEntries(CALL_SUMS.map((name) => [name, "0"])),
  };
  const sums = SUMS.map((name) => `sum(${values[name] ?? `event.${name}`}) AS ${name}`);
  return `SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.kind AS kind, event.model_id AS model_id,
      coalesce(event.agent, '') AS agent, coalesce(event.tool, '') AS tool, coalesce(event.stop, '') AS stop,
      ${ON_CURRENT_BRANCH} AS current, ${sums.join(", ")}
    FROM ${events} AS event CROSS JOIN entry ON entry.id = event.entry WHERE ${which} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;
}

/**
 * Selects sums of the tool calls of events that meet a condition, in the same columns: a series of kind `call` has the
 * called tool. Calls that a script made count with the model response that called the script.
 */
export function selectCallSums(which: string): string {
  // Calls before the entry: most responses have none of a script, and are not looked up for it.
  const calls = (on: string, took: string) => `
    SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.model_id AS model_id,
      substr(tool_call.name, 1, 200) AS tool, coalesce(event.stop, '') AS stop, ${ON_CURRENT_BRANCH} AS current,
      tool_call.result AS result, tool_call.is_error AS is_error, ${took} AS took
    FROM event CROSS JOIN tool_call ON ${on} CROSS JOIN entry ON entry.id = event.entry
      LEFT JOIN entry AS result ON result.id = tool_call.result
    WHERE event.kind = 'assistant' AND ${which}`;
  const values: Partial<Record<(typeof SUMS)[number], string>> = {
    calls: "count(*)",
    answered: "count(result)",
    failed: "coalesce(sum(is_error), 0)",
    tool_ms: `coalesce(sum(took) FILTER (WHERE took BETWEEN 0 AND ${LONGEST_WAIT_MS}), 0)`,
  };
  return `SELECT quarter, file_id, '${CALL}' AS kind, model_id, '' AS agent, tool, stop, current,
      ${SUMS.map((name) => `${values[name] ?? "0"} AS ${name}`).join(", ")}
    FROM (${calls("tool_call.entry = event.entry", "coalesce(tool_call.duration, result.timestamp - event.time)")}
      UNION ALL ${calls("tool_call.caller = event.entry", "tool_call.duration")})
    GROUP BY quarter, file_id, model_id, tool, stop, current`;
}

/** The kind of series that count tool calls. */
export const CALL = "call";

/** Selects both, each row as `quarter`, the columns of its series, and its sums. */
export function selectSums(which: string): string {
  return `SELECT quarter, ${[...SERIES_COLUMNS, ...SUMS].join(", ")}
    FROM (${selectEventSums(which)} UNION ALL ${selectCallSums(which)})`;
}

/** What one series adds up to in a quarter of an hour. */
export interface RollupRow {
  quarter: number;
  series: number;
  sums: Sums;
}

/**
 * Packs rows of one file and day. A row is its quarter within the day, its series, a bit for each sum that is not 0, and
 * these sums, all as base-128 numbers with the low digits first.
 */
export function packRollup(day: number, rows: readonly RollupRow[]): Buffer {
  const bytes: number[] = [];
  const write = (value: number) => {
    if (!(value >= 0)) throw new RangeError(`a sum of usage is ${value}`);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  };
  for (const { quarter, series, sums } of rows.toSorted(inOrder)) {
    write(quarter - day * DAY);
    write(series);
    write(sums.reduce((bits, sum, n) => (sum === 0 ? bits : bits | (1 << n)), 0));
    for (const sum of sums) if (sum !== 0) write(sum);
  }
  return Buffer.from(bytes);
}

function inOrder(a: RollupRow, b: RollupRow): number {
  return a.quarter - b.quarter || a.series - b.series;
}

const ALL_BITS = (1 << SUMS.length) - 1;

/**
 * Adds packed rows to sums, without making an object of each: there may be hundreds of thousands.
 *
 * @param sumsAt what a row is added to; undefined leaves it out
 */
export function addRollup(
  day: number,
  bytes: Uint8Array,
  sumsAt: (quarter: number, series: number) => Sums | undefined,
): void {
  let quarter = 0;
  let sums: Sums | undefined;
  let bits = 0;
  // What the next number is: the quarter, the series, the bits, or a sum. One loop without calls: this is most of the time.
  let field = 0;
  for (let at = 0; at < bytes.length; ) {
    let value = bytes[at++] as number;
    if (value >= 128) {
      value -= 128;
      for (let unit = 128, byte = 128; byte >= 128; unit *= 128) {
        byte = bytes[at++] ?? 0;
        value += (byte & 127) * unit;
      }
    }
    if (field === 3) {
      if (sums) (sums[31 - Math.clz32(bits & -bits)] as number) += value;
      bits &= bits - 1;
      if (bits === 0) field = 0;
    } else if (field === 0) {
      quarter = day * DAY + value;
      field = 1;
    } else if (field === 1) {
      sums = sumsAt(quarter, value);
      field = 2;
    } else {
      bits = value & ALL_BITS;
      field = bits === 0 ? 0 : 3;
    }
  }
}

/** The rows of a blob. */
export function unpackRollup(day: number, bytes: Uint8Array): RollupRow[] {
  const rows: RollupRow[] = [];
  addRollup(day, bytes, (quarter, series) => {
    const sums = noSums();
    rows.push({ quarter, series, sums });
    return sums;
  });
  return rows;
}

/** The sums of a row of SQL. */
export function sumsIn(row: Partial<Record<(typeof SUMS)[number], number | null>>): Sums {
  return SUMS.map((name) => row[name] ?? 0);
}
