import type { HitConditions, SessionCondition } from "./conditions.ts";
import type { EntryLocation } from "./entry-reads.ts";
import type { Position } from "./position.ts";
import type { FileTable } from "./schema.ts";

/** Reads of what a scan of session files searches. */
export interface ScanReads {
  /** The files to scan, most recently modified session first. */
  listFiles(conditions: ScanConditions): Promise<ScanFile[]>;
  /**
   * The selected entries of a file in file order, a few hundred at a time.
   *
   * @throws PidexError `FILE_CHANGED` if another process has reindexed the file meanwhile
   */
  readSelected(file: ScanFile): AsyncGenerator<ScanRow[], void>;
  /** The last entry of a file. */
  readLast(file: ScanFile): Promise<ScanRow | undefined>;
}

/** Conditions that narrow a scan. */
export interface ScanConditions {
  session: SessionCondition;
  /** Default: all entries of these sessions. */
  entries?: Pick<HitConditions, "texts" | "excluded" | "entry"> | undefined;
}

/** A file to scan, as indexed. */
export interface ScanFile
  extends Pick<FileTable, "path" | "version" | "size" | "mtime_ns" | "ctime_ns" | "cursor"> {
  file: number;
  /** The selected entries, for `readSelected`; null if all are selected. */
  selected: string | null;
  /** Total bytes of those entries, and their number. */
  selected_bytes: number;
  selected_count: number;
}

/** An entry, with the columns needed to read it. */
export type ScanRow = EntryLocation & { position: Position };
