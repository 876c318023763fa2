import { PidexError, type UsageEventsOptions, type UsageReport } from "../../library/index.ts";
import { oneLine } from "../format/safe.ts";
import { wrapped } from "../format/text.ts";
import { usageCsv } from "../format/usage-csv.ts";
import { budgetLines } from "./budget.ts";
import { furtherFigures } from "./figures.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import { tellOfUnread } from "./unread.ts";
import { DIMENSIONS, SUCCESSIVE, type UsageFlags } from "./usage-flags.ts";
import { usageForPipes, usageTable } from "./usage-table.ts";

/** `pidex usage`: shows token usage and cost by one or two dimensions. */
export async function run(io: Io, [word = "daily"]: string[], flags: UsageFlags): Promise<number> {
  const first = DIMENSIONS[word] ?? "day"; // commander has checked it
  const second = flags.by && DIMENSIONS[flags.by];
  const { chart, timezone: timeZone, weekStart, limit, budget } = flags;
  const charts = chart === undefined ? undefined : await import("./usage-chart.ts");
  if (chart !== undefined) charts?.checkChart(chart, first);
  if (flags.running && !SUCCESSIVE.includes(first)) {
    const hint = "Remove --running, or use hourly, daily, weekly or monthly.";
    throw new PidexError("BAD_OPTION", `--running requires a time period, not ${first}`, hint);
  }
  return withIndex(io, flags, async (index) => {
    const filters = usageFilters(flags);
    if (flags.explain) {
      const { explain } = await import("./explain.ts");
      return explain(io, index, filters, flags);
    }
    const by = second ? [first, second] : [first];
    const usage = await index.usage({ ...filters, by, timeZone, weekStart, limit, budget });
    tellOfUnread(io, usage);
    if (flags.json) await writeJson(io, { usage });
    else if (flags.ndjson) await writeJsonLines(io, usage.rows);
    else if (flags.csv) await io.out(usageCsv(usage, flags.running === true));
    else if (usage.rows.length === 0) io.err("no usage found\n");
    else if (charts && chart !== undefined) await io.out(charts.usageChart(io, usage, chart));
    else if (!io.isTerminal) await io.out(usageForPipes(usage, flags.running === true));
    else {
      await io.out(usageTable(io, usage, flags.running === true));
      const facts = wrapped(oneLine(furtherFigures(usage.total).join(" · ")), io.columns);
      await io.out(facts.map((line) => `${io.style("dim", line)}\n`).join(""));
    }
    if (!flags.json && !flags.ndjson) await writeBudget(io, usage, flags);
    return EXIT.done;
  });
}

function usageFilters(flags: UsageFlags): UsageEventsOptions {
  const { project, session, model, provider, kind, agent, tool, branch, subagents, since, until } = flags;
  const cwd = flags.here ? "." : flags.cwd;
  return { cwd, project, session, model, provider, kind, agent, tool, branch, subagents, since, until };
}

/** Prints the budget below a table, or on stderr if stdout is for scripts. */
async function writeBudget(io: Io, usage: UsageReport, { csv }: UsageFlags): Promise<void> {
  const lines = budgetLines(io, usage);
  if (io.isTerminal && !csv) await io.out(lines);
  else if (lines !== "") io.err(lines);
}
