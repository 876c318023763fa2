import { type Diagnosis, diagnose, type Finding } from "../../library/index.ts";
import { applyConfig } from "../config/apply-config.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { formatSkipReason } from "../format/skip-reason.ts";
import { pad, wrap } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { readSettings } from "../picker/settings.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, runInterruptibly } from "./run.ts";

/** `pidex doctor`: diagnoses problems and changes nothing. Exits with 1 if any finding is an error. */
export async function run(io: Io, _: string[], flags: CommonOptions): Promise<number> {
  const { db, root: roots } = flags;
  const { findings: found, ...facts } = await runInterruptibly("interrupted", (signal) =>
    diagnose({ db, roots, signal }),
  );
  const findings = [...found, ...(await findConfigProblems())].sort((a, b) => rankLevel(a) - rankLevel(b));
  const diagnosis = { ...facts, findings };
  if (flags.json) await writeJson(io, { diagnosis });
  else if (flags.ndjson) await writeJsonLines(io, findings);
  else await io.out(formatFacts(io, diagnosis) + formatFindings(io, findings));
  return findings.some(({ level }) => level === "error") ? EXIT.failed : EXIT.done;
}

const rankLevel = ({ level }: Finding): number => Object.keys(COLORS).indexOf(level);

/** What is invalid in `config.toml`, which the library does not read. Commands refuse only invalid settings above all tables. */
async function findConfigProblems(): Promise<Finding[]> {
  const { problems, path } = await readSettings(process.env);
  const refused = await applyConfig({ ...process.env });
  const todo = "Correct the file: pidex config edit. pidex config lists all settings.";
  return problems.map((message) => {
    const level = refused.includes(message) ? "error" : "warning";
    return { level, code: "config-invalid", message, todo, path };
  });
}

const NAME_WIDTH = 11;

/** The diagnosis by section, with the section's name at the left of its first line. */
function formatFacts(io: Io, diagnosis: Diagnosis): string {
  const { versions, roots, skippedFolders, problems, watching, unknown } = diagnosis;
  const { pidex, node, sqlite = "not loaded", schema, extraction } = versions;
  const sections: Record<string, string[]> = {
    versions: [`pidex ${pidex}, Node ${node}, SQLite ${sqlite}; schema ${schema}, extraction ${extraction}`],
    roots: roots.map(rootLine),
    skipped: skippedFolders.map(skippedLine),
    database: databaseLines(diagnosis),
    index: [freshnessLine(diagnosis)],
    problems: problemLines(problems),
    watching: [watchingLine(watching)],
    unknown: unknown.map(({ what, why }) => `${what}: ${why}`),
  };
  const blank = " ".repeat(NAME_WIDTH);
  const blocks = Object.entries(sections).map(([name, texts]) => {
    const head = io.style("bold", pad(name, NAME_WIDTH));
    const lines = texts.flatMap((text) => toLines(io, text, NAME_WIDTH));
    return lines.map((line, n) => `${n === 0 ? head : blank}${line}\n`).join("");
  });
  return blocks.join("");
}

/** The text on one line, or wrapped if the terminal is too narrow. */
function toLines(io: Io, text: string, indent: number): string[] {
  const line = toOneLine(text);
  return io.isTerminal ? wrap(line, Math.max(30, io.columns - indent)) : [line];
}

function rootLine({ path, agent, from, state, files, bytes: size }: Diagnosis["roots"][number]): string {
  const what =
    state !== "folder"
      ? state
      : files === 0
        ? "empty"
        : `${formatCount(files, "file")}, ${formatBytes(size)}`;
  return `${path}: ${what} (${[agent, from === "option" ? "--root" : from].filter(Boolean).join(", ")})`;
}

function skippedLine(folder: Diagnosis["skippedFolders"][number]): string {
  const { path, agent } = folder;
  return `${path}: ${formatSkipReason(folder)}${agent ? ` (${agent})` : ""}`;
}

function databaseLines({ database }: Diagnosis): string[] {
  const { path, from, state, mode, owner, folderMode, schema, journalMode, check } = database;
  const facts = [
    database.bytes !== undefined && formatBytes(database.bytes),
    database.walBytes !== undefined && `log ${formatBytes(database.walBytes)}`,
    mode !== undefined && `permissions ${mode} (${owner}), folder ${folderMode}`,
    schema !== undefined && `schema ${schema}`,
    journalMode,
    database.pages !== undefined &&
      `${formatCount(database.pages, "page")}, ${formatNumber(database.freePages ?? 0)} free`,
    check !== undefined && CHECKS[check],
    database.diskFreeBytes !== undefined && `${formatBytes(database.diskFreeBytes)} free on disk`,
  ].filter((fact) => typeof fact === "string");
  const left = database.leftovers.reduce((sum, each) => sum + each.bytes, 0);
  return [
    `${path || "no location"} (${from === "option" ? "--db" : from}): ${state}`,
    ...(facts.length > 0 ? [facts.join(", ")] : []),
    ...(database.leftovers.length > 0
      ? [`leftover files: ${formatNumber(database.leftovers.length)}, ${formatBytes(left)}`]
      : []),
  ];
}

const CHECKS = {
  ok: "integrity OK",
  broken: "integrity check failed",
  unfinished: "integrity check incomplete",
};

function freshnessLine({ freshness, indexing }: Diagnosis): string {
  const now = indexing ? "; another pidex process is indexing" : "";
  if (!freshness) return `unknown${now}`;
  const { new: added, changed, gone, rereading, unfinished, newestChange } = freshness;
  const last = newestChange === null ? "" : `; last change indexed ${formatDateTime(new Date(newestChange))}`;
  const counts = [added, changed, gone, rereading, unfinished].some((count) => count > 0)
    ? `${formatNumber(added)} new, ${formatNumber(changed)} changed, ${formatNumber(gone)} deleted, ${formatNumber(rereading)} to reindex, ${formatNumber(unfinished)} unfinished`
    : "up to date";
  return `${counts}${last}${now}`;
}

function problemLines(problems: Diagnosis["problems"]): string[] {
  if (!problems) return ["unknown"];
  if (problems.length === 0) return ["none in session files"];
  return problems.flatMap(({ code, count, first }) => [
    `${formatNumber(count)} ${code}`,
    ...first.map(
      ({ path, line, byteOffset, message }) => `  ${path}:${line}, byte ${byteOffset}: ${message}`,
    ),
  ]);
}

function watchingLine({ folders, maxWatches, maxInstances, works, reason }: Diagnosis["watching"]): string {
  const limits =
    maxWatches === undefined
      ? ""
      : `; system limits: ${formatNumber(maxWatches)} folders, ${formatNumber(maxInstances ?? 0)} watchers`;
  const state = works === undefined ? "" : works ? "; working" : `; not working: ${reason}`;
  return `${formatCount(folders, "folder")}${limits}${state}`;
}

const COLORS = { error: "red", warning: "yellow", info: "cyan" } as const;
const LEVEL_WIDTH = 9;

/** The findings, each with its fix below it. */
function formatFindings(io: Io, findings: readonly Finding[]): string {
  if (findings.length === 0) return `\n${io.style("green", "no problems found")}\n`;
  const indent = " ".repeat(LEVEL_WIDTH);
  return findings
    .map(({ level, code, message, todo }) => {
      const head = io.style(COLORS[level], pad(level, LEVEL_WIDTH));
      const text = toLines(io, `${message} [${code}]`, LEVEL_WIDTH).join(`\n${indent}`);
      // Never wrapped, so that it can be copied.
      return `\n${head}${text}\n${indent}${io.style("dim", "→")} ${toOneLine(todo)}\n`;
    })
    .join("");
}
