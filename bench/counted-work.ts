import { type Comparison, compare } from "./comparison.ts";
import type { SyncCost } from "./sync-once.ts";

/** Bytes and lines of all session files, or of the new ones in them. */
export interface Amount {
  name: string;
  /** One number per round, or one for all rounds. */
  bytes: readonly number[];
  lines: readonly number[];
}

/** Compares what syncs read with the new bytes and lines, and what they read again for comparison with all files. */
export function countedWork(
  what: string,
  costs: readonly Pick<SyncCost, "bytesRead" | "linesRead" | "bytesVerified">[],
  toRead: Amount,
  allFiles: Amount,
): Comparison[] {
  return [
    compare({
      what: `${what}: bytes read`,
      unit: "bytes",
      measured: costs.map(({ bytesRead }) => bytesRead),
      against: toRead.name,
      base: toRead.bytes,
      times: "as much",
    }),
    compare({
      what: `${what}: lines read`,
      unit: "lines",
      measured: costs.map(({ linesRead }) => linesRead),
      against: toRead.name,
      base: toRead.lines,
      times: "as much",
    }),
    compare({
      what: `${what}: bytes compared`,
      unit: "bytes",
      measured: costs.map(({ bytesVerified }) => bytesVerified),
      against: allFiles.name,
      base: allFiles.bytes,
      times: "as much",
    }),
  ];
}
