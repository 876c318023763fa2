import { openIndex } from "../../library/index.ts";
import { counted, oneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { type CommonOptions, checkRoots, EXIT, interruptibly, notice } from "./run.ts";

const STOPPED = "stopped. The index is as it was.";

/** `pidex rebuild`: the index anew, while others go on reading the old one. */
export async function run(io: Io, _: string[], options: CommonOptions): Promise<number> {
  const index = await openIndex({
    db: options.db,
    roots: options.root,
    onNotice: (text) => notice(io, text),
  });
  const bar = new ProgressBar(io, "Rebuilding");
  try {
    if (options.root) checkRoots(index.roots);
    const report = await interruptibly(STOPPED, (signal) =>
      index.rebuild({ signal, onProgress: (progress) => bar.update(progress) }),
    ).finally(() => bar.clear());
    for (const { path, reason } of report.unlisted) notice(io, `${path} could not be looked into: ${reason}`);
    if (options.json || options.ndjson) {
      await writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
    } else {
      const read = `${counted(report.files, "file")}, ${counted(report.linesRead, "line")}`;
      await io.out(`${read}: ${oneLine(index.path)} is built anew\n`);
    }
    return EXIT.done;
  } finally {
    await index.close();
  }
}
