/**
 * The roll-up of the ledger: sums of the events with attribution `owner`, by file and UTC day. A row holds the sums of the day by
 * series (`totals`) and those of its quarters of an hour (`rows`), both packed: adding up as many rows in SQL takes ten times
 * as long. Packed as text, because the driver takes three times as long to return a blob. The rows of `ALL_FILES` have the
 * sums over all files, and that of `ALL_FILES_AND_DAYS` those of all time.
 */
import { addSums, BUCKET_MS, NO_TIME_BUCKET, SUMS, type Sums, zeroSums } from "./schema.ts";

/** The quarter of an hour of a time in Unix milliseconds; null has one of its own. */
export function toBucket(time: number | null): number {
  return time === null ? NO_TIME_BUCKET : Math.floor(time / BUCKET_MS);
}

/** A longer wait is a pause: a session that was left overnight, or a wrong clock. */
export const MAX_WAIT_MS = 86_400_000;

/** Quarters of an hour in a day. */
export const QUARTERS_PER_DAY = 96;

/** The UTC day of a quarter of an hour, counted from 1970-01-01. */
export function bucketDay(quarter: number): number {
  return Math.floor(quarter / QUARTERS_PER_DAY);
}

/** The `kind` of series for tool calls. */
export const CALL_KIND = "call";

/** The `file_id` of the rows with the sums over all files. */
export const ALL_FILES = 0;
/** The `file_id` of the row with the sums over all files and days. Its day is 0, and it has only `totals`. */
export const ALL_FILES_AND_DAYS = -1;

/** The number of the row with the sums over all series of a quarter of an hour. */
const ALL_SERIES = 0;

/** The sums of one series in a quarter of an hour. */
export interface RollupRow {
  bucket: number;
  series: number;
  sums: Sums;
}

/**
 * Packs rows of one day. For each quarter of an hour: its number within the day, the length of its rows in bytes, and the rows.
 * The first of several rows has the sums over all of them, for queries that don't distinguish series.
 * A row is its series, a bit for each sum that is not 0, and these sums. Each number is stored as the number plus 1, so that no
 * character is NUL: digits of base 64, least significant first, all but the last with the bit `MORE`.
 */
export function packRollup(day: number, rows: readonly RollupRow[]): string {
  const bytes: number[] = [];
  const byQuarter = Map.groupBy(rows, ({ bucket }) => bucket);
  for (const [bucket, ofQuarter] of [...byQuarter].sort(([a], [b]) => a - b)) {
    const packed: number[] = [];
    const ofAllSeries = ofQuarter.length > 1 ? [{ series: ALL_SERIES, sums: sumRows(ofQuarter) }] : [];
    for (const { series, sums } of [...ofAllSeries, ...ofQuarter.toSorted((a, b) => a.series - b.series)]) {
      writeNumber(packed, series);
      writeNumber(
        packed,
        sums.reduce((bits, sum, n) => (sum === 0 ? bits : bits | (1 << n)), 0),
      );
      for (const sum of sums) if (sum !== 0) writeNumber(packed, sum);
    }
    writeNumber(bytes, bucket - day * QUARTERS_PER_DAY);
    writeNumber(bytes, packed.length);
    for (const byte of packed) bytes.push(byte);
  }
  return Buffer.from(bytes).toString("latin1");
}

function sumRows(rows: readonly RollupRow[]): Sums {
  const total = zeroSums();
  for (const { sums } of rows) addSums(total, sums);
  return total;
}

/** Marks a digit that is followed by another digit. */
const MORE = 64;

function writeNumber(bytes: number[], value: number): void {
  if (!(value >= 0)) throw new RangeError(`invalid usage sum: ${value}`);
  let rest = value + 1;
  for (; rest >= MORE; rest = Math.floor(rest / MORE)) bytes.push((rest % MORE) + MORE);
  bytes.push(rest);
}

/** Packs the sums of a day by series, from the rows of its quarters. */
export function packTotals(day: number, rows: readonly RollupRow[]): string {
  const bucket = day * QUARTERS_PER_DAY;
  return packRollup(day, mergeRows(rows.map((row) => ({ ...row, bucket }))));
}

/** Adds up the rows of each quarter and series. Omits those without any sum. */
export function mergeRows(rows: Iterable<RollupRow>): RollupRow[] {
  const merged = new Map<string, RollupRow>();
  for (const { bucket, series, sums } of rows) {
    const key = `${bucket} ${series}`;
    const row = merged.get(key);
    if (row) addSums(row.sums, sums);
    else merged.set(key, { bucket, series, sums: sums.slice() });
  }
  return [...merged.values()].filter(({ sums }) => sums.some((sum) => sum !== 0));
}

const ALL_BITS = (1 << SUMS.length) - 1;

/**
 * Adds packed rows to sums, without creating an object for each: there may be hundreds of thousands. Skips the quarters of an
 * hour outside `from` (inclusive) to `until` (exclusive), which are numbers within the day.
 *
 * @param sumsAt returns the sums that a row is added to, or undefined to skip it
 * @param areSeriesAlike whether `sumsAt` returns the same for all series: it is then called once for each quarter, with any series
 * @param sign -1 to subtract
 */
export function addRollup(
  packed: string,
  sumsAt: (quarter: number, series: number) => Sums | undefined,
  { from = 0, until = QUARTERS_PER_DAY, sign = 1, areSeriesAlike = false } = {},
): void {
  let quarter = 0;
  let end = 0;
  let sums: Sums | undefined;
  let bits = 0;
  // `| 0`, or V8 creates an object for each number: only sums need more than 32 bits.
  // The next number is 0: the quarter, 1: the length of its rows, 2: a series, 3: the bits, 4: a sum. One loop without calls,
  // because most of the time of a usage query is spent here.
  let field = 0;
  for (let at = 0; at < packed.length; ) {
    let value = packed.charCodeAt(at++) - 1;
    if (value >= MORE - 1) {
      value -= MORE;
      for (let unit = MORE, digit = MORE; digit >= MORE; unit *= MORE) {
        digit = packed.charCodeAt(at++); // NaN after a damaged end
        value += (digit % MORE) * unit;
      }
    }
    if (field === 4) {
      if (sums) (sums[31 - Math.clz32(bits & -bits)] as number) += sign * value;
      bits &= bits - 1;
      if (bits !== 0) continue;
      if (areSeriesAlike) at = end;
      field = at < end ? 2 : 0;
    } else if (field === 2) {
      sums = areSeriesAlike || value !== ALL_SERIES ? sumsAt(quarter, value | 0) : undefined;
      field = 3;
    } else if (field === 3) {
      bits = value & ALL_BITS;
      field = bits !== 0 ? 4 : at < end ? 2 : 0;
    } else if (field === 0) {
      if (value >= until) return;
      quarter = value | 0;
      field = 1;
    } else {
      end = at + Math.max(value | 0, 0); // negative only in a damaged row
      field = 2;
      if (quarter >= from) continue;
      at = end;
      field = 0;
    }
  }
}

/** Unpacks the rows of a day. */
export function unpackRollup(day: number, packed: string): RollupRow[] {
  const rows: RollupRow[] = [];
  addRollup(
    packed,
    (quarter, series) => {
      const sums = zeroSums();
      rows.push({ bucket: day * QUARTERS_PER_DAY + quarter, series, sums });
      return sums;
    },
    { until: Number.POSITIVE_INFINITY },
  );
  return rows;
}
