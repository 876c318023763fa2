import type { Index } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, printNotice, runWithBar, syncWithProgress, unsyncedCommand } from "./run.ts";

const INTERRUPTED = "interrupted; the next pull continues where this one stopped";

/** `pidex pull`: fetches the sessions of the user's other machines. With `--map` alone it only stores the map. */
export const run = unsyncedCommand(async (io, index, _, flags: Flags<"pull">) => {
  if (flags.map) return storeMaps(io, flags.map);
  return pull(io, index, flags);
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
  for (const { path, fork } of report.forked) {
    printNotice(io, `${path} went on here and elsewhere: the entries of this machine are in ${fork}`);
  }
  for (const { path, reason } of report.failed) printNotice(io, `${path} was not fetched: ${reason}`);
  return report.failed.length > 0 ? EXIT.failed : EXIT.done;
}

function formatPull(
  report: { sessions: number; added: number; updated: number; bytes: number; deleted: number },
  dryRun: boolean,
): string {
  const { sessions, added, updated, bytes, deleted } = report;
  const verb = dryRun ? "would fetch" : "fetched";
  const parts = [
    added + updated > 0 && `${verb} ${formatBytes(bytes)}, ${added} added, ${updated} updated`,
    deleted > 0 && `${deleted} deleted here`,
  ].filter(Boolean);
  return `${formatCount(sessions, "session")} of your other machines: ${parts.join(", ") || "up to date"}`;
}
