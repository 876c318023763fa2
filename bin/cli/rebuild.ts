import { openIndex } from "../../library/index.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { assertRootsExist, EXIT, printNotice, runInterruptibly } from "./run.ts";

const INTERRUPTED = "interrupted; the index is unchanged";

/** `pidex rebuild`: rebuilds the index while other processes keep reading the old one. */
export async function run(io: Io, _: string[], options: CommonOptions): Promise<number> {
  const index = await openIndex({
    db: options.db,
    roots: options.root,
    onNotice: (text) => printNotice(io, text),
  });
  const bar = new ProgressBar(io, "Rebuilding");
  try {
    if (options.root) assertRootsExist(index.roots);
    const report = await runInterruptibly(INTERRUPTED, (signal) =>
      index.rebuild({ signal, onProgress: (progress) => bar.update(progress) }),
    ).finally(() => bar.clear());
    for (const { path, reason } of report.unlisted) printNotice(io, `cannot read ${path}: ${reason}`);
    if (options.json || options.ndjson) {
      await writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
    } else {
      const read = `${formatCount(report.files, "file")}, ${formatCount(report.linesRead, "line")}`;
      await io.out(`rebuilt ${toOneLine(index.path)} from ${read}\n`);
    }
    return EXIT.done;
  } finally {
    await index.close();
  }
}
