import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

export interface Floor {
  files: number;
  bytes: number;
  lines: number;
  ms: number;
  /** Processor time, which other load affects less than `ms`. */
  cpuMs: number;
  peakRssBytes: number;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;

/** Does the minimum work of any index, in one process: reads every session and parses every line with JSON.parse. */
export function measureFloor(root: string): Floor {
  const startedAt = performance.now();
  const cpuStart = process.cpuUsage();
  const floor = { files: 0, bytes: 0, lines: 0 };
  let buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".jsonl")) continue;
    const descriptor = openSync(join(root, file), "r");
    floor.files++;
    let filled = 0;
    for (;;) {
      // The line is longer than the buffer.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const read = readSync(descriptor, buffer, filled, buffer.length - filled, null);
      if (read === 0) break;
      floor.bytes += read;
      const end = filled + read;
      const bytes = buffer.subarray(0, end);
      let start = 0;
      // What is left of the previous read has no newline, so the search starts after it.
      for (let at = bytes.indexOf(NEWLINE, filled); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
        JSON.parse(bytes.toString("utf8", start, at));
        floor.lines++;
        start = at + 1;
      }
      buffer.copyWithin(0, start, end);
      filled = end - start;
    }
    closeSync(descriptor);
  }
  const ms = Math.round(performance.now() - startedAt);
  const { user, system } = process.cpuUsage(cpuStart);
  const cpuMs = Math.round((user + system) / 1000);
  return { ...floor, ms, cpuMs, peakRssBytes: process.resourceUsage().maxRSS * 1024 };
}

if (import.meta.main) console.log(JSON.stringify(measureFloor(process.argv[2] ?? ".")));
