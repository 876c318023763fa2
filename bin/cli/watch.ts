import { type Index, PidexError, type SyncReport } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { formatNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { EXIT, printNotice, withIndex } from "./run.ts";
import { formatChanges } from "./sync-changes.ts";
import type { WatchedSync } from "./watch-answers.ts";

/** `pidex watch`: keeps the index up to date until Ctrl+C or SIGTERM, and reports each sync that found changes. */
export function run(io: Io, _: string[], flags: Flags<"watch">): Promise<number> {
  return withIndex(io, { ...flags, sync: false }, async (index) => {
    const stop = new AbortController();
    const end = () => stop.abort();
    for (const signal of SIGNALS) process.once(signal, end);
    try {
      await watch(io, index, flags, stop.signal);
    } finally {
      for (const signal of SIGNALS) process.removeListener(signal, end);
    }
    io.err("pidex: stopped watching\n");
    return EXIT.done;
  });
}

/** Watches until the signal aborts. */
export async function watch(io: Io, index: Index, flags: Flags<"watch">, signal: AbortSignal): Promise<void> {
  const reporter = new Reporter(io, flags);
  let bar: ProgressBar | undefined;
  let lastProblem = "";
  /** Aborted when a newer pidex has upgraded the database: this process is outdated, and a service restarts it. */
  const upgraded = new AbortController();
  const clearBar = () => {
    bar?.clear();
    bar = undefined;
  };
  try {
    const watching = await index.watch({
      signal: AbortSignal.any([signal, upgraded.signal]),
      poll: flags.poll ?? false,
      intervalMs: flags.interval * 1000,
      onProgress(progress) {
        bar ??= new ProgressBar(io, "Indexing"); // one per sync; most are too short to show it
        bar.update(progress);
      },
      onSynced(report, { paths, ms }) {
        clearBar();
        lastProblem = "";
        if (!flags.quiet && hasChanges(report)) reporter.report(toWatched(report, ms, paths));
      },
      onNotice(text) {
        clearBar();
        printNotice(io, text);
      },
      onProblem(error) {
        clearBar();
        if (error instanceof PidexError && error.code === "UPGRADED") return upgraded.abort(error); // retrying can't help
        const problem = toMessage(error);
        if (problem !== lastProblem) printNotice(io, `sync failed: ${problem}; retrying`);
        lastProblem = problem;
      },
    });
    if (!flags.quiet) io.err(`pidex: watching ${index.roots.map(toOneLine).join(", ")}; Ctrl+C stops\n`);
    await watching.closed;
    upgraded.signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearBar();
  }
}

/** Signals that end the command normally: Ctrl+C, and the signal that stops services. A second one ends the process at once. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const CHANGES = ["added", "appended", "reindexed", "moved", "forgotten"] as const;

/** Unreadable files don't count: each sync tries them again. */
function hasChanges(report: SyncReport): boolean {
  return CHANGES.some((what) => report[what] > 0);
}

function toWatched(report: SyncReport, ms: number, paths: readonly string[] | undefined): WatchedSync {
  const { added, appended, reindexed, moved, forgotten, faulty, linesRead, bytesRead } = report;
  return {
    time: new Date().toISOString(),
    ms: Math.round(ms),
    ...(paths && { paths: [...paths] }),
    ...{ added, appended, reindexed, moved, forgotten, faulty, linesRead, bytesRead },
  };
}

/** Reports syncs, and drops reports while stdout is blocked, because queued output would fill the memory. */
class Reporter {
  readonly #io: Io;
  readonly #flags: Flags<"watch">;
  #isBlocked = false;
  #droppedCount = 0;

  constructor(io: Io, flags: Flags<"watch">) {
    this.#io = io;
    this.#flags = flags;
  }

  report(sync: WatchedSync): void {
    if (this.#isBlocked) {
      this.#droppedCount++;
      return;
    }
    const written = this.#write(sync);
    if (!written) return;
    this.#isBlocked = true;
    void written.then(() => {
      this.#isBlocked = false;
      if (this.#droppedCount > 0)
        printNotice(
          this.#io,
          `${formatCount(this.#droppedCount, "sync")} not reported because the output was blocked`,
        );
      this.#droppedCount = 0;
    });
  }

  #write(sync: WatchedSync): Promise<void> | undefined {
    if (this.#flags.json) return writeJson(this.#io, sync);
    if (this.#flags.ndjson) return writeJsonLines(this.#io, [sync]);
    const changes = formatChanges(sync);
    const lines = sync.linesRead > 0 ? `: ${formatCount(sync.linesRead, "line")}` : "";
    return this.#io.out(`${clock(new Date(sync.time))} ${changes}${lines} (${formatNumber(sync.ms)} ms)\n`);
  }
}

/** The local time of day. */
function clock(date: Date): string {
  return date.toLocaleTimeString("sv-SE");
}
