/**
 * Types of rows that are read or written whole, and the values of columns. Times are Unix milliseconds, money is
 * nano-dollars, flags are 0 and 1.
 */

/** An entry's id as in the file: SQLite distinguishes 5 and "5", as pi does. */
export type SqlEntryId = string | number | null;

/** A session file, and the cursor: how far it is indexed. */
export interface FileTable {
  id: number;
  path: string;
  /** 1 if a subagent wrote the file. */
  subagent: number;
  /** 1 if its bytes are in a compressed file. */
  compressed: number;
  /** Version of the extraction that wrote its rows. */
  extraction: number;
  /** Device and inode, size and times at the last scan. */
  inode: string;
  size: number;
  mtime_ns: string;
  ctime_ns: string;
  /** 1 if the file had changed so recently at the last scan that equal times prove nothing, or if blocks are left to compare. */
  racy: number;
  /** The `ReadState` after the last line that was read; `cursor` is its byte offset. */
  cursor: number;
  terminated: number;
  lines: number;
  parsed: number;
  header: string;
  version: number;
  leaf_id: SqlEntryId;
  /** CRC-32 of each block before `cursor`, in base64. */
  checksums: string;
  /** Which blocks have been compared since the file last changed: see `CheckState` in `indexer/checksums.ts`. */
  check_from: number;
  unchecked: number;
  unchecked_since: number | null;
}

/** The session of a file that has a header. */
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
  /** What the session is about, for lists if it has no name; on one line. Null if nothing was said or run. */
  computed_title: string | null;
  /** JSON of a `TitleState`, from which the title goes on; null once no further entry changes it. */
  title_state: string | null;
  provider: string | null;
  model: string | null;
  entry_count: number;
  message_count: number;
  user_count: number;
  assistant_count: number;
  pinned: number;
  archived: number;
}

/** A line after the header: its location and its position in the tree. Its content stays in the file. */
export interface EntryTable {
  id: number;
  file_id: number;
  line: number;
  byte_offset: number;
  byte_length: number;
  entry_id: SqlEntryId;
  parent_id: SqlEntryId;
  type: string;
  role: string | null;
  timestamp: number | null;
  /** For a tool result: the tool. */
  tool: string | null;
  /** 1 if it records a failure of a tool, a command or a model. */
  failed: number;
  /** 1 if somebody says something in it: not only thinking, calls or output. */
  has_text: number;
  /** 32 bits of a hash of its text, which distinguishes copies in forks from other entries with the same id. Null without text. */
  text_hash: number | null;
}

/** What an entry can do to a file. `use` if the tool isn't known well enough. */
export const TOUCH_ACTIONS = ["read", "write", "edit", "delete", "search", "use"] as const;
export type TouchAction = (typeof TOUCH_ACTIONS)[number];

/** What an entry did to a file, with the tool call `ordinal`, or -1 if it isn't a tool call. */
export interface TouchTable {
  entry: number;
  ordinal: number;
  path_id: number;
  action: TouchAction;
  /** The entry's file and time. */
  file_id: number;
  time: number | null;
}

/** The current label of an entry. */
export interface LabelTable {
  file_id: number;
  target_id: Exclude<SqlEntryId, null>;
  label: string;
  timestamp: number | null;
}

/**
 * How an event is counted: `owner` counts; `duplicate` is a copy of an event of an earlier session; `reported` is also
 * recorded by the session of the subagent that caused it. A billable event has at most one `owner` over all files.
 */
export const ATTRIBUTION = { owner: 0, duplicate: 1, reported: 2 } as const;
export type Attribution = (typeof ATTRIBUTION)[keyof typeof ATTRIBUTION];

/** An occurrence of a billable event in a file: a turn, a model response, a compaction, anything with a cost. Copies in forks have rows too. */
export interface EventTable {
  entry: number;
  ordinal: number;
  file_id: number;
  /** The entry's time; null when it has none. */
  time: number | null;
  /**
   * 64 bits of a hash of what all copies of an event have in common; null without a time, when copies cannot be recognized.
   * Too large for a number: select it as a bigint or not at all. Copies also have the same `instance`.
   */
  key: bigint | null;
  /** Numbers the events with the same key from 0: unrelated events with the same time and figures. */
  instance: number;
  attribution: Attribution;
  /** `user`, `assistant`, `tool`, `subagent`, `compaction`, `branch_summary`, `session_summary`, or `usage:` and its kind. */
  kind: string;
  model_id: number;
  /**
   * The `ordinal` of the subagent run that caused it; null if none did, or if it covers all runs of the entry that have no
   * event of their own.
   */
  run: number | null;
  agent: string | null;
  /** For an event of a tool result: the tool. */
  tool: string | null;
  /** A model response's stop reason. */
  stop: string | null;
  /** 0 if it has a cost, else the size of its prompt: see `toContextClass`. */
  context: number;
  /** 1 if it has tokens or a cost. */
  billed: number;
  input: number;
  output: number;
  cache_read: number;
  /** Includes `cache_write_1h`, the tokens cached for an hour. */
  cache_write: number;
  cache_write_1h: number;
  /** Included in `output`. */
  reasoning: number;
  cost: number;
  /** The cost reported by the provider; null if it reported none. */
  provider_cost: number | null;
  /** Milliseconds since the previous message in the file; null if unknown. */
  elapsed: number | null;
}

/** The dimensions of the roll-up, besides file and time. */
export const SERIES_COLUMNS = ["kind", "model_id", "agent", "tool", "stop", "current", "context"] as const;

/** A combination of dimensions that occurred, with '' for unknown values. It stays when its last event is deleted. */
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
  /** 0 for events with a cost, else the size of their prompts: see `toContextClass`. */
  context: number;
}

/**
 * The sums of tool calls: number of calls, calls with a result, failed calls, and their duration, as recorded or else from call
 * to result. The duration of a script includes that of the calls it made.
 */
export const CALL_SUMS = ["calls", "answered", "failed", "tool_ms"] as const;

/**
 * The sums of events, in the order of `Sums`. `messages` are model responses; `turns` are a person's messages, and the task
 * of a subagent's session; `model_ms` is the time before model responses, `user_ms` before turns. Money is in nano-dollars,
 * times are in milliseconds.
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

/** Sums in the order of `SUMS`. Arrays, because there may be one for each hour of several years. */
export type Sums = number[];

/** The index of each sum in `Sums`. */
export const SUM_INDEX = Object.fromEntries(SUMS.map((name, n) => [name, n])) as Record<
  (typeof SUMS)[number],
  number
>;

/** V8 stores an array that once contained a fraction as doubles, so adding large numbers doesn't convert each copy. */
const NO_SUMS: Sums = SUMS.map(() => 0.5).fill(0);

export function zeroSums(): Sums {
  return NO_SUMS.slice();
}

/** Sums of which each has a name; missing ones are 0. */
export function toSums(named: Partial<Record<(typeof SUMS)[number], number | null>>): Sums {
  return SUMS.map((name) => named[name] ?? 0);
}

/**
 * Adds `from` to `to`, in place.
 *
 * @param sign -1 to subtract
 */
export function addSums(to: Sums, from: Sums, sign = 1): void {
  for (let n = 0; n < from.length; n++) (to[n] as number) += sign * (from[n] as number);
}

/** Milliseconds in a quarter of an hour: since 1972, local days start at a quarter in all time zones. */
export const BUCKET_MS = 900_000;
/** The quarter of events without a time: before any possible Date. */
export const NO_TIME_BUCKET = -10_000_000_000;

/** Number of assistant messages of a session by model. */
export interface SessionModelTable {
  file_id: number;
  provider: string;
  model: string;
  messages: number;
}
