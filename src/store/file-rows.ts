import type { LabelTable, SessionTable, SqlEntryId, TouchAction } from "./schema.ts";

/** What some consecutive lines of a session file add to an index. */
export interface FileRows {
  entries: readonly NewEntry[];
  problems: readonly NewProblem[];
  /** Assistant messages by model in these lines. */
  models: readonly { provider: string; model: string; messages: number }[];
  /** The session including these lines; undefined for a file that is not a session. */
  session: (Omit<SessionTable, "file_id"> & { tags: readonly { tag: string; folded: string }[] }) | undefined;
  /** Where the sessions of subagent runs that these lines report may be. */
  runPaths: readonly NewRunPath[];
  /** Names that connect the session with its forks, with their role. */
  lineage: readonly { name: string; role: number }[];
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
  has_text: number;
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
  billing: NewBilling | null;
}

/** What an entry records of tokens and costs. */
export interface NewBilling {
  day: number;
  has_links: number;
  /** Of its events: 64-bit integers. */
  keys: readonly string[];
  record: string;
}

/** A path that the session of a subagent run may have, in the notation of `toLedgerPath`. */
export interface NewRunPath {
  path: string;
  /** Of the entry that reports the run. */
  line: number;
  /** Number of the run in the entry. */
  ordinal: number;
  agent: string | null;
  tool: string | null;
}

export interface NewProblem {
  byte_offset: number;
  line: number;
  code: string;
  message: string;
}
