import { formatBytes } from "../format/bytes.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, syncWithProgress, withIndex } from "./run.ts";
import { formatChanges } from "./sync-changes.ts";

/** `pidex index`: syncs, waiting for as long as another process is indexing, and reports the changes. */
export async function run(io: Io, _: string[], options: CommonOptions): Promise<number> {
  return withIndex(io, { ...options, sync: false }, async (index) => {
    const report = await syncWithProgress(io, index, { patienceMs: Number.POSITIVE_INFINITY });
    if (options.json || options.ndjson) {
      await writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
      return EXIT.done;
    }
    await io.out(`${formatCount(report.files, "file")}: ${formatChanges(report) || "up to date"}\n`);
    if (report.linesRead > 0) {
      const read = `read ${formatBytes(report.bytesRead)} in ${formatCount(report.linesRead, "line")}`;
      await io.out(`${read} into ${toOneLine(index.path)}\n`);
    }
    if (report.faulty > 0) await io.out("Run pidex stats --problems for details.\n");
    return EXIT.done;
  });
}
