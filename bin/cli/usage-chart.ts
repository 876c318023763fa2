import { PidexError, type UsageDimension, type UsageReport, type UsageRow } from "../../library/index.ts";
import { dollars, percent } from "../format/numbers.ts";
import { counted } from "../format/safe.ts";
import { cut } from "../format/text.ts";
import { bars, calendar, sparkline } from "./chart.ts";
import type { Io } from "./io.ts";
import { type ChartKind, SUCCESSIVE } from "./usage-flags.ts";
import { keyLabels } from "./usage-keys.ts";

/** As many days are read better as bars. */
const FEW_DAYS = 31;

/** @throws PidexError `BAD_OPTION` for a chart that what was asked for cannot be shown as */
export function checkChart(chart: ChartKind | true, by: UsageDimension): void {
  const wrong = (what: string, hint: string) => new PidexError("BAD_OPTION", what, hint);
  if (chart === "calendar" && by !== "day") {
    throw wrong("a calendar shows days alone", "Write pidex usage daily --chart calendar, or --chart bars.");
  }
  if (chart === "spark" && !SUCCESSIVE.includes(by)) {
    throw wrong(`a sparkline shows time, and ${by} is none`, "Write --chart bars.");
  }
}

/** What was spent, drawn. */
export function usageChart(io: Io, usage: UsageReport, chart: ChartKind | true): string {
  const kind = chart === true ? usualChart(usage) : chart;
  const draw = { bars: asBars, spark: asSparkline, calendar: asCalendar }[kind];
  const total = cut(`${dollars(usage.total.costUsd)} in all`, io.columns);
  return `${draw(io, usage)
    .map((line) => `${line}\n`)
    .join("")}${io.style("bold", total)}\n`;
}

function usualChart({ by, rows }: UsageReport): ChartKind {
  return by[0] === "day" && rows.length > FEW_DAYS ? "calendar" : "bars";
}

function asBars(io: Io, { rows, by, total, others, rowCount }: UsageReport): string[] {
  const labelOf = keyLabels(rows, by[0] as UsageDimension, io.columns);
  const text = (costUsd: number) =>
    `${dollars(costUsd)} ${(total.costUsd > 0 ? percent(costUsd / total.costUsd) : "").padStart(4)}`;
  const all = rows.map((row) => ({ label: labelOf(row), value: row.costUsd, text: text(row.costUsd) }));
  if (others) {
    // Without a bar: hundreds of others come to more than any row, and would leave nothing to compare.
    all.push({
      label: counted(rowCount - rows.length, "other"),
      value: 0,
      text: text(others.costUsd),
    });
  }
  return bars(all, io.columns, (bar) => io.style("green", bar));
}

function asSparkline(io: Io, { rows, by }: UsageReport): string[] {
  const [period] = by as [UsageDimension];
  const told = rows.filter(({ key }) => typeof key[period] === "string");
  const [oldest, newest] = [told[0]?.key[period], told.at(-1)?.key[period]];
  if (!oldest || !newest) return [];
  const most = told.reduce((greatest, { costUsd }) => Math.max(greatest, costUsd), 0);
  const about = `${oldest} to ${newest}, at most ${dollars(most)} ${period === "hour" ? "an" : "a"} ${period}`;
  return [io.style("green", sparkline(withoutGaps(told, period), io.columns)), cut(about, io.columns)];
}

const DAY_MS = 86_400_000;
/** Sessions with wrong times may be thousands of years apart: then the gaps are left out. */
const MOST_PERIODS = 100_000;

/** What was spent in each period from the first to the last, also in those in which nothing was. */
function withoutGaps(rows: readonly UsageRow[], period: UsageDimension): number[] {
  const places = rows.map(({ key }) => placeOf(key[period] as string, period));
  const first = places.reduce((least, place) => Math.min(least, place), Number.POSITIVE_INFINITY);
  const length = places.reduce((most, place) => Math.max(most, place - first + 1), 0);
  if (!(length <= MOST_PERIODS)) return rows.map(({ costUsd }) => costUsd);
  const costs = new Array<number>(length).fill(0);
  // The hour that a clock goes through twice is one place.
  for (const [n, place] of places.entries())
    costs[place - first] = (costs[place - first] ?? 0) + (rows[n]?.costUsd ?? 0);
  return costs;
}

/** A number for a period, which is one more for the next. */
function placeOf(name: string, period: UsageDimension): number {
  const [date = "", hour = "00:00"] = name.split(" ");
  if (period === "month") {
    const month = new Date(`${date}-01T00:00Z`);
    return month.getUTCFullYear() * 12 + month.getUTCMonth();
  }
  const length = { week: 7 * DAY_MS, hour: DAY_MS / 24 }[period as string] ?? DAY_MS;
  return Math.floor(Date.parse(`${date}T${hour}Z`) / length);
}

function asCalendar(io: Io, { rows, weekStart }: UsageReport): string[] {
  const days = new Map(rows.flatMap(({ key, costUsd }) => (key.day ? [[key.day, costUsd] as const] : [])));
  const [from, until = from] = [[...days.keys()][0], [...days.keys()].at(-1)];
  if (from === undefined || until === undefined) return [];
  return calendar(days, { weekStart, columns: io.columns, from, until });
}
