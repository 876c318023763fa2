import { bytes } from "../format/bytes.ts";
import { counted, oneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { type CommonOptions, EXIT, syncWithProgress, withIndex } from "./run.ts";

/** `pidex index`: sync, however long another one takes, and say what was new. */
export async function run(io: Io, _: string[], options: CommonOptions): Promise<number> {
  return withIndex(io, { ...options, sync: false }, async (index) => {
    const report = await syncWithProgress(io, index, { patienceMs: Number.POSITIVE_INFINITY });
    if (options.json || options.ndjson) {
      await writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
      return EXIT.done;
    }
    const changes = (["added", "appended", "reindexed", "moved", "forgotten", "faulty"] as const)
      .filter((what) => report[what] > 0)
      .map((what) => `${report[what]} ${what}`);
    await io.out(`${counted(report.files, "file")}: ${changes.join(", ") || "nothing new"}\n`);
    if (report.linesRead > 0) {
      const read = `read ${bytes(report.bytesRead)} in ${counted(report.linesRead, "line")}`;
      await io.out(`${read} into ${oneLine(index.path)}\n`);
    }
    if (report.faulty > 0) await io.out("pidex stats --problems says what is wrong\n");
    return EXIT.done;
  });
}
