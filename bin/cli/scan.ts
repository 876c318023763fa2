import type { Index, ScanHit, ScanOptions, ScanPattern, ScanReport } from "../../library/index.ts";
import type { CommonOptions } from "./common-options.ts";
import { formatHit, formatHitsForScripts } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { EXIT, printNotice, runInterruptibly } from "./run.ts";

/** `pidex search --substring` and `--regex`: prints hits as they are found. */
export function writeScan(
  io: Io,
  index: Index,
  pattern: ScanPattern,
  options: ScanOptions,
  flags: CommonOptions,
): Promise<number> {
  const bar = new ProgressBar(io, "Searching");
  return runInterruptibly("interrupted before all files were searched", async (signal) => {
    const scanning = index.scan(pattern, {
      ...options,
      signal,
      onProgress: ({ files, filesDone, bytes, bytesDone }) =>
        bar.update({ filesTotal: files, filesDone, bytesTotal: bytes, bytesDone }),
    });
    const result = { hits: 0, changedFiles: [] as string[] };
    const hits = counting(scanning, bar, result);
    if (flags.json) await writeJsonList(io, {}, "hits", hits);
    else if (flags.ndjson) await writeJsonLines(io, hits);
    else
      for await (const hit of hits)
        await io.out(io.isTerminal ? formatHit(io, hit) : formatHitsForScripts([hit]));
    for (const path of result.changedFiles)
      printNotice(io, `${path} changed during the search; hits in it may be missing`);
    if (result.hits === 0 && !flags.json && !flags.ndjson) io.err("no matches\n");
    return result.hits > 0 ? EXIT.done : EXIT.notFound;
  }).finally(() => bar.clear());
}

/** The hits, with the bar erased before each; counts and the scan's report go to `result`. */
async function* counting(
  scanning: AsyncGenerator<ScanHit, ScanReport>,
  bar: ProgressBar,
  result: { hits: number; changedFiles: string[] },
): AsyncGenerator<ScanHit> {
  for (;;) {
    const next = await scanning.next();
    bar.clear();
    if (next.done) {
      result.changedFiles = next.value.changedFiles;
      return;
    }
    result.hits++;
    yield next.value;
  }
}
