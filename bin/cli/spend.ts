import {
  type Figures,
  readUserPrices,
  type SessionInfo,
  type SessionUsage,
  type UsageDimension,
  type UsageRow,
} from "../../library/index.ts";
import { parseReference } from "../agents/citations.ts";
import { formatDollars, formatExactDollars } from "../format/numbers.ts";
import { formatCount } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import { getSessionTitle } from "../format/titles.ts";
import { formatCsvRow, getRawFigures, isBlank, toRawFigures, toRawKey } from "../format/usage-csv.ts";
import type { Flags } from "./commands.ts";
import {
  figureColumns,
  formatEstimate,
  formatFurtherFigures,
  formatToolCostNote,
  notePartialUsage,
  toFigureCells,
} from "./figures.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { withPager } from "./pager.ts";
import { queryCommand } from "./run.ts";
import { formatSessionHeading } from "./session-heading.ts";
import { formatRow, formatTable, type Row } from "./table.ts";
import { createKeyFormatter } from "./usage-keys.ts";

/** `pidex spend`: shows the cost of one session, its subagents and its forks. */
export const run = queryCommand(async (io, index, [reference = ""], flags: Flags<"spend">) => {
  const { session } = parseReference(reference);
  if (flags.explain) {
    const { writeBillableEvents } = await import("./explain.ts");
    await withPager(io, flags, (paged) => writeBillableEvents(paged, index, { session }, flags));
    return;
  }
  const prices = flags.estimates ? await readUserPrices() : undefined;
  const spend = await index.spend(session, { estimates: flags.estimates, prices });
  notePartialUsage(io, spend);
  if (flags.json || flags.ndjson) await writeJson(io, { spend });
  else if (flags.csv) {
    const header = ["part", "name", ...getRawFigures(spend.own)];
    await io.out([header, ...rawRows(spend)].map(formatCsvRow).join(""));
  } else if (io.isTerminal) await io.out(forPeople(io, spend));
  else await io.out(rawRows(spend).map(formatRow).join(""));
});

/** The breakdowns of a session and its subagents. */
const BREAKDOWNS: readonly [UsageDimension, (spend: SessionUsage) => UsageRow[]][] = [
  ["model", ({ byModel }) => byModel],
  ["kind", ({ byKind }) => byKind],
  ["tool", ({ byTool }) => byTool],
  ["branch", ({ byBranch }) => byBranch],
];

/** Columns for scripts: part, name, figures. */
function rawRows(spend: SessionUsage): string[][] {
  const row = (part: string, name: string, figures: Figures) => [part, name, ...toRawFigures(figures)];
  return [
    row("own", spend.session.path, spend.own),
    ...spend.subagents.map(({ session, figures }) => row("subagent", session.path, figures)),
    row("withSubagents", "", spend.withSubagents),
    ...spend.forks.map(({ session, figures }) => row("fork", session.path, figures)),
    row("withChildren", "", spend.withChildren),
    row("inherited", "", withEstimate(spend.inherited, spend.own)),
    ...spend.inheritedFrom.map(({ session, costUsd }) => [
      "inheritedFrom",
      session.path,
      ...getRawFigures(spend.own).map((name) =>
        name === "costUsd" ? formatExactDollars(Math.round(costUsd * 1e9)) : "",
      ),
    ]),
    ...BREAKDOWNS.flatMap(([by, getRows]) => getRows(spend).map((each) => row(by, toRawKey(each, by), each))),
  ];
}

/** As many cells as the other rows: copies have no estimate of their own. */
function withEstimate(figures: Figures, { estimatedUsd }: Figures): Figures {
  return estimatedUsd === undefined ? figures : { ...figures, estimatedUsd: 0 };
}

function forPeople(io: Io, spend: SessionUsage): string {
  const sections = [
    `${formatSessionHeading(io, spend.session).join("\n")}\n`,
    accounts(io, spend),
    formatFurtherFigures(io, spend.withSubagents, spend.stopReasons) +
      formatEstimate(io, spend.withSubagents),
    ...BREAKDOWNS.map(([by, getRows]) => breakdown(io, by, getRows(spend))),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

/** The cost of the session, its subagents and its forks, and of the history it shares with earlier sessions. */
function accounts(io: Io, spend: SessionUsage): string {
  const { own, subagents, withSubagents, forks, withChildren, inherited, inheritedFrom } = spend;
  const cells = (label: string, figures: Figures) => [
    label,
    ...toFigureCells(figures, [], [own], io.columns),
  ];
  const rows: Row[] = [
    cells("own", own),
    ...subagents.map(({ session, figures }) => cells(`subagent ${formatName(session)}`, figures)),
    ...(subagents.length > 0 ? [{ strong: cells("with subagents", withSubagents) }] : []),
    ...forks.map(({ session, figures }) => cells(`fork ${formatName(session)}`, figures)),
    ...(forks.length > 0 ? [{ strong: cells("with subagents and forks", withChildren) }] : []),
  ];
  const text = formatTable(io, [{ heading: "SPENT", shrinksFirst: true }, ...figureColumns([], [own])], rows);
  if (inherited.events === 0) return text;
  const events = formatCount(inherited.events, "event");
  const copies = [
    `Not included: ${events} inherited from earlier sessions, ${formatDollars(inherited.costUsd)}`,
    ...inheritedFrom.map(({ session, costUsd }) => `  ${formatDollars(costUsd)} by ${formatName(session)}`),
  ];
  return text + copies.map((line) => `${truncate(line, io.columns)}\n`).join("");
}

/** The title after a short id that commands accept. */
function formatName(session: SessionInfo): string {
  return `${shortId(session.id)} ${getSessionTitle(session)}`;
}

function breakdown(io: Io, by: UsageDimension, all: readonly UsageRow[]): string {
  const rows = all.filter((row) => !isBlank(row, by));
  if (rows.length === 0) return "";
  const labelOf = createKeyFormatter(rows, by, io.columns);
  const table = formatTable(
    io,
    [{ heading: by.toUpperCase(), shrinksFirst: true }, ...figureColumns([by], rows)],
    rows.map((row) => [labelOf(row), ...toFigureCells(row, [by], rows, io.columns)]),
  );
  return table + formatToolCostNote(io, [by], rows);
}
