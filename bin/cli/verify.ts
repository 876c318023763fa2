import type { Difference, VerifyReport } from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { type CommonOptions, EXIT, interruptibly, notice, withIndex } from "./run.ts";
import { table } from "./table.ts";

interface Flags extends CommonOptions {
  repair?: boolean;
}

/** `pidex verify`: exits with 1 when the index is not what the session files make it. */
export async function run(io: Io, _: string[], flags: Flags): Promise<number> {
  return withIndex(io, { ...flags, sync: false }, async (index) => {
    const [indexing, comparing] = [new ProgressBar(io, "Indexing"), new ProgressBar(io, "Comparing")];
    const found = await interruptibly("stopped before all was compared.", (signal) =>
      index.verify({
        ...(flags.repair && { repair: true }),
        sync: flags.sync !== false,
        signal,
        onSyncProgress: (progress) => indexing.update(progress),
        onProgress: (progress) => {
          indexing.clear();
          return comparing.update(progress);
        },
      }),
    ).finally(() => {
      indexing.clear();
      comparing.clear();
    });
    const report = withoutSecrets(found, await loadRedactor());
    if (flags.json) await writeJson(io, { verification: report });
    else if (flags.ndjson) await writeJsonLines(io, report.differences);
    else await write(io, report);
    if (report.files === 0) notice(io, `no session files in ${index.roots.join(", ")}`);
    writeNotices(io, report);
    return report.differenceCount === 0 ? EXIT.done : EXIT.failed;
  });
}

/** A report as it may be passed on: what differs may be what was said in a session, and ends up in reports of bugs. */
function withoutSecrets(report: VerifyReport, redactor: Redactor): VerifyReport {
  const told = (value: ToldValue | undefined) => (typeof value === "string" ? withoutPieces(value) : value);
  const masked = (differences: readonly Difference[]) =>
    differences.map((each) => ({
      ...each,
      ...("indexed" in each && { indexed: told(each.indexed) }),
      ...("expected" in each && { expected: told(each.expected) }),
    }));
  const whole = redactor.value(report);
  return { ...whole, differences: masked(whole.differences), repaired: masked(whole.repaired) };
}

/**
 * Leaves out what may be a piece of a secret, by which none is told: values are cut, and words are told as the index has
 * them, in small letters and without what stands before them. Ids, dates and hashes stay.
 */
function withoutPieces(text: string): string {
  return text
    .replace(/[A-Za-z0-9+]{16,}/g, (run) => (mayBeOfKey(run) ? "[redacted]" : run))
    .replace(/[\w+-]{8,}(?=…$)/, (run) => (mayBeOfKey(run) ? "" : run))
    .replace(/([:=])[^\s:=]+…$/, "$1…"); // the start of a password, in a URL for one
}

function mayBeOfKey(run: string): boolean {
  if (/^[0-9a-f-]+$/i.test(run)) return false;
  return run.length >= 30 || (/\d/.test(run) && /[A-Za-z]/.test(run));
}

async function write(io: Io, report: VerifyReport): Promise<void> {
  const { differences, differenceCount, repaired, repairedFiles } = report;
  if (!io.isTerminal) {
    await io.out(table(io, [], differences.map(forPipes)));
    return;
  }
  const compared = `compared ${counted(report.compared, "file")} of ${report.files.toLocaleString("en-US")}, ${counted(report.entries, "entry", "entries")}`;
  const outcome = differenceCount === 0 ? "no difference" : counted(differenceCount, "difference");
  await io.out(`${compared}: ${io.style(differenceCount === 0 ? "green" : "red", outcome)}\n`);
  await io.out(byFile(io, differences));
  if (repairedFiles > 0) {
    await io.out(
      `\nrepaired ${counted(repairedFiles, "file")}, in which this was wrong:\n${byFile(io, repaired)}`,
    );
  }
}

/** Notices for stderr, whatever the output format. */
function writeNotices(io: Io, report: VerifyReport): void {
  const { differences, differenceCount, changing, unlisted } = report;
  if (differenceCount > differences.length) {
    notice(io, `${counted(differenceCount, "difference")}, of which only the first of each kind are shown`);
  }
  for (const path of changing) notice(io, `${path} changed meanwhile and was not compared`);
  for (const { path, reason } of unlisted) notice(io, `cannot list ${path}: ${reason}`);
  if (differenceCount > 0)
    notice(io, "run pidex verify --repair, or pidex rebuild, to build the index again");
}

/** Path, line, table, column, what, indexed, expected: in this order for scripts. */
function forPipes({ path, line, table, column, what, indexed, expected }: Difference): string[] {
  const text = (value: unknown) => oneLine(String(value ?? ""));
  return [field(path), text(line), table, text(column), what, text(indexed), text(expected)];
}

function byFile(io: Io, differences: readonly Difference[]): string {
  const files = Map.groupBy(differences, ({ path }) => path);
  const blocks = [...files].map(([path, ofFile]) => {
    const lines = ofFile.map((difference) => `  ${oneLine(sentence(difference))}\n`);
    return `${io.style("bold", oneLine(path))}\n${lines.join("")}`;
  });
  return blocks.join("");
}

function sentence({ line, table, column, what, indexed, expected }: Difference): string {
  const place = `${line === undefined ? "" : `line ${line}: `}${column ? `${table}.${column}` : table}`;
  const named = (value: ToldValue | undefined) => (value === undefined ? "" : `: ${value ?? "nothing"}`);
  if (what === "missing") return `${place} has a row too few${named(expected)}`;
  if (what === "extra") return `${place} has a row too many${named(indexed)}`;
  if (expected === undefined) return `${place}${named(indexed)}`;
  if (indexed === undefined) return `${place} is not found by: ${expected}`;
  return `${place} is ${indexed ?? "nothing"}, and should be ${expected ?? "nothing"}`;
}

type ToldValue = Difference["indexed"];
