import type { Index, SyncReport } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { number } from "./numbers.ts";
import { ProgressBar } from "./progress.ts";
import { type CommonOptions, EXIT, notice, withIndex } from "./run.ts";
import { counted, oneLine } from "./text.ts";
import type { Watched } from "./watch-answers.ts";

interface WatchFlags extends CommonOptions {
  poll?: boolean;
  /** Seconds. */
  interval: number;
  quiet?: boolean;
}

/** `pidex watch`: keeps the index up to date until Ctrl+C or SIGTERM, and tells of each sync that found something. */
export function run(io: Io, _: string[], flags: WatchFlags): Promise<number> {
  return withIndex(io, { ...flags, sync: false }, (index) => watch(io, index, flags));
}

async function watch(io: Io, index: Index, flags: WatchFlags): Promise<number> {
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of SIGNALS) process.once(signal, end);
  const bar = new ProgressBar(io, "Indexing");
  let lastProblem = "";
  try {
    const watching = await index.watch({
      signal: stop.signal,
      poll: flags.poll ?? false,
      intervalMs: flags.interval * 1000,
      onProgress: (progress) => bar.update(progress),
      onSynced(report, { paths, ms }) {
        bar.clear();
        lastProblem = "";
        if (!flags.quiet && foundSomething(report)) void tell(io, flags, watched(report, ms, paths));
      },
      onNotice: (text) => notice(io, text),
      onProblem(error) {
        bar.clear();
        const problem = error instanceof Error ? error.message : String(error);
        if (problem !== lastProblem) notice(io, `not up to date: ${problem}; it is tried again`);
        lastProblem = problem;
      },
    });
    if (!flags.quiet) io.err(`pidex: watching ${index.roots.map(oneLine).join(", ")}; Ctrl+C stops\n`);
    await watching.closed;
  } catch (error) {
    if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
  } finally {
    bar.clear();
    for (const signal of SIGNALS) process.removeListener(signal, end);
  }
  io.err("pidex: stopped watching\n");
  return EXIT.done;
}

/** What ends it as it should: Ctrl+C, and what services are stopped by. A second one ends the process at once. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const CHANGES = ["added", "appended", "reindexed", "moved", "forgotten"] as const;

/** Files that cannot be read don't count: they are looked at in vain each time. */
function foundSomething(report: SyncReport): boolean {
  return CHANGES.some((what) => report[what] > 0);
}

function watched(report: SyncReport, ms: number, paths: readonly string[] | undefined): Watched {
  const { added, appended, reindexed, moved, forgotten, faulty, linesRead, bytesRead } = report;
  return {
    time: new Date().toISOString(),
    ms: Math.round(ms),
    ...(paths && { paths: [...paths] }),
    ...{ added, appended, reindexed, moved, forgotten, faulty, linesRead, bytesRead },
  };
}

function tell(io: Io, flags: WatchFlags, one: Watched): Promise<void> | undefined {
  if (flags.json) return writeJson(io, one);
  if (flags.ndjson) return writeJsonLines(io, [one]);
  const found = [...CHANGES, "faulty" as const].filter((what) => one[what] > 0);
  const changes = found.map((what) => `${number(one[what])} ${what}`).join(", ");
  const lines = one.linesRead > 0 ? `: ${counted(one.linesRead, "line")}` : "";
  return io.out(`${clock(new Date(one.time))} ${changes}${lines} (${number(one.ms)} ms)\n`);
}

/** The time of day where the user is. */
function clock(date: Date): string {
  return date.toLocaleTimeString("sv-SE");
}
