import type { Insights } from "../../library/index.ts";
import { resolveDates } from "../../library/internal.ts";
import { INSIGHT_DEFINITIONS } from "../format/insight-kinds.ts";
import {
  compareTotals,
  describeFinding,
  describeLoss,
  describeOmitted,
  formatBusiest,
  formatProject,
  formatTask,
  formatWork,
  WORK_HEADINGS,
} from "../format/insights.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import { createTimeFormatter } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { notePartialUsage } from "./figures.ts";
import { formatSinceHint } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { printNotice, withIndexOrHub } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

/** Rows of the tables for a terminal; `--markdown` and `--json` have all. */
const MAX_ROWS = 5;

/** `pidex insights`: shows where work stalls, what works, and what has changed since the period before. */
export async function run(io: Io, _args: string[], flags: Flags<"insights">): Promise<void> {
  const { project, machine, person, kind, limit, examples, minOccurrences, minSessions, timeZone } = flags;
  const { since, until } = resolveDates(flags);
  await withIndexOrHub(io, flags, async (index) => {
    const cwd = flags.here ? "." : flags.cwd;
    const thresholds = { limit, examples, minOccurrences, minSessions };
    const found = await index.insights({
      cwd,
      project,
      machine,
      person,
      since,
      until,
      kind,
      timeZone,
      ...thresholds,
    });
    notePartialUsage(io, found);
    if (flags.json) return writeJson(io, { insights: found });
    if (flags.ndjson) return writeJsonLines(io, found.findings);
    const omitted = describeOmitted(found);
    if (omitted !== "") printNotice(io, omitted);
    if (flags.markdown) {
      const { formatInsightsMarkdown } = await import("../format/insights-markdown.ts");
      return io.out(formatInsightsMarkdown(found));
    }
    if (found.totals.now.sessions === 0)
      return io.err(`no sessions in the period\n${formatSinceHint(flags)}`);
    if (!io.isTerminal) return io.out(found.findings.map(toScriptRow).map(formatRow).join(""));
    await withPager(io, flags, async (paged) => paged.out(forPeople(paged, found, flags.explain === true)));
  });
}

/** Kind, subject, occurrences, sessions, dollars, milliseconds, occurrences before, and where. */
function toScriptRow(finding: Insights["findings"][number]): (string | number)[] {
  const { kind, subject, tool, occurrences, sessions, costUsd, ms, before, examples } = finding;
  const places = examples.map(({ path, line }) => `${toField(path)}:${line}`).join(" ");
  const named = kind === "repeated-errors" ? `${tool}: ${subject}` : subject;
  return [kind, named, occurrences, sessions, costUsd, ms, before?.occurrences ?? "", places];
}

function forPeople(io: Io, found: Insights, explains: boolean): string {
  const sections = [
    formatPeriod(io, found),
    formatFindings(io, found, explains),
    formatModels(io, found),
    formatProjects(io, found),
    formatHabits(io, found),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function formatPeriod(io: Io, found: Insights): string {
  const time = createTimeFormatter(found.timeZone);
  const day = (moment: string, offset = 0) => time(new Date(Date.parse(moment) + offset)).slice(0, 10);
  const { period, before } = found;
  const title = `${day(period.since)} to ${day(period.until, -1)}`;
  const columns: Column[] = [
    { heading: title.toUpperCase(), shrinksFirst: true },
    { heading: "NOW", align: "right", style: "bold" },
    { heading: `SINCE ${day(before.since)}`, align: "right" },
    { heading: "CHANGE", align: "right" },
  ];
  return formatTable(io, columns, compareTotals(found));
}

function formatFindings(io: Io, { findings, findingCount }: Insights, explains: boolean): string {
  if (findings.length === 0)
    return "No findings: nothing recurs often enough (see --min-occurrences, --min-sessions).\n";
  const more = findingCount - findings.length;
  const isIndented = "   ";
  const lines = findings.flatMap((finding, n) => {
    const number = `${n + 1}.`.padEnd(isIndented.length);
    const places = finding.examples.map((example) => formatPlace(example));
    const title = truncate(describeFinding(finding), io.columns - number.length - 1);
    return [
      `${number} ${io.style("bold", title)}`,
      `${isIndented} ${truncate(describeLoss(finding).join(" · "), io.columns - 4)}`,
      `${isIndented} ${io.style("dim", fitPlaces(places, io.columns - 4))}`,
      ...(explains
        ? [
            `${isIndented} ${io.style("dim", truncate(`Counted: ${INSIGHT_DEFINITIONS[finding.kind]}`, io.columns - 4))}`,
          ]
        : []),
    ];
  });
  const heading = io.style("dim", "FINDINGS");
  const rest = more > 0 ? `${isIndented} ${formatCount(more, "more finding")}: -n ${findingCount}\n` : "";
  return `${heading}\n${lines.join("\n")}\n${rest}`;
}

/** A reference that `pidex show` accepts, shorter than a path. */
function formatPlace({
  path,
  line,
  sessionId,
  entryId,
}: Insights["findings"][number]["examples"][number]): string {
  return entryId === undefined
    ? `${toField(path)}:${line}`
    : `${shortId(sessionId)}#${toOneLine(String(entryId))}`;
}

/** As many whole places as fit: part of one would be wrong. The first is never cut. */
function fitPlaces(places: readonly string[], columns: number): string {
  let text = places[0] ?? "";
  for (const place of places.slice(1)) {
    if (text.length + place.length + 2 > columns) break;
    text += `  ${place}`;
  }
  return text;
}

const WORK_COLUMNS: Column[] = WORK_HEADINGS.map((heading) => ({
  heading,
  align: "right",
  omitOrder: { SESSIONS: 3, TIME: 2, CHANGES: 1 }[heading as string] ?? 0,
  ...(heading === "COST" && { style: "green" as const }),
}));

function formatModels(io: Io, { models }: Insights): string {
  const rows = models
    .slice(0, MAX_ROWS)
    .map((row) => [formatTask(row), toOneLine(row.model), ...formatWork(row)]);
  if (rows.length === 0) return "";
  const columns: Column[] = [
    { heading: "SESSION" },
    { heading: "MODEL", shrinksFirst: true },
    ...WORK_COLUMNS,
  ];
  return formatTable(io, columns, rows) + formatMore(models.length);
}

function formatProjects(io: Io, { projects }: Insights): string {
  const rows = projects.slice(0, MAX_ROWS).map((row) => [formatProject(row.project), ...formatWork(row)]);
  if (rows.length === 0) return "";
  const columns: Column[] = [{ heading: "PROJECT", shrinksFirst: true }, ...WORK_COLUMNS];
  return formatTable(io, columns, rows) + formatMore(projects.length);
}

function formatMore(count: number): string {
  return count > MAX_ROWS ? `${formatCount(count - MAX_ROWS, "more row")}: --markdown\n` : "";
}

function formatHabits(io: Io, { hours, weekdays }: Insights): string {
  const rows = [
    ["Costliest hours", formatBusiest(hours)],
    ["Costliest days", formatBusiest(weekdays)],
  ].filter(([, text]) => text !== "");
  return rows.map(([name, text]) => `${truncate(`${name}: ${text}`, io.columns)}\n`).join("");
}
