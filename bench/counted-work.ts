import { type Comparison, compare } from "./comparison.ts";
import type { SyncCost } from "./sync-once.ts";

/** Bytes and lines: of all session files, or of what is new in them. */
export interface Amount {
  name: string;
  /** One number a round, or one for all rounds. */
  bytes: readonly number[];
  lines: readonly number[];
}

/** What syncs read, against what there was to read; and what they read again to compare it, against all files. */
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
