import type { LabelTable, SessionTable, SqlEntryId, TouchAction } from "./schema.ts";

/** What some consecutive lines of a session file add to an index. */
export interface FileRows {
  entries: readonly NewEntry[];
  problems: readonly NewProblem[];
  /** Assistant messages by model in these lines. */
  models: readonly { provider: string; model: string; messages: number }[];
  /** The session including these lines; undefined for a file that is not a session. */
  session: (Omit<SessionTable, "file_id"> & { tags: readonly { tag: string; folded: string }[] }) | undefined;
  /** How far the file is read after these lines. */
  state: FileState;
}

/** How far a file is read: see `ReadState`. */
export interface FileState {
  cursor: number;
  terminated: boolean;
  lines: number;
  parsed: number;
  header: string;
  version: number;
  leaf_id: SqlEntryId;
}

/** An entry, with all that its line adds. */
export interface NewEntry {
  line: number;
  byte_offset: number;
  byte_length: number;
  entry_id: SqlEntryId;
  parent_id: SqlEntryId;
  type: string;
  role: string | null;
  timestamp: number | null;
  tool: string | null;
  failed: number;
  text_hash: number | null;
  /** By part, prepared for the index; null if there is no text. */
  texts: { said: string; thought: string; called: string; output: string } | null;
  /** Tool calls, by their number in the entry. `call` is a hash of the call's id. */
  calls: readonly { call: number; name: string }[];
  /** The call that the entry is the result of. */
  result: { call: number; is_error: number; duration: number | null } | null;
  /** Calls made by the tool that returned the result. */
  nested: readonly { call: number; name: string; is_error: number | null; duration: number | null }[];
  touches: readonly { ordinal: number; path: string; action: TouchAction }[];
  /** A label that it sets, or removes if `label` is null. */
  label: { target: LabelTable["target_id"]; label: string | null } | null;
}

export interface NewProblem {
  byte_offset: number;
  line: number;
  code: string;
  message: string;
}
