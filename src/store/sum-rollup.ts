import { getOrInsert } from "../get-or-insert.ts";
import { type DayPeriods, LONG_SPAN } from "./day-periods.ts";
import { addSums, type Sums, type UsageSeriesTable, zeroSums } from "./schema.ts";
import type { SeriesTarget, SumQuery, SumTarget, UsageSeries } from "./usage-reads.ts";
import { addRollup, CALL_KIND, QUARTERS_PER_DAY } from "./usage-rollup.ts";

/** What is added up, and where to. */
export type TargetQuery = Pick<SumQuery, "files" | "subagents" | "target" | "periodAt">;

/** `target` without the messages of users in subagents' files. */
export function targetsIn({ subagents, target }: TargetQuery, file: number): SeriesTarget {
  const targetOf = target(file);
  return subagents.has(file) ? (series) => (series.kind === "user" ? undefined : targetOf(series)) : targetOf;
}

export function toSeries(row: Omit<UsageSeriesTable, "id">): UsageSeries {
  const { model_id, agent, tool, stop, current, context } = row;
  const isCall = row.kind === CALL_KIND;
  return { isCall, kind: isCall ? "assistant" : row.kind, model_id, agent, tool, stop, current, context };
}

/** Returns a function that finds the targets of a file, once for all files with the same ones. */
export function createFileTargets(
  query: SumQuery,
  seriesById: ReadonlyMap<number, UsageSeries>,
): (file: number) => FileTargets {
  const shared = new Map<SeriesTarget, FileTargets>();
  return (file) =>
    getOrInsert(shared, targetsIn(query, file), (target) => {
      const areSeriesAlike = !query.isBySeries && !query.subagents.has(file);
      const targetOf = areSeriesAlike ? toConstant(target(ANY_SERIES)) : cacheTargets(target, seriesById);
      return { targetOf, areSeriesAlike };
    });
}

/** A row of the roll-up. */
export interface RollupDay {
  file_id: number;
  day: number;
  totals: string;
  rows: string | null;
}

/** The targets of a file by series id. */
type SeriesTargets = (series: number) => SumTarget;

export interface FileTargets {
  targetOf: SeriesTargets;
  areSeriesAlike: boolean;
}

/** Stands for each series if a query does not distinguish them. */
const ANY_SERIES = toSeries({
  kind: "assistant",
  model_id: 0,
  agent: "",
  tool: "",
  stop: "",
  current: 1,
  context: 0,
});

function toConstant<T>(value: T): () => T {
  return () => value;
}

/** Adds up a day of the roll-up. @param sign -1 to subtract */
export function addDay(
  { day, totals, rows }: RollupDay,
  periods: DayPeriods,
  { targetOf, areSeriesAlike }: FileTargets,
  sign: number,
): void {
  const how = { sign, areSeriesAlike };
  const inPeriod = (period: number) => (_: number, series: number) => targetOf(series)?.(period);
  const spans = periods.areShort ? [] : periods.on(day);
  const long = spans.find(({ from, until }) => until - from >= LONG_SPAN);
  if (long?.period !== undefined) addRollup(totals, inPeriod(long.period), how);
  if (!rows) return;
  if (long) {
    for (const { from, until, period } of spans) {
      if (from === long.from) continue;
      // Summed up first, because finding the span in the rows takes longer than adding it up.
      const moved = new Map<NonNullable<SumTarget>, Sums>();
      const sumsAt = (_: number, series: number) => {
        const target = targetOf(series);
        return target && getOrInsert(moved, target, zeroSums);
      };
      addRollup(rows, sumsAt, { ...how, from, until });
      for (const [target, sums] of moved) {
        if (period !== undefined) addSums(target(period), sums);
        if (long.period !== undefined) addSums(target(long.period), sums, -1);
      }
    }
    return;
  }
  const start = day * QUARTERS_PER_DAY;
  let period: number | undefined;
  let end = 0;
  addRollup(
    rows,
    (quarter, series) => {
      if (quarter >= end) {
        const span = periods.at(start + quarter);
        period = span.period;
        end = span.until - start;
      }
      return period === undefined ? undefined : targetOf(series)?.(period);
    },
    how,
  );
}

/** Targets by series id, cached because there are many rows. */
function cacheTargets(targetOf: SeriesTarget, seriesById: ReadonlyMap<number, UsageSeries>): SeriesTargets {
  const found: (SumTarget | null)[] = [];
  return (id) => {
    const known = found[id];
    if (known !== undefined) return known ?? undefined;
    const series = seriesById.get(id);
    const target = series && targetOf(series);
    found[id] = target ?? null;
    return target;
  };
}
