import type { Difference, Index, VerifyReport } from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { openInProcess } from "../actions/index-host.ts";
import { formatNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, noteUnlisted, noticeNoSessions, printNotice, runWithBar, withIndex } from "./run.ts";
import { formatRow } from "./table.ts";

const INTERRUPTED = "interrupted before all files were compared";

/**
 * `pidex verify`: exits with 1 if the index differs from the session files. Comparing an index takes single SQLite statements of
 * several seconds, during which a process can't handle Ctrl+C, so it is done in another.
 */
export function run(io: Io, _: string[], flags: Flags<"verify">): Promise<number> {
  return withIndex(io, { ...flags, sync: false }, (index) => verify(io, index, flags), openInProcess);
}

async function verify(io: Io, index: Index, flags: Flags<"verify">): Promise<number> {
  const found = await runWithBar(io, "Comparing", INTERRUPTED, (signal, bar) =>
    index.verify({
      repair: flags.repair,
      sync: flags.sync !== false,
      signal,
      onSyncProgress: (progress) => bar.update(progress, "Indexing"),
      onProgress: (progress) => bar.update(progress, "Reading"),
      onCompareProgress: (progress) => bar.update(progress),
    }),
  );
  const report = withoutSecrets(found, await loadRedactor());
  if (flags.json) await writeJson(io, { verification: report });
  else if (flags.ndjson) await writeJsonLines(io, report.differences);
  else await write(io, report);
  if (report.files === 0) noticeNoSessions(io, index);
  writeNotices(io, report);
  return report.differenceCount === 0 ? EXIT.done : EXIT.failed;
}

/** The report with secrets masked: differences quote session text, and reports end up in bug reports. */
function withoutSecrets(report: VerifyReport, redactor: Redactor): VerifyReport {
  const mask = (value: Difference["indexed"]) => (typeof value === "string" ? maskFragments(value) : value);
  const masked = (differences: readonly Difference[]) =>
    differences.map((each) => ({ ...each, indexed: mask(each.indexed), expected: mask(each.expected) }));
  const whole = redactor.redactValue(report);
  return { ...whole, differences: masked(whole.differences), repaired: masked(whole.repaired) };
}

/**
 * Masks what may be a fragment of a secret, which the detector can't recognize: values are cut, and words come from the
 * index in lower case and without their context. Ids, dates and hashes stay.
 */
function maskFragments(text: string): string {
  return text
    .replace(/[A-Za-z0-9+]{16,}/g, (run) => (mayBeKeyFragment(run) ? "[redacted]" : run))
    .replace(/[\w+-]{8,}(?=…$)/, (run) => (mayBeKeyFragment(run) ? "" : run))
    .replace(/([:=])[^\s:=]+…$/, "$1…"); // the start of a password, in a URL for one
}

function mayBeKeyFragment(run: string): boolean {
  if (/^[0-9a-f-]+$/i.test(run)) return false;
  return run.length >= 30 || (/\d/.test(run) && /[A-Za-z]/.test(run));
}

async function write(io: Io, report: VerifyReport): Promise<void> {
  const { differences, differenceCount, repaired, repairedFiles } = report;
  if (!io.isTerminal) return io.out(differences.map(forPipes).join(""));
  const compared = `compared ${formatNumber(report.compared)} of ${formatNumber(report.files)} files, ${formatCount(report.entries, "entry", "entries")}`;
  const outcome = differenceCount === 0 ? "no differences" : formatCount(differenceCount, "difference");
  await io.out(`${compared}: ${io.style(differenceCount === 0 ? "green" : "red", outcome)}\n`);
  await io.out(byFile(io, differences));
  if (repairedFiles > 0) {
    await io.out(
      `\nrepaired ${formatCount(repairedFiles, "file")}, which had these differences:\n${byFile(io, repaired)}`,
    );
  }
}

/** Prints notices that apply to every output format. */
function writeNotices(io: Io, report: VerifyReport): void {
  const { differences, differenceCount, changing } = report;
  if (differenceCount > differences.length) {
    printNotice(io, `${formatCount(differenceCount, "difference")}; only the first of each kind are listed`);
  }
  for (const path of changing) printNotice(io, `${path} changed during the comparison and was skipped`);
  noteUnlisted(io, report);
  if (differenceCount > 0)
    printNotice(io, "run pidex verify --repair, or pidex rebuild, to rebuild the index");
}

/** Columns for scripts: path, line, table, column, what, indexed, expected. */
function forPipes({ path, line, table, column, what, indexed, expected }: Difference): string {
  const text = (value: Difference["indexed"]) => toOneLine(String(value ?? ""));
  return formatRow([path, line, table, column, what, text(indexed), text(expected)]);
}

function byFile(io: Io, differences: readonly Difference[]): string {
  const files = Map.groupBy(differences, ({ path }) => path);
  const blocks = [...files].map(([path, ofFile]) => {
    const lines = ofFile.map((difference) => `  ${toOneLine(sentence(difference))}\n`);
    return `${io.style("bold", toOneLine(path))}\n${lines.join("")}`;
  });
  return blocks.join("");
}

function sentence({ line, table, column, what, indexed, expected }: Difference): string {
  const place = `${line === undefined ? "" : `line ${line}: `}${column ? `${table}.${column}` : table}`;
  const named = (value: Difference["indexed"]) => (value === undefined ? "" : `: ${value ?? "nothing"}`);
  if (what === "missing") return `${place}: missing row${named(expected)}`;
  if (what === "extra") return `${place}: extra row${named(indexed)}`;
  if (expected === undefined) return `${place}${named(indexed)}`;
  if (indexed === undefined) return `${place} is not found by searching for: ${expected}`;
  return `${place} is ${indexed ?? "nothing"}, expected ${expected ?? "nothing"}`;
}
