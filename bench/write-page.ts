/**
 * Writes the tables of docs/performance.md from reports of `npm run bench -- --json FILE`: `node bench/write-page.ts FILE...`.
 * Parts that are in no report stay unchanged.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "./run.ts";
import { GOAL_HEADINGS, HEADINGS, toCells } from "./table.ts";

const PAGE = join(import.meta.dirname, "../docs/performance.md");
const BEGIN = "<!-- tables: node bench/write-page.ts -->";
const END = "<!-- end of tables -->";

const COLUMNS = [...HEADINGS, ...GOAL_HEADINGS];

/** Replaces the tables between the two markers of a page, part by part. @throws Error if a marker is missing */
export function replaceTables(page: string, tables: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`The page lacks a marker for tables: ${BEGIN}, ${END}`);
  const parts = { ...splitByPart(page.slice(begin + BEGIN.length, end)), ...splitByPart(tables) };
  const sorted = Object.keys(parts)
    .sort()
    .map((part) => parts[part]);
  return `${page.slice(0, begin)}${BEGIN}\n\n${sorted.join("\n\n")}\n\n${page.slice(end)}`;
}

/** The sections of a text by the letter in their heading. */
function splitByPart(tables: string): Record<string, string> {
  return Object.fromEntries(
    tables.split(/^(?=### )/m).flatMap((section) => {
      const [, part] = /^### ([A-Z])\. /.exec(section) ?? [];
      return part === undefined ? [] : [[part, section.trim()]];
    }),
  );
}

/** Formats the parts of reports as Markdown tables, sorted by letter. */
export function formatTables(reports: readonly Report[]): string {
  const parts = reports
    .flatMap((report) => report.parts.map((part) => ({ ...part, report })))
    .toSorted((a, b) => a.part.localeCompare(b.part));
  return parts
    .map(({ part, title, rows, report: { rounds, turns, machine } }) => {
      const load = `load ${machine.loadBefore} before, ${machine.loadAfter} after`;
      return [
        `### ${part}. ${title}`,
        `Rounds: ${rounds}, of ${turns} turns; ${load}.`,
        [COLUMNS, COLUMNS.map(() => "---"), ...rows.map(toCells)]
          .map((cells) => `| ${COLUMNS.map((_, column) => cells[column] ?? "").join(" | ")} |`)
          .join("\n"),
      ].join("\n\n");
    })
    .join("\n\n");
}

if (import.meta.main) {
  const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")) as Report);
  if (reports.length === 0) throw new Error("Usage: node bench/write-page.ts FILE...");
  writeFileSync(PAGE, replaceTables(readFileSync(PAGE, "utf8"), formatTables(reports)));
}
