import {
  type IndexQueries,
  PidexError,
  readUserPrices,
  type UsageDimension,
  type UsageEventsOptions,
  type UsageOptions,
} from "../../library/index.ts";
import { resolveDates } from "../../library/internal.ts";
import { formatUsageCsv } from "../format/usage-csv.ts";
import { writeBudget } from "./budget.ts";
import type { Flags } from "./commands.ts";
import { formatEstimate, formatFurtherFigures, notePartialUsage } from "./figures.ts";
import { formatSinceHint } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { printNotice, withIndexOrHub } from "./run.ts";
import { getJsonFields } from "./select-fields.ts";
import { PERIODS, toRangeName } from "./usage-dimensions.ts";
import { type NamedRange, parseUsageView } from "./usage-range.ts";
import { formatUsageForScripts, formatUsageTable } from "./usage-table.ts";

/** `pidex usage`: shows token usage and cost by one or two dimensions. */
export async function run(io: Io, [word]: string[], flags: Flags<"usage">): Promise<void> {
  const { by, range } = parseUsageView(word, flags);
  const [first, second] = by as [UsageDimension, UsageDimension?];
  const { chart, timeZone, weekStart, limit, running = false } = flags;
  const budget = flags.budget ?? (process.env.PIDEX_BUDGET || undefined);
  const charts = chart === undefined ? undefined : await import("./usage-chart.ts");
  if (chart !== undefined) charts?.assertChartable(chart, first);
  if (second !== undefined && (running || chart !== undefined)) {
    const option = running ? "--running" : "--chart";
    const hint = `Remove ${option}, or one of the dimensions.`;
    throw new PidexError("BAD_OPTION", `${option} shows one dimension, not ${by.join(" and ")}`, hint);
  }
  if (running && !PERIODS.includes(first)) {
    const hint = "Remove --running, or use hourly, daily, weekly or monthly.";
    throw new PidexError("BAD_OPTION", `--running requires a time period, not ${first}`, hint);
  }
  const fields = getJsonFields(flags);
  if (flags.explain && Array.isArray(fields)) {
    const hint = "Remove the fields, or --explain: the fields are those of rows.";
    throw new PidexError("BAD_OPTION", "--explain prints whole events", hint);
  }
  await withIndexOrHub(io, flags, async (index) => {
    const filters = { ...usageFilters(flags), ...(range && { since: range.since, until: range.until }) };
    const noteRange = () => {
      if (range?.isDefault && !flags.json) printNotice(io, `${range.name}; for all days: pidex usage daily`);
    };
    const inJson = range && { range: toRangeJson(range) };
    if (flags.explain) {
      noteRange();
      const { writeBillableEvents } = await import("./explain.ts");
      await withPager(io, flags, (paged) => writeBillableEvents(paged, index, filters, flags, inJson));
      return;
    }
    const prices = flags.estimates ? await readUserPrices() : undefined;
    const usage = await index.usage({
      ...{ ...filters, by, timeZone, weekStart, limit, budget },
      ...{ estimates: flags.estimates, prices },
    });
    notePartialUsage(io, usage);
    if (usage.rows.length > 0) noteRange();
    const selected = Array.isArray(fields)
      ? (await import("./usage-fields.ts")).selectUsageFields(usage, fields)
      : usage.rows;
    if (flags.json) await writeJson(io, { usage: { ...usage, rows: selected }, ...inJson });
    else if (flags.ndjson) await writeJsonLines(io, selected);
    else if (flags.csv) await io.out(formatUsageCsv(usage, running));
    else if (usage.rows.length === 0) {
      const nothing = await describeNoUsage(index, { ...filters, timeZone }, word, range, flags);
      const { formatUnmatchedValues } = await import("../actions/unmatched-values.ts");
      const { project, model } = flags;
      const unmatched = await formatUnmatchedValues(index, { project, model });
      io.err(nothing + unmatched + formatSinceHint(flags));
    } else if (charts && chart !== undefined) await io.out(charts.formatUsageChart(io, usage, chart));
    else if (!io.isTerminal) await io.out(formatUsageForScripts(usage, running));
    else {
      const trend = range && (await import("./usage-chart.ts")).formatTrend(io, usage, range);
      const { total, unpricedModels } = usage;
      const further = formatFurtherFigures(io, total) + formatEstimate(io, total, unpricedModels);
      const table = formatUsageTable(io, usage, running);
      await withPager(io, flags, async (paged) => paged.out(table + (trend ?? "") + further));
    }
    if (!flags.json && !flags.ndjson) await writeBudget(io, usage, flags.csv === true);
  });
}

/** The range in JSON, which an option or a word selects or the default. */
function toRangeJson({ name, since, until }: NamedRange) {
  return { name, since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}

/** Also when usage was last recorded, with the same filters but in any time range. */
async function describeNoUsage(
  index: IndexQueries,
  filters: UsageOptions,
  word: string | undefined,
  range: NamedRange | undefined,
  flags: Flags<"usage">,
): Promise<string> {
  const name = range ? ` ${word === undefined ? "in the " : ""}${range.name}` : " found";
  if (filters.since === undefined && filters.until === undefined) return `no usage${name}\n`;
  const { rows } = await index.usage({ ...filters, since: undefined, until: undefined, by: ["day"] });
  const days = rows.flatMap(({ key }) => (typeof key.day === "string" ? [key.day] : []));
  const last = days.sort().at(-1);
  if (last === undefined) return `no usage${name}\n`;
  const command = await formatUsageCommand(last.slice(0, 7), word, flags);
  return `no usage${name}; last recorded on ${last}: ${command}\n`;
}

/** The same command with another start. */
async function formatUsageCommand(
  since: string,
  word: string | undefined,
  flags: Flags<"usage">,
): Promise<string> {
  const { formatFlags } = await import("./format-flags.ts");
  return [
    "pidex usage",
    ...(word === undefined || toRangeName(word) ? [] : [word]),
    `--since ${since}`,
    ...formatFlags("usage", flags, ["since", "until", "pager"]),
  ].join(" ");
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
