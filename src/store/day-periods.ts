import { BUCKET_MS, NO_TIME_BUCKET } from "./schema.ts";
import { type Sql, type SqlBool, sql } from "./sql.ts";
import type { NumberedPeriod, SumQuery } from "./usage-reads.ts";
import { bucketDay, QUARTERS_PER_DAY } from "./usage-rollup.ts";

/** The period of a query without periods. */
export const ALL_TIME: NumberedPeriod = { period: 0, until: Number.POSITIVE_INFINITY };

/** A part of a day that is in one period: quarters of an hour, counted from the start of the day. */
interface DaySpan {
  from: number;
  until: number;
  /** Undefined outside the time range of the query. */
  period: number | undefined;
}

/** If a span is at least this long, it is computed from the sums of the day and those of the rest of the day. */
export const LONG_SPAN = QUARTERS_PER_DAY / 2;

/** Divides days into the periods of a query. */
export class DayPeriods {
  readonly #start: number;
  readonly #end: number;
  readonly #periodAt: (quarter: number) => NumberedPeriod;
  readonly #days = new Map<number, DaySpan[]>();
  /** Whether no period ends within a day. */
  readonly areWholeDays: boolean;
  /** Whether periods are hours or similar, of which most days have few: only those are named. */
  readonly areShort: boolean;

  constructor({ since, until, periodAt = () => ALL_TIME }: SumQuery) {
    const first = since === undefined ? Number.NEGATIVE_INFINITY : Math.ceil(since / BUCKET_MS);
    // With an upper limit, events without a time are excluded.
    this.#start = until === undefined ? first : Math.max(first, NO_TIME_BUCKET + 1);
    this.#end = until === undefined ? Number.POSITIVE_INFINITY : Math.floor(until / BUCKET_MS);
    this.#periodAt = periodAt;
    // Whatever the offset of the time zone, one of two consecutive long periods has at least half a day.
    const { until: next } = periodAt(0);
    this.areShort = next < LONG_SPAN && periodAt(next).until - next < LONG_SPAN;
    this.areWholeDays = since === undefined && until === undefined && periodAt(0) === ALL_TIME;
  }

  /** Conditions on `day`. */
  dayCondition(): Sql<SqlBool>[] {
    return [
      ...(this.#start > Number.NEGATIVE_INFINITY ? [sql<SqlBool>`day >= ${bucketDay(this.#start)}`] : []),
      ...(this.#end < Number.POSITIVE_INFINITY ? [sql<SqlBool>`day <= ${bucketDay(this.#end)}`] : []),
    ];
  }

  /** The period of a quarter of an hour, if it is in the time range of the query, and a quarter until which that is so. */
  at(quarter: number): { period: number | undefined; until: number } {
    if (quarter < this.#start) return { period: undefined, until: this.#start };
    if (quarter >= this.#end) return { period: undefined, until: Number.POSITIVE_INFINITY };
    const { period, until } = this.#periodAt(quarter);
    return { period, until: Math.min(until, this.#end) };
  }

  /** The spans of a day, in order. */
  on(day: number): DaySpan[] {
    const known = this.#days.get(day);
    if (known) return known;
    const spans: DaySpan[] = [];
    const start = day * QUARTERS_PER_DAY;
    for (let from = start; from < start + QUARTERS_PER_DAY; ) {
      const next = this.at(from);
      const until = Math.min(start + QUARTERS_PER_DAY, next.until);
      const last = spans.at(-1);
      if (last && last.period === next.period) last.until = until - start;
      else spans.push({ from: from - start, until: until - start, period: next.period });
      from = until;
    }
    this.#days.set(day, spans);
    return spans;
  }
}
