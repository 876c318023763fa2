import { formatBytes } from "../format/bytes.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { CommonOptions } from "./common-options.ts";
import { writeJson } from "./json.ts";
import { syncWithProgress, unsyncedCommand } from "./run.ts";
import { formatChanges } from "./sync-changes.ts";

/** `pidex index`: syncs, waiting for as long as another process is indexing, and reports the changes. */
export const run = unsyncedCommand(async (io, index, _, options: CommonOptions) => {
  const report = await syncWithProgress(io, index, { patienceMs: Number.POSITIVE_INFINITY });
  if (options.json || options.ndjson)
    return writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
  await io.out(`${formatCount(report.files, "file")}: ${formatChanges(report) || "up to date"}\n`);
  if (report.linesRead > 0) {
    const read = `read ${formatBytes(report.bytesRead)} in ${formatCount(report.linesRead, "line")}`;
    await io.out(`${read} into ${toOneLine(index.path)}\n`);
  }
  if (report.faulty > 0) await io.out("Run pidex stats --problems for details.\n");
});
