/** The Markdown report of `insights`. */
import type { Insights } from "../../library/index.ts";
import { INSIGHT_DEFINITIONS } from "./insight-kinds.ts";
import {
  compareTotals,
  describeFinding,
  describeLoss,
  describeOmitted,
  formatTask,
  formatWork,
  WORK_HEADINGS,
} from "./insights.ts";
import { formatDollars, formatNumber, formatPercent } from "./numbers.ts";
import { formatCount, toField, toOneLine } from "./safe.ts";

/** The whole report: findings with their definitions, and all tables. */
export function formatInsightsMarkdown(found: Insights): string {
  const { period, before, findings, findingCount, models, projects, hours, weekdays } = found;
  const omitted = describeOmitted(found);
  const work = WORK_HEADINGS.map((heading) => heading.toLowerCase());
  const sections = [
    "# Insights",
    `${period.since} to ${period.until}, compared with ${before.since} to ${before.until}. Time zone: ${escapeText(found.timeZone)}.`,
    ...(omitted === "" ? [] : [`${omitted}.`]),
    "## What changed",
    formatTable(["", "now", "before", "change"], compareTotals(found)),
    "## Findings",
    ...(findings.length === 0 ? ["None."] : findings.map(formatFinding)),
    ...(findingCount > findings.length
      ? [`${formatCount(findingCount - findings.length, "more finding")} not listed.`]
      : []),
    "## Models by what sessions did",
    formatTable(
      ["session", "model", ...work],
      models.map((row) => [formatTask(row), row.model, ...formatWork(row)]),
    ),
    "## Projects",
    formatTable(
      ["project", ...work],
      projects.map((row) => [row.project, ...formatWork(row)]),
    ),
    "## Hours and weekdays",
    formatTable(["", "cost", "your messages", "calls", "failed"], [...hours, ...weekdays].map(toHabitRow)),
  ];
  return `${sections.join("\n\n")}\n`;
}

function formatFinding(finding: Insights["findings"][number], n: number): string {
  const places = finding.examples.map(
    ({ path, line, title, occurrences }) =>
      `   - \`${toField(path)}:${line}\` ${escapeText(title)} (${formatNumber(occurrences)})`,
  );
  return [
    `${n + 1}. **${escapeText(describeFinding(finding))}**`,
    `   ${describeLoss(finding).join(" · ")}. Counted: ${INSIGHT_DEFINITIONS[finding.kind]}.`,
    ...places,
  ].join("\n");
}

function toHabitRow({
  name,
  costUsd,
  turns,
  toolCalls,
  toolFailureRate,
}: Insights["hours"][number]): string[] {
  const failed = toolFailureRate === undefined ? "" : formatPercent(toolFailureRate);
  return [name, formatDollars(costUsd), formatNumber(turns), formatNumber(toolCalls), failed];
}

function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeText).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Session text on one line, without Markdown of its own. */
function escapeText(text: string): string {
  return toOneLine(text).replace(/[\\`*_[\]<>|#]/g, "\\$&");
}
