import { type Comparison, compare } from "./comparison.ts";
import type { SyncCost } from "./sync-once.ts";

/** Bytes and lines of all session files, or only of what is new in them. */
export interface InputSize {
  name: string;
  /** One number per round, or one for all rounds. */
  bytes: readonly number[];
  lines: readonly number[];
}

/** Rows for what syncs read, relative to new input, and for what they compared, relative to all files. */
export function workRows(
  what: string,
  costs: readonly Pick<SyncCost, "bytesRead" | "linesRead" | "bytesVerified">[],
  newInput: InputSize,
  allFiles: InputSize,
): Comparison[] {
  return [
    compare({
      what: `${what}: bytes read`,
      unit: "bytes",
      measured: costs.map(({ bytesRead }) => bytesRead),
      against: newInput.name,
      base: newInput.bytes,
      times: "as much",
    }),
    compare({
      what: `${what}: lines read`,
      unit: "lines",
      measured: costs.map(({ linesRead }) => linesRead),
      against: newInput.name,
      base: newInput.lines,
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
