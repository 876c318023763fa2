import { PidexError, type UsageDimension, type UsageReport, type UsageRow } from "../../library/index.ts";
import { formatDollars, formatPercent } from "../format/numbers.ts";
import { formatCount } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import { createTimeFormatter, DAY_MS } from "../format/times.ts";
import { drawBars, drawCalendar, drawSparkline } from "./chart.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { PERIODS } from "./usage-dimensions.ts";
import { createKeyFormatter } from "./usage-keys.ts";
import type { NamedRange } from "./usage-range.ts";

type ChartKind = Exclude<Flags<"usage">["chart"], undefined>;

/** Daily charts with more rows than this are calendars by default. */
const MAX_DAY_BARS = 31;

/** @throws PidexError `BAD_OPTION` if the chart cannot show this dimension */
export function assertChartable(chart: ChartKind, by: UsageDimension): void {
  const wrong = (what: string, hint: string) => new PidexError("BAD_OPTION", what, hint);
  if (chart === "calendar" && by !== "day") {
    throw wrong(
      "--chart calendar requires daily usage",
      "Use pidex usage daily --chart calendar, or --chart bars.",
    );
  }
  if (chart === "spark" && !PERIODS.includes(by)) {
    throw wrong(`--chart spark requires a time period, not ${by}`, "Use --chart bars.");
  }
}

/** Usage as a chart, with the total. */
export function formatUsageChart(io: Io, usage: UsageReport, chart: ChartKind): string {
  const kind = chart === true ? usualChart(usage) : chart;
  const draw = { bars: asBars, spark: asSparkline, calendar: asCalendar }[kind];
  const total = truncate(`${formatDollars(usage.total.costUsd)} in total`, io.columns);
  return `${draw(io, usage)
    .map((line) => `${line}\n`)
    .join("")}${io.style("bold", total)}\n`;
}

function usualChart({ by, rows }: UsageReport): "bars" | "calendar" {
  return by[0] === "day" && rows.length > MAX_DAY_BARS ? "calendar" : "bars";
}

function asBars(io: Io, { rows, by, total, others, rowCount }: UsageReport): string[] {
  const labelOf = createKeyFormatter(rows, by[0] as UsageDimension, io.columns);
  const text = (costUsd: number) =>
    `${formatDollars(costUsd)} ${(total.costUsd > 0 ? formatPercent(costUsd / total.costUsd) : "").padStart(4)}`;
  const all = rows.map((row) => ({ label: labelOf(row), value: row.costUsd, text: text(row.costUsd) }));
  if (others) {
    // Without a bar: hundreds of other rows add up to more than any one, and would dwarf it.
    all.push({
      label: formatCount(rowCount - rows.length, "other"),
      value: 0,
      text: text(others.costUsd),
    });
  }
  return drawBars(all, io.columns, (bar) => io.style("green", bar));
}

function asSparkline(io: Io, { rows, by }: UsageReport): string[] {
  const [period] = by as [UsageDimension];
  const dated = rows.filter(({ key }) => typeof key[period] === "string");
  const [oldest, newest] = [dated[0]?.key[period], dated.at(-1)?.key[period]];
  if (!oldest || !newest) return [];
  const peak = dated.reduce((greatest, { costUsd }) => Math.max(greatest, costUsd), 0);
  const about = `${oldest} to ${newest}, peak ${formatDollars(peak)} per ${period}`;
  return [io.style("green", drawSparkline(fillGaps(dated, period), io.columns)), truncate(about, io.columns)];
}

/**
 * A sparkline of the cost of each period of a range up to now, and the highest. Empty if there is none to draw: without costs, for a
 * breakdown by something else, or if `--limit` omits periods.
 */
export function formatTrend(io: Io, usage: UsageReport, { name, since, until }: NamedRange): string {
  const { rows, rowCount, by, timeZone } = usage;
  const [period] = by as [UsageDimension];
  if (by.length > 1 || rows.length < rowCount || (period !== "day" && period !== "month")) return "";
  const time = createTimeFormatter(timeZone);
  const periodAt = (moment: number) => time(new Date(moment)).slice(0, period === "day" ? 10 : 7);
  const end = Math.max(since, Math.min(until - 1, Date.now()));
  const bounds = [periodAt(since), periodAt(end)].map((each) => periodNumber(each, period)) as [
    number,
    number,
  ];
  const highest = rows.reduce((a, b) => (b.costUsd > a.costUsd ? b : a));
  if (highest.costUsd <= 0) return "";
  const sparkline = drawSparkline(fillGaps(rows, period, bounds), io.columns);
  const caption = `${name}, peak ${formatDollars(highest.costUsd)} ${period === "day" ? "on" : "in"} ${highest.key[period]}`;
  const isOneLine = sparkline.length + caption.length + 2 <= io.columns;
  return `${io.style("green", sparkline)}${isOneLine ? "  " : "\n"}${io.style("dim", truncate(caption, io.columns))}\n`;
}

/** Sessions with wrong times may be thousands of years apart: then gaps are not filled. */
const MAX_PERIODS = 100_000;

/** The cost of each period from the first to the last, at least those within `bounds`; 0 for periods without usage. */
function fillGaps(
  rows: readonly UsageRow[],
  period: UsageDimension,
  [from, until]: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
): number[] {
  const numbers = rows.map(({ key }) => periodNumber(key[period] as string, period));
  const first = numbers.reduce((least, number) => Math.min(least, number), from);
  const length = numbers.reduce((most, number) => Math.max(most, number), until) - first + 1;
  if (!(length <= MAX_PERIODS)) return rows.map(({ costUsd }) => costUsd);
  const costs = new Array<number>(length).fill(0);
  // The hour that repeats when clocks go back counts as one period.
  for (const [n, number] of numbers.entries())
    costs[number - first] = (costs[number - first] ?? 0) + (rows[n]?.costUsd ?? 0);
  return costs;
}

/** The ordinal of a period: consecutive periods have consecutive numbers. */
function periodNumber(name: string, period: UsageDimension): number {
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
  return drawCalendar(days, { weekStart, columns: io.columns, from, until });
}
