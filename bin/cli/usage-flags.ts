import { Argument, type Command, Option } from "commander";
import type { UsageDimension, UsageOptions } from "../../library/index.ts";
import { count, given } from "./given.ts";
import type { CommonOptions } from "./run.ts";

// Both lists are written out: help and completions have them without loading the library.

/** The words of the command line for what usage is broken down by. */
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

/** Periods that follow one another: what comes after what. */
export const SUCCESSIVE: readonly UsageDimension[] = ["hour", "day", "week", "month"];

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export type ChartKind = "bars" | "spark" | "calendar";

/** How an answer is written, beside `--json` and `--ndjson`. */
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

/** The arguments and options of `pidex usage`, but for those that every command has. */
export function usageFlags(command: Command): Command {
  const words = Object.keys(DIMENSIONS);
  return command
    .addArgument(
      new Argument("[dimension]", "what to break it down by (default: daily)").choices(words).argOptional(),
    )
    .addOption(new Option("--by <dimension>", "and by this, crossed").choices(words))
    .option("-n, --limit <n>", "rows to show: the costliest, or the newest periods", count())
    .addOption(new Option("--running", "with a running total, by period").conflicts("by"))
    .option("--budget <amount>", "what may be spent, and how it goes: 200/month, 10/day", given)
    .option("--timezone <zone>", "where days begin: Europe/Berlin (default: where you are)", given)
    .addOption(new Option("--week-start <day>", "when weeks begin (default: monday)").choices(DAYS))
    .addOption(
      new Option("--explain", "list the events behind the numbers, one by one").conflicts([
        "limit",
        "running",
        "budget",
        "chart",
      ]),
    )
    .optionsGroup("Filters:")
    .option("--since <time>", "not older than this: 7d, 12h, 2026-01-31")
    .option("--until <time>", "older than this")
    .addOption(new Option("--here", "only sessions of this folder").conflicts("cwd"))
    .option("--cwd <folder>", "only sessions of that folder", given)
    .option("--project <name>", "only sessions whose folder ends in this: shop, ada/shop", given)
    .option("--session <session>", "only this session, with its subagents", given)
    .option("--model <name>", "only models with this in their name", given)
    .option("--provider <name>", "only this provider", given)
    .option("--kind <kind>", "only assistant, tool, subagent, compaction, branch_summary, …", given)
    .option("--agent <name>", "only this subagent", given)
    .option("--tool <name>", "only results and calls of this tool", given)
    .addOption(
      new Option("--branch <which>", "only current branches, or those that were left").choices([
        "current",
        "left",
      ]),
    )
    .addOption(
      new Option("--subagents <which>", "what subagents spent (default: yes)").choices(["yes", "no", "only"]),
    );
}

/** What `pidex usage` can write besides tables: after the options that every command has. */
export function usageOutput(command: Command): Command {
  return csvFlag(command).addOption(
    new Option("--chart [kind]", "as a chart")
      .choices(["bars", "spark", "calendar"])
      .conflicts(["by", "running", "json", "ndjson", "csv"]),
  );
}

export function csvFlag(command: Command): Command {
  return command
    .optionsGroup("Output:")
    .addOption(new Option("--csv", "comma-separated values, with a header").conflicts(["json", "ndjson"]));
}
