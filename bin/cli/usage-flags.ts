import { Argument, type Command, Option } from "commander";
import type { UsageDimension, UsageOptions } from "../../library/index.ts";
import { parseCount, parseNonEmpty } from "./option-values.ts";
import type { CommonOptions } from "./run.ts";

// Both lists are spelled out, so that help and completions don't load the library.

/** Dimensions by their names on the command line. */
export const DIMENSIONS: Readonly<Record<string, UsageDimension>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  hourly: "hour",
  weekday: "weekday",
  "hour-of-day": "hour-of-day",
  model: "model",
  provider: "provider",
  project: "project",
  session: "session",
  tool: "tool",
  agent: "agent",
  kind: "kind",
  branch: "branch",
  stop: "stop",
  day: "day",
  week: "week",
  month: "month",
  hour: "hour",
};

/** Dimensions that are consecutive time periods. */
export const PERIODS: readonly UsageDimension[] = ["hour", "day", "week", "month"];

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export type ChartKind = "bars" | "spark" | "calendar";

/** Output options besides `--json` and `--ndjson`. */
export interface ExplainFlags extends CommonOptions {
  csv?: boolean;
  explain?: boolean;
  timezone?: string;
}

export interface UsageFlags extends ExplainFlags {
  by?: string;
  since?: string;
  until?: string;
  here?: boolean;
  cwd?: string;
  project?: string;
  session?: string;
  model?: string;
  provider?: string;
  kind?: string;
  agent?: string;
  tool?: string;
  branch?: UsageOptions["branch"];
  subagents?: UsageOptions["subagents"];
  weekStart?: UsageOptions["weekStart"];
  limit?: number;
  running?: boolean;
  budget?: string;
  chart?: ChartKind | true;
}

/** Adds the arguments and options of `pidex usage`, except the common ones. */
export function addUsageOptions(command: Command): Command {
  const words = Object.keys(DIMENSIONS);
  return command
    .addArgument(new Argument("[dimension]", "Break down by (default: daily)").choices(words).argOptional())
    .addOption(
      new Option("--by <dimension>", "Second dimension, which must differ from the first").choices(words),
    )
    .option("-n, --limit <n>", "Maximum number of rows: the costliest, or the newest periods", parseCount())
    .addOption(new Option("--running", "Add a running total to each period").conflicts("by"))
    .option("--budget <amount>", "Compare with a budget: 200/month, 10/day", parseNonEmpty)
    .option("--timezone <zone>", "Time zone of days: Europe/Berlin (default: yours)", parseNonEmpty)
    .addOption(new Option("--week-start <day>", "First day of the week (default: monday)").choices(DAYS))
    .addOption(
      new Option("--explain", "List the billable events behind the numbers").conflicts([
        "limit",
        "running",
        "budget",
        "chart",
      ]),
    )
    .optionsGroup("Filters:")
    .option("--since <time>", "Only at or after this time: 7d, 12h, 2026-01-31")
    .option("--until <time>", "Only before this time")
    .addOption(new Option("--here", "Only sessions from the current folder").conflicts("cwd"))
    .option("--cwd <folder>", "Only sessions from this folder", parseNonEmpty)
    .option("--project <name>", "Only sessions of this project: shop, ada/shop", parseNonEmpty)
    .option("--session <session>", "Only this session and its subagents", parseNonEmpty)
    .option("--model <name>", "Only models whose name contains this", parseNonEmpty)
    .option("--provider <name>", "Only this provider", parseNonEmpty)
    .option(
      "--kind <kind>",
      "Only this kind: assistant, tool, subagent, compaction, branch_summary, …",
      parseNonEmpty,
    )
    .option("--agent <name>", "Only this subagent", parseNonEmpty)
    .option("--tool <name>", "Only calls and results of this tool", parseNonEmpty)
    .addOption(
      new Option("--branch <which>", "Only current or only abandoned branches").choices(["current", "left"]),
    )
    .addOption(
      new Option("--subagents <which>", "Include the cost of subagents (default: yes)").choices([
        "yes",
        "no",
        "only",
      ]),
    );
}

/** Adds the output options of `pidex usage`; called after the common options. */
export function addUsageOutputOptions(command: Command): Command {
  return addCsvOption(command).addOption(
    new Option("--chart [kind]", "Draw a chart")
      .choices(["bars", "spark", "calendar"])
      .conflicts(["by", "running", "json", "ndjson", "csv"]),
  );
}

export function addCsvOption(command: Command): Command {
  return command
    .optionsGroup("Output:")
    .addOption(
      new Option("--csv", "Print comma-separated values with a header row").conflicts(["json", "ndjson"]),
    );
}
