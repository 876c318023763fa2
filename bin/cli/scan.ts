import type { Index, ScanOptions, ScanPattern, ScanReport } from "../../library/index.ts";
import { formatCount } from "../format/safe.ts";
import type { CommonOptions } from "./common-options.ts";
import { formatHit, formatHitsForScripts } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import type { ScanOutcome } from "./progress.ts";
import { EXIT, printNotice, runWithBar } from "./run.ts";

const INTERRUPTED = "interrupted before all files were searched";

/** `pidex search --substring` and `--regex`: prints hits as they are found. */
export function writeScan(
  io: Io,
  index: Index,
  pattern: ScanPattern,
  options: ScanOptions,
  { json, ndjson, limit }: CommonOptions & { limit?: number | undefined },
): Promise<number> {
  return runWithBar(io, "Searching", INTERRUPTED, async (signal, bar) => {
    const control = { signal, onProgress: bar.updateScan.bind(bar) };
    const outcome: ScanOutcome<ScanReport> = { count: 0 };
    const hits = bar.count(index.scan(pattern, { ...options, ...control }), outcome);
    if (json) await writeJsonList(io, {}, "hits", hits);
    else if (ndjson) await writeJsonLines(io, hits);
    else
      for await (const hit of hits)
        await io.out(io.isTerminal ? formatHit(io, hit) : formatHitsForScripts([hit]));
    for (const path of outcome.report?.changedFiles ?? [])
      printNotice(io, `${path} changed during the search; hits in it may be missing`);
    if (limit === undefined && outcome.count === options.limit)
      printNotice(io, `stopped after ${formatCount(outcome.count, "hit")}; -n shows more`);
    if (outcome.count === 0 && !json && !ndjson) io.err("No sessions match.\n");
    return outcome.count > 0 ? EXIT.done : EXIT.notFound;
  });
}
