import type { Difference, VerifyReport } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { type CommonOptions, EXIT, interruptibly, notice, syncWithProgress, withIndex } from "./run.ts";
import { table } from "./table.ts";
import { counted, field, oneLine } from "./text.ts";

interface Flags extends CommonOptions {
  full?: boolean;
  sample?: number;
  repair?: boolean;
}

/** `pidex verify`: exits with 1 when the index is not what the session files make it. */
export async function run(io: Io, _: string[], flags: Flags): Promise<number> {
  return withIndex(io, { ...flags, sync: false }, async (index) => {
    const since = Date.now();
    // What another pidex is still indexing would all be differences.
    if (flags.sync !== false) await syncWithProgress(io, index, { patienceMs: Number.POSITIVE_INFINITY });
    const bar = new ProgressBar(io, "Comparing");
    const report = await interruptibly("stopped before all was compared.", (signal) =>
      index.verify({
        ...(flags.full && { full: true }),
        ...(flags.sample !== undefined && { sample: flags.sample }),
        ...(flags.repair && { repair: true }),
        // What was appended while the index was brought up to date is no difference.
        ...(flags.sync !== false && { since }),
        signal,
        onProgress: (progress) => bar.update(progress),
      }),
    ).finally(() => bar.clear());
    if (flags.json) await writeJson(io, { verification: report });
    else if (flags.ndjson) await writeJsonLines(io, report.differences);
    else await write(io, report);
    tellOfRest(io, report, flags.repair === true);
    return report.differenceCount === 0 ? EXIT.done : EXIT.failed;
  });
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

/** What else there is to say, whatever the answer looks like. */
function tellOfRest(io: Io, report: VerifyReport, repaired: boolean): void {
  const { differences, differenceCount, changing, unlisted, needsRebuild } = report;
  if (differenceCount > differences.length) {
    notice(io, `${counted(differenceCount, "difference")}, of which only the first of each kind are told`);
  }
  for (const path of changing) notice(io, `${path} is being written to: it could not be compared`);
  for (const { path, reason } of unlisted) notice(io, `${path} could not be looked into: ${reason}`);
  if (needsRebuild || (repaired && differenceCount > 0)) {
    notice(io, "this cannot be repaired by itself: pidex rebuild builds the index anew");
  } else if (differenceCount > 0) notice(io, "pidex verify --repair indexes again what differs");
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
