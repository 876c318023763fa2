import {
  type IndexQueries,
  PidexError,
  type UsageDimension,
  type UsageEventsOptions,
  type UsageOptions,
} from "../../library/index.ts";
import { resolveDates } from "../../library/internal.ts";
import { formatUsageCsv } from "../format/usage-csv.ts";
import { writeBudget } from "./budget.ts";
import type { Flags } from "./commands.ts";
import { formatFurtherFigures, notePartialUsage } from "./figures.ts";
import { formatMinutesHint } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { withIndexOrHub } from "./run.ts";
import { PERIODS } from "./usage-dimensions.ts";
import { type NamedRange, parseUsageView } from "./usage-range.ts";
import { formatUsageForScripts, formatUsageTable } from "./usage-table.ts";

/** `pidex usage`: shows token usage and cost by one or two dimensions. */
export async function run(io: Io, [word]: string[], flags: Flags<"usage">): Promise<void> {
  const { by, range } = parseUsageView(io, word, flags);
  const [first] = by as [UsageDimension];
  const { chart, timeZone, weekStart, limit, running = false } = flags;
  const budget = flags.budget ?? (process.env.PIDEX_BUDGET || undefined);
  const charts = chart === undefined ? undefined : await import("./usage-chart.ts");
  if (chart !== undefined) charts?.assertChartable(chart, first);
  if (running && !PERIODS.includes(first)) {
    const hint = "Remove --running, or use hourly, daily, weekly or monthly.";
    throw new PidexError("BAD_OPTION", `--running requires a time period, not ${first}`, hint);
  }
  await withIndexOrHub(io, flags, async (index) => {
    const filters = { ...usageFilters(flags), ...(range && { since: range.since, until: range.until }) };
    if (flags.explain) {
      const { writeBillableEvents } = await import("./explain.ts");
      await withPager(io, flags, (paged) => writeBillableEvents(paged, index, filters, flags));
      return;
    }
    const usage = await index.usage({ ...filters, by, timeZone, weekStart, limit, budget });
    notePartialUsage(io, usage);
    if (flags.json) await writeJson(io, { usage });
    else if (flags.ndjson) await writeJsonLines(io, usage.rows);
    else if (flags.csv) await io.out(formatUsageCsv(usage, running));
    else if (usage.rows.length === 0) {
      const nothing = await describeNoUsage(index, { ...filters, timeZone }, word, range);
      io.err(nothing + formatMinutesHint(flags));
    } else if (charts && chart !== undefined) await io.out(charts.formatUsageChart(io, usage, chart));
    else if (!io.isTerminal) await io.out(formatUsageForScripts(usage, running));
    else {
      await io.out(formatUsageTable(io, usage, running));
      if (range) {
        const { formatTrend } = await import("./usage-chart.ts");
        await io.out(formatTrend(io, usage, range));
      }
      await io.out(formatFurtherFigures(io, usage.total));
    }
    if (!flags.json && !flags.ndjson) await writeBudget(io, usage, flags.csv === true);
  });
}

/** Also when usage was last recorded, with the same filters but in any time range. */
async function describeNoUsage(
  index: IndexQueries,
  filters: UsageOptions,
  word: string | undefined,
  range: NamedRange | undefined,
): Promise<string> {
  const name = range ? ` ${word === undefined ? "in the " : ""}${range.name}` : " found";
  if (filters.since === undefined && filters.until === undefined) return `no usage${name}\n`;
  const { rows } = await index.usage({ ...filters, since: undefined, until: undefined, by: ["day"] });
  const days = rows.flatMap(({ key }) => (typeof key.day === "string" ? [key.day] : []));
  const last = days.sort().at(-1);
  if (last === undefined) return `no usage${name}\n`;
  return `no usage${name}; last recorded on ${last}: pidex usage --since ${last.slice(0, 7)}\n`;
}

function usageFilters(flags: Flags<"usage">): UsageEventsOptions {
  const { project, session, machine, person, model, provider, kind, agent, tool } = flags;
  const { branch, subagents } = flags;
  const cwd = flags.here ? "." : flags.cwd;
  const { since, until } = resolveDates(flags);
  return {
    cwd,
    project,
    session,
    machine,
    person,
    model,
    provider,
    kind,
    agent,
    tool,
    branch,
    subagents,
    since,
    until,
  };
}
