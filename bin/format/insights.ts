/** Findings of `insights` in words, for all surfaces. */
import type { InsightFinding, Insights, ModelWork, ProjectWork } from "../../library/index.ts";
import { formatDollars, formatDuration, formatNumber, formatPercent, formatShortNumber } from "./numbers.ts";
import { formatCount, toOneLine } from "./safe.ts";
import { folderName } from "./titles.ts";

/** What a finding found, in one line. */
export function describeFinding(finding: InsightFinding): string {
  const { kind, tool, occurrences, sessions, of = 0 } = finding;
  const subject = toOneLine(finding.subject);
  const where = `in ${formatCount(sessions, "session")}`;
  const times = `${formatCount(occurrences, "time")} ${where}`;
  switch (kind) {
    case "failures": {
      const share = of > 0 ? ` (${formatPercent(occurrences / of)} of ${formatNumber(of)})` : "";
      return `${subject} failed ${formatCount(occurrences, "time")}${share} ${where}`;
    }
    case "repeated-errors":
      return `${toOneLine(tool ?? "")} failed ${times}: ${subject}`;
    case "repeated-calls":
      return `${subject} was called again unchanged after a failure ${times}`;
    case "undone-edits":
      return `${formatCount(occurrences, "edit")} undone in ${formatProject(finding.subject)}, ${where}`;
    case "slow-calls":
      return `${subject} took a minute or longer ${times}`;
    case "slow-responses":
      return `${subject} took a minute or longer to respond ${times}`;
    case "compactions":
      return `${formatCount(occurrences, "compaction")} in ${formatProject(finding.subject)}, ${where}`;
  }
}

/** What a finding cost, further figures, and how often it occurred in the period before. */
export function describeLoss(finding: InsightFinding): string[] {
  const { costUsd, ms, calledAgain = 0, stillFailed, before } = finding;
  const { tokensBefore = 0, tokensAfter = 0, repeatedly = 0 } = finding;
  return [
    costUsd > 0 ? formatDollars(costUsd) : "",
    ms > 0 ? formatDuration(ms) : "",
    calledAgain > 0 ? `${formatNumber(calledAgain)} called again at once` : "",
    stillFailed !== undefined ? `${formatNumber(stillFailed)} failed again` : "",
    tokensBefore > 0
      ? `${formatShortNumber(tokensBefore)} tokens became ${formatShortNumber(tokensAfter)}`
      : "",
    repeatedly > 0 ? `${formatCount(repeatedly, "session")} more than once` : "",
    formatBefore(before),
  ].filter((fact) => fact !== "");
}

function formatBefore(before: InsightFinding["before"]): string {
  if (!before) return "before: not read";
  return before.occurrences > 0 ? `before: ${formatNumber(before.occurrences)}` : "before: none";
}

export function formatProject(cwd: string): string {
  return cwd === "" ? "an unknown folder" : toOneLine(folderName(cwd));
}

const TASK_NAMES: Record<ModelWork["task"], string> = {
  changes: "changes files",
  commands: "runs commands",
  reading: "reads",
  talk: "talks",
};

export const WORK_HEADINGS = ["SESSIONS", "COST", "TIME", "CHANGES", "COST/CHANGE", "TIME/CHANGE"] as const;

/** Cells of a row of `models` or `projects`, for `WORK_HEADINGS`. */
export function formatWork(row: ModelWork | ProjectWork): string[] {
  const { sessions, costUsd, ms, changes, costPerChangeUsd, msPerChange } = row;
  return [
    formatNumber(sessions),
    formatDollars(costUsd),
    formatDuration(ms),
    formatNumber(changes),
    costPerChangeUsd === undefined ? "" : formatDollars(costPerChangeUsd),
    msPerChange === undefined ? "" : formatDuration(msPerChange),
  ];
}

export function formatTask({ task }: ModelWork): string {
  return TASK_NAMES[task];
}

/** Figures of the period beside those of the period before: name, now, before, change. */
export function compareTotals({ totals: { now, before } }: Insights): [string, string, string, string][] {
  const row = (
    name: string,
    get: (totals: typeof now) => number | undefined,
    format: (value: number) => string,
  ) => {
    const [a, b] = [get(now), get(before)];
    const change = a === undefined || !b ? "" : formatChange(a / b - 1);
    const show = (value: number | undefined) => (value === undefined ? "" : format(value));
    return [name, show(a), show(b), change] as [string, string, string, string];
  };
  return [
    row("cost", ({ costUsd }) => costUsd, formatDollars),
    row("sessions", ({ sessions }) => sessions, formatNumber),
    row("your messages", ({ turns }) => turns, formatNumber),
    row("model responses", ({ messages }) => messages, formatNumber),
    row("accepted changes", ({ changes }) => changes, formatNumber),
    row("cost per change", ({ costPerChangeUsd }) => costPerChangeUsd, formatDollars),
    row("edits undone", ({ undone }) => undone, formatNumber),
    row("failed calls", ({ toolFailureRate }) => toolFailureRate, formatPercent),
    row("waiting for models", ({ modelMs }) => modelMs, formatDuration),
    row("waiting for tools", ({ toolMs }) => toolMs, formatDuration),
    row("compactions", ({ compactions }) => compactions, formatNumber),
  ];
}

function formatChange(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 ? "same" : `${percent > 0 ? "+" : "-"}${formatNumber(Math.abs(percent))}%`;
}

/** The three periods of a day or week with the highest cost: `14:00 $3.20`. */
export function formatBusiest(habits: Insights["hours"]): string {
  const busiest = habits.filter(({ costUsd, turns }) => costUsd > 0 || turns > 0);
  busiest.sort((a, b) => b.costUsd - a.costUsd || b.turns - a.turns);
  return busiest
    .slice(0, 3)
    .map(({ name, costUsd, toolFailureRate = 0 }) => {
      const failed = toolFailureRate > 0 ? ` (${formatPercent(toolFailureRate)} of calls failed)` : "";
      return `${/^\d/.test(name) ? `${name}:00` : name} ${formatDollars(costUsd)}${failed}`;
    })
    .join(", ");
}

/** What could not be counted; "" if nothing was left out. */
export function describeOmitted({ read: { omitted, unreadable } }: Insights): string {
  const facts = [
    omitted > 0 ? `${formatCount(omitted, "older entry", "older entries")} not read back` : "",
    unreadable > 0 ? `${formatCount(unreadable, "entry", "entries")} could not be read` : "",
  ].filter((fact) => fact !== "");
  return facts.length > 0
    ? `${facts.join(", ")}: errors, repeated calls and undone edits may be missing`
    : "";
}
