import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { bytes } from "./progress.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";

/** `pidex index`: sync, and say what was new. */
export async function run(io: Io, _: string[], options: CommonOptions): Promise<number> {
  return withIndex(io, { ...options, sync: true }, async (index, report) => {
    if (!report) return EXIT.failed;
    if (options.json || options.ndjson) {
      writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
      return EXIT.done;
    }
    const changes = (["added", "appended", "reindexed", "moved", "forgotten", "faulty"] as const)
      .filter((what) => report[what] > 0)
      .map((what) => `${report[what]} ${what}`);
    const files = `${report.files} ${report.files === 1 ? "file" : "files"}`;
    io.out(`${files}: ${changes.join(", ") || "nothing new"}\n`);
    io.out(`read ${bytes(report.bytesRead)} in ${report.linesRead} lines into ${index.path}\n`);
    if (report.faulty > 0) io.out("pidex stats --problems says what is wrong\n");
    return EXIT.done;
  });
}
