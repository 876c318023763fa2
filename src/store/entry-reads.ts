import type { EntryTable } from "./schema.ts";

/** Reads of entries, and of what they mention. All rows are of sessions that the reader may see. */
export interface EntryReads {
  /** The paths that entries touched, in order of their ids; only those of `candidates`, if given. */
  listPaths(candidates?: readonly string[]): Promise<{ id: number; path: string }[]>;
  /** The names of sessions, or the texts of labels, each once and in any order. */
  listTexts(of: "name" | "label"): Promise<string[]>;
  /** All session files, in any order. */
  listFiles(): Promise<{ file: number; path: string }[]>;
}

/** The columns needed to read an entry from its file and verify it. */
export type EntryLocation = Pick<
  EntryTable,
  "line" | "byte_offset" | "byte_length" | "entry_id" | "parent_id" | "type" | "timestamp"
>;
