import type { Figures, SessionInfo, Spend, UsageDimension, UsageRow } from "../../library/index.ts";
import { dollars, plainDollars } from "../format/numbers.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { cut, wrapped } from "../format/text.ts";
import { titleOf } from "../format/titles.ts";
import { csvOf, RAW_FIGURES, rawFigures, rawKey } from "../format/usage-csv.ts";
import { figureCells, figureColumns, furtherFigures } from "./figures.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import { sessionHeading } from "./session-heading.ts";
import { table } from "./table.ts";
import { tellOfUnread } from "./unread.ts";
import type { ExplainFlags } from "./usage-flags.ts";
import { keyLabels } from "./usage-keys.ts";

/** `pidex spend`: shows the cost of one session, its subagents and its forks. */
export async function run(io: Io, [session = ""]: string[], flags: ExplainFlags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    if (flags.explain) {
      const { explain } = await import("./explain.ts");
      return explain(io, index, { session }, flags);
    }
    const spend = await index.spend(session);
    tellOfUnread(io, spend);
    if (flags.json || flags.ndjson) await writeJson(io, { spend });
    else if (flags.csv) {
      const header = ["part", "name", ...RAW_FIGURES];
      await io.out([header, ...rawRows(spend)].map(csvOf).join(""));
    } else if (io.isTerminal) await io.out(forPeople(io, spend));
    else
      await io.out(
        table(
          io,
          [],
          rawRows(spend).map((cells) => cells.map(field)),
        ),
      );
    return EXIT.done;
  });
}

/** The breakdowns of a session and its subagents. */
const BREAKDOWNS: readonly [UsageDimension, (spend: Spend) => UsageRow[]][] = [
  ["model", ({ byModel }) => byModel],
  ["kind", ({ byKind }) => byKind],
  ["tool", ({ byTool }) => byTool],
  ["branch", ({ byBranch }) => byBranch],
];

/** Columns for scripts: part, name, figures. */
function rawRows(spend: Spend): string[][] {
  const row = (part: string, name: string, figures: Figures) => [part, name, ...rawFigures(figures)];
  return [
    row("own", spend.session.path, spend.own),
    ...spend.subagents.map(({ session, figures }) => row("subagent", session.path, figures)),
    row("withSubagents", "", spend.withSubagents),
    ...spend.forks.map(({ session, figures }) => row("fork", session.path, figures)),
    row("withChildren", "", spend.withChildren),
    row("inherited", "", spend.inherited),
    ...spend.inheritedFrom.map(({ session, costUsd }) => [
      "inheritedFrom",
      session.path,
      ...RAW_FIGURES.map((name) => (name === "costUsd" ? plainDollars(Math.round(costUsd * 1e9)) : "")),
    ]),
    ...BREAKDOWNS.flatMap(([by, getRows]) => getRows(spend).map((each) => row(by, rawKey(each, by), each))),
  ];
}

function forPeople(io: Io, spend: Spend): string {
  const facts = furtherFigures(spend.withSubagents, spend.stopReasons).join(" · ");
  const sections = [
    `${sessionHeading(io, spend.session).join("\n")}\n`,
    accounts(io, spend),
    wrapped(oneLine(facts), io.columns)
      .map((line) => `${io.style("dim", line)}\n`)
      .join(""),
    ...BREAKDOWNS.map(([by, getRows]) => breakdown(io, by, getRows(spend))),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

/** The cost of the session, its subagents and its forks, and of the history it shares with earlier sessions. */
function accounts(io: Io, spend: Spend): string {
  const { own, subagents, withSubagents, forks, withChildren, inherited, inheritedFrom } = spend;
  const lines: { cells: string[]; strong?: boolean }[] = [];
  const add = (label: string, figures: Figures, strong = false) =>
    lines.push({ cells: [label, ...figureCells(figures, [], io.columns)], strong });
  add("own", own);
  for (const { session, figures } of subagents) add(`subagent ${formatName(session)}`, figures);
  if (subagents.length > 0) add("with subagents", withSubagents, true);
  for (const { session, figures } of forks) add(`fork ${formatName(session)}`, figures);
  if (forks.length > 0) add("with children", withChildren, true);
  const text = table(
    io,
    [{ heading: "SPENT", gives: true }, ...figureColumns([])],
    lines.map(({ cells }) => cells),
    (n) => lines[n]?.strong === true,
  );
  if (inherited.events === 0) return text;
  const events = counted(inherited.events, "event");
  const copies = [
    `Not included: ${events} copied from earlier sessions, ${dollars(inherited.costUsd)}`,
    ...inheritedFrom.map(({ session, costUsd }) => `  ${dollars(costUsd)} by ${formatName(session)}`),
  ];
  return text + copies.map((line) => `${cut(line, io.columns)}\n`).join("");
}

/** The title after a short id that commands accept. */
function formatName(session: SessionInfo): string {
  return `${shortId(session.id)} ${titleOf(session)}`;
}

function breakdown(io: Io, by: UsageDimension, rows: readonly UsageRow[]): string {
  if (rows.length === 0) return "";
  const labelOf = keyLabels(rows, by, io.columns);
  return table(
    io,
    [{ heading: by.toUpperCase(), gives: true }, ...figureColumns([by])],
    rows.map((row) => [labelOf(row), ...figureCells(row, [by], io.columns)]),
  );
}
