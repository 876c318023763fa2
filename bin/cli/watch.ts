import { type Index, PidexError, type SyncReport } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { hasChanges } from "../actions/sync-messages.ts";
import { formatNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { BudgetAlerts } from "./budget-alerts.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { printNotice, runUntilSignal, unsyncedCommand } from "./run.ts";
import { formatChanges } from "./sync-changes.ts";
import type { WatchedSync } from "./watch-answers.ts";
import { startPushing } from "./watched-push.ts";

/**
 * `pidex watch`: keeps the index up to date until Ctrl+C or SIGTERM, and reports each sync that found changes. Pushes shared projects, if
 * this machine is signed in to a hub.
 */
export const run = unsyncedCommand(async (io, index, _, flags: Flags<"watch">) => {
  await runUntilSignal(["SIGINT", "SIGTERM"], (signal) => watch(io, index, flags, signal));
  io.err("pidex: stopped watching\n");
});

/** Watches until the signal aborts. */
export async function watch(io: Io, index: Index, flags: Flags<"watch">, signal: AbortSignal): Promise<void> {
  const report = createReporter(io, flags);
  let bar: ProgressBar | undefined;
  let lastProblem = "";
  /** Aborted when a newer pidex has upgraded the database: this process is outdated, and a service restarts it. */
  const upgraded = new AbortController();
  const clearBar = () => {
    bar?.clear();
    bar = undefined;
  };
  const notifies = flags.notify ?? process.env.PIDEX_NOTIFY === "1";
  const alerts = notifies
    ? new BudgetAlerts(index, { onProblem: (text) => printNotice(io, text) })
    : undefined;
  const pushing = await startPushing(io, index, flags.quiet || flags.json || flags.ndjson ? "none" : "text");
  try {
    const watching = await index.watch({
      signal: AbortSignal.any([signal, upgraded.signal]),
      poll: flags.poll ?? false,
      intervalMs: flags.interval * 1000,
      onProgress(progress) {
        bar ??= new ProgressBar(io, "Indexing"); // one per sync; most are too short to show it
        bar.update(progress);
      },
      onSynced(synced, { paths, ms }) {
        clearBar();
        pushing.request();
        if (hasChanges(synced)) alerts?.request();
        lastProblem = "";
        // Unreadable files don't count: each sync tries them again.
        if (!flags.quiet && hasChanges(synced)) report(toWatched(synced, ms, paths));
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
    alerts?.request();
    await watching.closed;
    upgraded.signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearBar();
    await alerts?.close();
    await pushing.close();
  }
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

/** Returns a function that reports a sync, unless stdout is blocked: queued output would fill the memory. */
function createReporter(io: Io, flags: Flags<"watch">): (sync: WatchedSync) => void {
  let isBlocked = false;
  let droppedCount = 0;
  return (sync) => {
    if (isBlocked) {
      droppedCount++;
      return;
    }
    const written = writeSync(io, sync, flags);
    if (!written) return;
    isBlocked = true;
    void written.then(() => {
      isBlocked = false;
      const dropped = formatCount(droppedCount, "sync");
      if (droppedCount > 0) printNotice(io, `${dropped} not reported because the output was blocked`);
      droppedCount = 0;
    });
  };
}

function writeSync(io: Io, sync: WatchedSync, { json, ndjson }: Flags<"watch">): Promise<void> | undefined {
  if (json || ndjson) return ndjson ? writeJsonLines(io, [sync]) : writeJson(io, sync);
  const lines = sync.linesRead > 0 ? `: ${formatCount(sync.linesRead, "line")}` : "";
  const time = new Date(sync.time).toLocaleTimeString("sv-SE");
  return io.out(`${time} ${formatChanges(sync)}${lines} (${formatNumber(sync.ms)} ms)\n`);
}
