/**
 * The roll-up of the ledger: sums of the events with attribution `owner`, by file, quarter of an hour and series. They are
 * packed in a blob for each file and UTC day: adding up as many rows in SQL takes ten times as long.
 */
import { BUCKET_MS, CALL_SUMS, NO_TIME_BUCKET, SERIES_COLUMNS, SUMS, type Sums, zeroSums } from "./schema.ts";

/** The quarter of an hour of a time in Unix milliseconds; null has one of its own. */
export function toBucket(time: number | null): number {
  return time === null ? NO_TIME_BUCKET : Math.floor(time / BUCKET_MS);
}

/** The same in SQL, whose integer division rounds towards zero, so up before 1970. */
const QUARTER = `CASE WHEN event.time IS NULL THEN ${NO_TIME_BUCKET}
  ELSE (event.time - (event.time % ${BUCKET_MS} + ${BUCKET_MS}) % ${BUCKET_MS}) / ${BUCKET_MS} END`;

/** Whether the entry of an event is on the current branch of its session. */
export const ON_CURRENT_BRANCH = `coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = event.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0)`;

/** A longer wait is a pause: a session that was left overnight, or a wrong clock. */
export const MAX_WAIT_MS = 86_400_000;

/** Quarters of an hour in a day, which are in one blob. */
const QUARTERS_PER_DAY = 96;

/** The UTC day of a quarter of an hour, counted from 1970-01-01. */
export function bucketDay(quarter: number): number {
  return Math.floor(quarter / QUARTERS_PER_DAY);
}

/**
 * Returns SQL that selects the sums of the events that satisfy a condition, by quarter, file and series.
 *
 * @param events the table `event`, or a query in parentheses with its columns
 */
export function selectEventSums(condition: string, events = "event"): string {
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
    FROM ${events} AS event CROSS JOIN entry ON entry.id = event.entry WHERE ${condition} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;
}

/**
 * Returns SQL that selects the sums of tool calls of the events that satisfy a condition, in the same columns: a series of kind
 * `call` has the called tool. Calls made by a script count with the model response that called the script.
 */
export function selectCallSums(condition: string): string {
  // Joins the calls before the entries: most responses have no script, so few entries are looked up.
  const calls = (on: string, took: string) => `
    SELECT ${QUARTER} AS quarter, event.file_id AS file_id, event.model_id AS model_id,
      substr(tool_call.name, 1, 200) AS tool, coalesce(event.stop, '') AS stop, ${ON_CURRENT_BRANCH} AS current,
      tool_call.result AS result, tool_call.is_error AS is_error, ${took} AS took
    FROM event CROSS JOIN tool_call ON ${on} CROSS JOIN entry ON entry.id = event.entry
      LEFT JOIN entry AS result ON result.id = tool_call.result
    WHERE event.kind = 'assistant' AND ${condition}`;
  const values: Partial<Record<(typeof SUMS)[number], string>> = {
    calls: "count(*)",
    answered: "count(result)",
    failed: "coalesce(sum(is_error), 0)",
    tool_ms: `coalesce(sum(took) FILTER (WHERE took BETWEEN 0 AND ${MAX_WAIT_MS}), 0)`,
  };
  return `SELECT quarter, file_id, '${CALL_KIND}' AS kind, model_id, '' AS agent, tool, stop, current,
      ${SUMS.map((name) => `${values[name] ?? "0"} AS ${name}`).join(", ")}
    FROM (${calls("tool_call.entry = event.entry", "coalesce(tool_call.duration, result.timestamp - event.time)")}
      UNION ALL ${calls("tool_call.caller = event.entry", "tool_call.duration")})
    GROUP BY quarter, file_id, model_id, tool, stop, current`;
}

/** The `kind` of series for tool calls. */
export const CALL_KIND = "call";

/** Returns SQL that selects both: `quarter`, the columns of the series, and the sums. */
export function selectSums(condition: string): string {
  return `SELECT quarter, ${[...SERIES_COLUMNS, ...SUMS].join(", ")}
    FROM (${selectEventSums(condition)} UNION ALL ${selectCallSums(condition)})`;
}

/** The sums of one series in a quarter of an hour. */
export interface RollupRow {
  bucket: number;
  series: number;
  sums: Sums;
}

/**
 * Packs the rows of one file and day. A row is its quarter within the day, its series, a bit for each sum that is not 0, and
 * these sums, each as a varint (base 128, least significant digit first).
 */
export function packRollup(day: number, rows: readonly RollupRow[]): Buffer {
  const bytes: number[] = [];
  const write = (value: number) => {
    if (!(value >= 0)) throw new RangeError(`invalid usage sum: ${value}`);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  };
  for (const { bucket, series, sums } of rows.toSorted(inOrder)) {
    write(bucket - day * QUARTERS_PER_DAY);
    write(series);
    write(sums.reduce((bits, sum, n) => (sum === 0 ? bits : bits | (1 << n)), 0));
    for (const sum of sums) if (sum !== 0) write(sum);
  }
  return Buffer.from(bytes);
}

function inOrder(a: RollupRow, b: RollupRow): number {
  return a.bucket - b.bucket || a.series - b.series;
}

const ALL_BITS = (1 << SUMS.length) - 1;

/**
 * Adds packed rows to sums, without creating an object for each: there may be hundreds of thousands.
 *
 * @param sumsAt returns the sums that a row is added to, or undefined to skip it
 */
export function addRollup(
  day: number,
  bytes: Uint8Array,
  sumsAt: (quarter: number, series: number) => Sums | undefined,
): void {
  let quarter = 0;
  let sums: Sums | undefined;
  let bits = 0;
  // The next number is 0: the quarter, 1: the series, 2: the bits, 3: a sum. One loop without calls, because most of the time
  // of a usage query is spent here.
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
      quarter = day * QUARTERS_PER_DAY + value;
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

/** Unpacks the rows of a blob. */
export function unpackRollup(day: number, bytes: Uint8Array): RollupRow[] {
  const rows: RollupRow[] = [];
  addRollup(day, bytes, (quarter, series) => {
    const sums = zeroSums();
    rows.push({ bucket: quarter, series, sums });
    return sums;
  });
  return rows;
}

/** Converts a row of `selectSums` to sums. */
export function toSums(row: Partial<Record<(typeof SUMS)[number], number | null>>): Sums {
  return SUMS.map((name) => row[name] ?? 0);
}
