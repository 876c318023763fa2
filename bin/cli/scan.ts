import type { Index, ScanHit, ScanOptions, ScanPattern, ScanReport } from "../../library/index.ts";
import { hitLine, hitsForPipes } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { type CommonOptions, EXIT, interruptibly, notice } from "./run.ts";

/** `pidex search --substring` and `--regex`: hits as they are found, until all is looked through or Ctrl+C. */
export function scan(
  io: Io,
  index: Index,
  pattern: ScanPattern,
  options: ScanOptions,
  flags: CommonOptions,
): Promise<number> {
  const bar = new ProgressBar(io, "Searching");
  return interruptibly("stopped before all files were looked through.", async (signal) => {
    const scanning = index.scan(pattern, {
      ...options,
      signal,
      onProgress: ({ files, filesDone, bytes, bytesDone }) =>
        bar.update({ filesTotal: files, filesDone, bytesTotal: bytes, bytesDone }),
    });
    const told = { hits: 0, changedFiles: [] as string[] };
    const hits = counting(scanning, bar, told);
    if (flags.json) await writeJsonList(io, {}, "hits", hits);
    else if (flags.ndjson) await writeJsonLines(io, hits);
    else for await (const hit of hits) await io.out(io.isTerminal ? hitLine(io, hit) : hitsForPipes([hit]));
    for (const path of told.changedFiles) notice(io, `${path} has changed: hits in it may be missing`);
    if (told.hits === 0 && !flags.json && !flags.ndjson) io.err("nothing found\n");
    return told.hits > 0 ? EXIT.done : EXIT.notFound;
  }).finally(() => bar.clear());
}

/** The hits, without the bar in their way; what is left to tell comes to `told`. */
async function* counting(
  scanning: AsyncGenerator<ScanHit, ScanReport>,
  bar: ProgressBar,
  told: { hits: number; changedFiles: string[] },
): AsyncGenerator<ScanHit> {
  for (;;) {
    const next = await scanning.next();
    bar.clear();
    if (next.done) {
      told.changedFiles = next.value.changedFiles;
      return;
    }
    told.hits++;
    yield next.value;
  }
}
