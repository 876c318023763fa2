/**
 * Types of rows that code reads or writes whole, and values that columns hold.
 * Times are Unix milliseconds, money is nano-dollars, flags are 0 and 1.
 */
import type { Generated } from "kysely";

/** An entry's id as the file has it: SQLite keeps 5 and "5" apart, as pi does. */
export type SqlEntryId = string | number | null;

/** A session file and the cursor into it: how far its lines are in the other tables. */
export interface FileTable {
  id: Generated<number>;
  path: string;
  /** 1 for a file a subagent wrote. */
  subagent: number;
  /** Version of the extraction its rows were made by. */
  extraction: number;
  /** Device and inode, size and times the file had at the last look. */
  inode: string;
  size: number;
  mtime_ns: string;
  ctime_ns: string;
  /** 1 when the file was so young at the last look that equal times prove nothing, or when blocks are left to compare. */
  racy: number;
  /** The `ReadState` after the last line read; `cursor` is its offset. */
  cursor: number;
  terminated: number;
  lines: number;
  parsed: number;
  header: string;
  version: number;
  leaf_id: SqlEntryId;
  /** CRC-32 of each block of the bytes before `cursor`, as base64. */
  checksums: string;
  /** Which blocks were compared with the file since it last changed: see `CheckState` of `indexer/checksums.ts`. */
  check_from: number;
  unchecked: number;
  unchecked_since: number | null;
}

/** What the header and the entries of a file add up to. Only files with a header have one. */
export interface SessionTable {
  file_id: number;
  id: string;
  cwd: string;
  parent_session: string | null;
  internal: number;
  created: number | null;
  last_message: number | null;
  modified: number;
  name: string | null;
  first_message: string | null;
  provider: string | null;
  model: string | null;
  entry_count: number;
  message_count: number;
  user_count: number;
  assistant_count: number;
  pinned: number;
  archived: number;
}

/** A line after the header: where it is, and where it stands in the tree. Its body stays in the file. */
export interface EntryTable {
  id: Generated<number>;
  file_id: number;
  line: number;
  byte_offset: number;
  byte_length: number;
  entry_id: SqlEntryId;
  parent_id: SqlEntryId;
  type: string;
  role: string | null;
  timestamp: number | null;
  /** The tool whose result it is. */
  tool: string | null;
  /** 1 when it tells of a failure: a tool's, a command's, a model's. */
  failed: number;
  /** 32 bits of a hash of its text: a fork's copies have the same, strangers with its id have not. Null without text. */
  text_hash: number | null;
}

/** What an entry can do to a file. `use` is all that is known where a tool's name says nothing more. */
export const TOUCH_ACTIONS = ["read", "write", "edit", "delete", "search", "use"] as const;
export type TouchAction = (typeof TOUCH_ACTIONS)[number];

/** What an entry did to a file: by its tool call `ordinal`, or by itself (-1). */
export interface TouchTable {
  entry: number;
  ordinal: number;
  path_id: number;
  action: TouchAction;
}

/** The label in force on an entry. */
export interface LabelTable {
  file_id: number;
  target_id: Exclude<SqlEntryId, null>;
  label: string;
  timestamp: number | null;
}

/**
 * Whose an event is: of this session; a copy, which an earlier session has too; or told by the file of the subagent
 * that spent it. Only what is `own` adds up: every act is `own` in one place, or in none.
 */
export const STANDING = { own: 0, inherited: 1, told: 2 } as const;
export type Standing = (typeof STANDING)[keyof typeof STANDING];

/** What a session tells of one act: a turn, an answer, a compaction, anything billed. A fork's copies stand here again. */
export interface EventTable {
  entry: number;
  ordinal: number;
  file_id: number;
  /** The entry's time; null when it has none. */
  time: number | null;
  /**
   * 64 bits of a hash of what copies of an act have in common; null without a time, when copies cannot be told. Too large
   * for a number: never select it as one. Copies have the same `instance`, too.
   */
  key: bigint | null;
  /** Numbers the acts that have one key, from 0: strangers, or two acts of one session, of the same time and figures. */
  instance: number;
  standing: Standing;
  /** `user`, `assistant`, `tool`, `subagent`, `compaction`, `branch_summary`, `session_summary`, or `usage:` and its kind. */
  kind: string;
  model_id: number;
  /**
   * The `ordinal` of the subagent run that spent it; null when it is of none, or of all of the entry's that have no event
   * of their own.
   */
  run: number | null;
  agent: string | null;
  /** The tool whose result told it. */
  tool: string | null;
  /** Why an answer ended. */
  stop: string | null;
  /** 1 when tokens or money are told. */
  billed: number;
  input: number;
  output: number;
  cache_read: number;
  /** Those kept for an hour, `cache_write_1h`, included. */
  cache_write: number;
  cache_write_1h: number;
  /** Included in `output`. */
  reasoning: number;
  cost: number;
  /** What the provider itself said it cost, where it did. */
  provider_cost: number | null;
  /** Milliseconds since the message before it in the file; null when that is not known. */
  elapsed: number | null;
}

/** What the sums of a roll-up are distinguished by, besides file and time. */
export const SERIES_COLUMNS = ["kind", "model_id", "agent", "tool", "stop", "current"] as const;

/** A combination that occurred, with '' for what was not recorded. A series stays when its last event is deleted. */
export interface UsageSeriesTable {
  id: number;
  /** As in `event`; `call` for tool calls. */
  kind: string;
  model_id: number;
  agent: string;
  /** The tool that reported the event; for calls, the tool that was called. */
  tool: string;
  stop: string;
  /** 1 on the current branch. */
  current: number;
}

/**
 * What is summed up of tool calls: how many; those that have a result; and how long they took, as the file says, else from call
 * to result. What a script called took its time within the script's.
 */
export const CALL_SUMS = ["calls", "answered", "failed", "tool_ms"] as const;

/**
 * What is summed up of events, in the order of `Sums`. `messages` are answers; `turns` are messages of
 * a person, in a subagent's session its task; in `model_ms` answers were waited for, in `user_ms` turns. Money is in
 * nano-dollars, times are in milliseconds.
 */
export const SUMS = [
  "billed",
  "messages",
  "turns",
  "compactions",
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "cost",
  "provider_cost",
  "model_ms",
  "user_ms",
  ...CALL_SUMS,
] as const;

/** Sums in the order of `SUMS`: arrays, since there may be one for each hour of years. */
export type Sums = number[];

/** Where each sum is in `Sums`. */
export const AT = Object.fromEntries(SUMS.map((name, n) => [name, n])) as Record<
  (typeof SUMS)[number],
  number
>;

/** V8 keeps numbers that were not whole once as doubles: adding large ones does not convert each copy. */
const NO_SUMS: Sums = SUMS.map(() => 0.5).fill(0);

export function noSums(): Sums {
  return NO_SUMS.slice();
}

/** Milliseconds in a quarter of an hour: local days begin at whole quarters, everywhere since 1972. */
export const QUARTER_MS = 900_000;
/** The quarter of events without a time: before all that a Date can hold. */
export const NO_QUARTER = -10_000_000_000;

/** How many assistant messages of a session came from a model. */
export interface SessionModelTable {
  file_id: number;
  provider: string;
  model: string;
  messages: number;
}
