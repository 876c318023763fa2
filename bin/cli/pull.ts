import { once } from "node:events";
import type { PullReport } from "../../library/hub/pull/pull.ts";
import type { Index } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatDuration } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, printNotice, runUntilSignal, runWithBar, syncWithProgress, unsyncedCommand } from "./run.ts";

const INTERRUPTED = "interrupted; the next pull continues where this one stopped";

/** `pidex pull`: fetches the sessions of the user's other machines. With `--map` alone it only stores the map. */
export const run = unsyncedCommand(async (io, index, _, flags: Flags<"pull">) => {
  if (flags.map) return storeMaps(io, flags.map);
  return flags.watch ? watch(io, index, flags) : pull(io, index, flags);
});

async function storeMaps(io: Io, maps: readonly string[]): Promise<number> {
  const { parseFolderMap, readHubSettings, withFolderMap, writeHubSettings } = await import(
    "../../library/hub/settings.ts"
  );
  const parsed = maps.map(parseFolderMap);
  writeHubSettings(parsed.reduce(withFolderMap, readHubSettings()));
  for (const { from, to } of parsed) {
    await io.out(`sessions of ${toOneLine(from)} on other machines resume in ${toOneLine(to)}\n`);
  }
  return EXIT.done;
}

async function pull(io: Io, index: Index, flags: Flags<"pull">): Promise<number> {
  const { dryRun = false } = flags;
  const { pullForIndex } = await import("../../library/hub/pull/pull-index.ts");
  await syncWithProgress(io, index);
  const report = await runWithBar(io, "Pulling", INTERRUPTED, (signal, bar) =>
    pullForIndex(index, { signal, dryRun, onProgress: (progress) => bar.update(progress) }),
  );
  if (!dryRun && report.paths.length > 0) {
    await syncWithProgress(io, index);
  }
  if (flags.json || flags.ndjson) await writeJson(io, { dryRun, pull: report });
  else await io.out(`${formatPull(report, dryRun)}\n`);
  for (const notice of listNotices(report)) printNotice(io, notice);
  return report.failed.length > 0 ? EXIT.failed : EXIT.done;
}

/** Pulls until Ctrl+C or SIGTERM. */
async function watch(io: Io, index: Index, flags: Flags<"pull">): Promise<number> {
  const { startContinuousPull } = await import("../../library/hub/pull/pull-index.ts");
  await runUntilSignal(["SIGINT", "SIGTERM"], async (signal) => {
    let last: string[] = [];
    const pulling = startContinuousPull(index, {
      intervalMs: flags.interval * 1000,
      onTransferred(report) {
        if (report.paths.length > 0) void writePulled(io, report, flags);
        const notices = listNotices(report);
        // A session that fails again is not reported again.
        for (const notice of notices) if (!last.includes(notice)) printNotice(io, notice);
        last = notices;
      },
      onProblem: (error, retryMs) =>
        printNotice(io, `pull failed: ${toMessage(error)}; retrying in ${formatDuration(retryMs)}`),
      onRecovered: () => printNotice(io, "pulling works again"),
    });
    pulling.request();
    io.err("pidex: fetching from your other machines; Ctrl+C stops\n");
    if (!signal.aborted) await once(signal, "abort");
    await pulling.close();
  });
  io.err("pidex: stopped fetching\n");
  return EXIT.done;
}

function writePulled(io: Io, report: PullReport, flags: Flags<"pull">): Promise<void> | undefined {
  if (flags.ndjson) return writeJsonLines(io, [report]);
  if (flags.json) return writeJson(io, { dryRun: false, pull: report });
  return io.out(`${new Date().toLocaleTimeString("sv-SE")} ${formatFetched(report)}\n`);
}

function listNotices({ forked, failed }: PullReport): string[] {
  return [
    ...forked.map(
      ({ path, fork }) => `${path} went on here and elsewhere: the entries of this machine are in ${fork}`,
    ),
    ...failed.map(({ path, reason }) => `${path} was not fetched: ${reason}`),
  ];
}

function formatPull(report: PullReport, dryRun: boolean): string {
  const { sessions, added, updated, deleted } = report;
  const parts = [
    added + updated > 0 && formatFetched(report, dryRun ? "would fetch" : "fetched"),
    deleted > 0 && `${deleted} deleted here`,
  ].filter(Boolean);
  return `${formatCount(sessions, "session")} of your other machines: ${parts.join(", ") || "up to date"}`;
}

function formatFetched({ added, updated, bytes }: PullReport, verb = "fetched"): string {
  return `${verb} ${formatBytes(bytes)}, ${added} added, ${updated} updated`;
}
