import { formatCount, toOneLine } from "../format/safe.ts";
import type { CommonOptions } from "./common-options.ts";
import { writeJson } from "./json.ts";
import { noteUnlisted, runWithBar, unsyncedCommand } from "./run.ts";

const INTERRUPTED = "interrupted; the index is unchanged";

/** `pidex rebuild`: rebuilds the index while other processes keep reading the old one. */
export const run = unsyncedCommand(async (io, index, _, options: CommonOptions) => {
  const report = await runWithBar(io, "Rebuilding", INTERRUPTED, (signal, bar) =>
    index.rebuild({ signal, onProgress: (progress) => bar.update(progress) }),
  );
  noteUnlisted(io, report);
  if (options.json || options.ndjson) {
    await writeJson(io, { report: { ...report, roots: index.roots, databasePath: index.path } });
  } else {
    const read = `${formatCount(report.files, "file")}, ${formatCount(report.linesRead, "line")}`;
    await io.out(`rebuilt ${toOneLine(index.path)} from ${read}\n`);
  }
});
