import { PidexError, SYNC_AND_RETRY } from "../errors.ts";
import type { SessionCondition, TimeRange } from "./conditions.ts";
import type { Position } from "./position.ts";
import type { EntryTable, FileTable, LabelTable, SessionTable, SqlEntryId, TouchTable } from "./schema.ts";

/** The title of a session is its name, or its computed title if it has none. */
export type TextKind = "name" | "title" | "label";

/** Reads of entries, and of what they mention. All rows are of sessions that the reader may see. */
export interface EntryReads {
  /** The entries of a file, or some of them, in file order. */
  list(file: number, selection?: EntrySelection): Promise<EntryRow[]>;
  /** The entries of a file, or of its current branch, in pages in file order, or backwards from the last entry. */
  pages(file: number, options: { current: boolean; backwards: boolean }): AsyncGenerator<EntryRow[]>;
  /** All entries of a session as an outline shows them, in pages in file order. */
  outlinePages(file: number): AsyncGenerator<OutlineRow[]>;
  /** Where entries are, by path and line. With `copies`, also other entries that may be copies of them: `groupCopies` decides. */
  getLocations(positions: readonly Position[], options: { copies: boolean }): Promise<LocationRow[]>;
  /**
   * Opens a session file.
   *
   * @param places the lines that will be read, in order: a store can read ahead
   * @throws PidexError `FILE_UNREADABLE`
   */
  openLines(path: string, places: readonly LinePlace[]): Promise<LineSource>;
  /**
   * The last entry that a fork shares with its source, by its lines in both. Names, labels and custom entries are skipped: they follow
   * the entries that they describe.
   */
  findLastShared(fork: number, source: number): Promise<{ here: number; there: number } | undefined>;
  /** The current labels of one session or of all, newest first. */
  listLabels(file?: number): Promise<LabelRow[]>;
  /** The subagents' sessions that entries of a session name, if they are indexed, by line and path. */
  listRuns(file: number): Promise<{ line: number; path: string }[]>;
  /** The costs that the model responses of a session record, in nano-dollars, by line. Without those that cost nothing. */
  listResponseCosts(file: number): Promise<{ line: number; cost: number }[]>;
  /**
   * The tool calls that model responses of some files made themselves, copies in forks included, by file, line and ordinal. `range`
   * limits them by the time of the response; those without a time may be included.
   */
  listCalls(files: readonly number[], range: TimeRange): Promise<CallRow[]>;
  /** Counts what entries did to files. */
  sumTouches(conditions: TouchConditions): Promise<TouchSums>;
  /** The touches of some sessions, in any order. */
  listTouches(conditions: TouchConditions, files: readonly number[]): Promise<TouchRow[]>;
  /** All touches of some entries, as they are shown. */
  getTouches(positions: readonly Position[]): Promise<ShownTouchRow[]>;
  /** The paths that entries touched, in order of their ids. */
  listPaths(selection?: PathSelection): Promise<{ id: number; path: string }[]>;
  /** All session files, in any order. */
  listFiles(): Promise<{ file: number; path: string }[]>;
  /** Where sessions come from, in any order. */
  listOrigins(): Promise<OriginRow[]>;
  /** The problems in one file or in all, including files that are not sessions, by path and offset. */
  listProblems(file?: number): Promise<ProblemRow[]>;
  /** The names or titles of sessions, or the texts of labels, each once and in any order. */
  listTexts(of: TextKind): Promise<string[]>;
  /**
   * The values of a field, except empty ones, and the number of sessions with each: the most frequent ones, then by text.
   *
   * @param condition which sessions are counted
   */
  countValues(
    field: CountedField,
    limit: number,
    condition: SessionCondition,
  ): Promise<{ text: string; sessions: number }[]>;
  /** Counts everything. @param limit maximum number of models and of projects, the most frequent ones */
  countAll(limit: number): Promise<IndexCounts>;
}

/** Entries on some lines, or with an id, of which a file may have several. */
export type EntrySelection = { lines: readonly number[] } | { id: Exclude<SqlEntryId, null> };

/** Entries in the first page, for what is shown at once, and in the others. */
export const FIRST_PAGE_SIZE = 100;
export const PAGE_SIZE = 5_000;

/**
 * The rows of a page that begins with the last row of the one before it, without that row. If it is another, the session was indexed again,
 * or continues on another branch: going on would repeat entries or leave some out.
 *
 * @throws PidexError `FILE_CHANGED`
 */
export function continuePage<Row extends { line: number }>(rows: Row[], lastLine: number | undefined): Row[] {
  if (lastLine === undefined) return rows;
  if (rows[0]?.line === lastLine) return rows.slice(1);
  throw new PidexError("FILE_CHANGED", "the session was indexed again while it was read", SYNC_AND_RETRY);
}

/** Only these paths, or paths that end in this text. */
export type PathSelection = { paths: readonly string[] } | { ending: string };

/** Where a line is in its file. */
export type LinePlace = Pick<EntryTable, "line" | "byte_offset" | "byte_length">;

/** An entry with its location in the tree and the file. A session may have hundreds of thousands: they are used as they are. */
export interface EntryRow extends LinePlace, Pick<EntryTable, "type" | "role" | "timestamp"> {
  id: SqlEntryId;
  parentId: SqlEntryId;
}

export interface OutlineRow
  extends Omit<EntryRow, "byte_offset" | "byte_length">,
    Pick<EntryTable, "tool" | "failed" | "has_text"> {}

/** The columns needed to read an entry from its file and verify it. */
export type EntryLocation = LinePlace & Pick<EntryTable, "entry_id" | "parent_id" | "type" | "timestamp">;

/** An entry with its location, and the columns that identify copies. */
export interface LocationRow
  extends EntryLocation,
    Pick<EntryTable, "file_id" | "role" | "text_hash">,
    Pick<FileTable, "path" | "version">,
    Pick<SessionTable, "created"> {
  position: Position;
  session_id: string;
  /** 1 if it is on the current branch of its session. */
  current: number;
}

/** The lines of a session file. */
export interface LineSource {
  /**
   * The bytes that are now at a place, without the newline: another line's if the file has changed, fewer if it is shorter. Of a
   * line longer than `MAX_LINE_BYTES`, the first `LONG_LINE_HEAD_BYTES`.
   *
   * @throws PidexError `FILE_UNREADABLE`
   */
  read(place: LinePlace): Buffer | Promise<Buffer>;
  close(): void;
}

/** A label, and the last line with the entry that it labels, if there is one. */
export interface LabelRow
  extends Pick<LabelTable, "target_id" | "label" | "timestamp">,
    Pick<FileTable, "path"> {
  session_id: string;
  line: number | null;
}

/** Which touches are found. The times are of the entries. */
export interface TouchConditions extends TimeRange {
  paths: readonly number[];
  session: SessionCondition;
  /** Default: all. */
  actions?: readonly TouchTable["action"][] | undefined;
}

export interface TouchSums {
  /** In any order. */
  sums: TouchSum[];
  /** The entries of these sums that may have copies, and the entries of the selected sessions that may be these copies. */
  shared: SharedEntry[];
}

/** A tool call of a model response. */
export interface CallRow extends Pick<EntryTable, "file_id" | "line"> {
  /** Of the response, and of the result; null without a result. */
  position: Position;
  result: Position | null;
  ordinal: number;
  tool: string;
  /** Line of the result in the file, and 1 if it is an error; null without a result. */
  result_line: number | null;
  failed: number | null;
  /** Milliseconds as the agent recorded them; null if it did not. */
  recorded: number | null;
  /** Milliseconds from the call to its result; null if unknown. */
  waited: number | null;
  /** A file that it wrote or edited; null if none is known. */
  changed: number | null;
}

/** Touches of one kind in one session. */
export interface TouchSum extends Pick<TouchTable, "file_id" | "action"> {
  /** The entry of these touches, if it may have copies; null for touches of all entries that have none. */
  position: Position | null;
  count: number;
  /** The time of the newest one, or the session's creation time where an entry has none; 0 if both are unknown. */
  newest: number;
}

/** An entry, with the columns that identify its copies. */
export interface SharedEntry
  extends Pick<EntryTable, "file_id" | "entry_id" | "type" | "role" | "line" | "timestamp" | "text_hash">,
    Pick<SessionTable, "created"> {
  position: Position;
}

/** The columns by which touches are sorted and selected. */
export type TouchRow = Pick<SharedEntry, "position" | "line" | "created"> &
  Pick<TouchTable, "ordinal" | "path_id" | "action" | "file_id" | "time">;

/** A touch as answers show it. */
export interface ShownTouchRow
  extends Pick<TouchTable, "ordinal" | "path_id" | "action">,
    Pick<EntryTable, "entry_id" | "line" | "byte_offset" | "type" | "role" | "timestamp" | "tool"> {
  position: Position;
  path: string;
  /** 1 if it failed; null if that is unknown. */
  failed: number | null;
  /** 1 if the entry is on the current branch of its session. */
  current: number;
}

/** A session's file, and the parent that its header names. */
export interface OriginRow extends Pick<FileTable, "path" | "subagent">, Pick<SessionTable, "created"> {
  file: number;
  parent: string | null;
}

export interface ProblemRow extends Pick<FileTable, "path"> {
  code: string;
  line: number;
  byte_offset: number;
  message: string;
}

/** Fields of queries with values that are counted. */
export type CountedField =
  | "cwd"
  | "name"
  | "model"
  | "provider"
  | "tag"
  | "label"
  | "tool"
  | "machine"
  | "person";

/** The number of things with the same name. */
export interface NamedCount {
  name: string;
  count: number;
}

export interface IndexCounts {
  files: number;
  /** Bytes of all files, and how many of them are indexed. */
  bytes: number;
  indexed_bytes: number;
  sessions: number;
  subagent_sessions: number;
  entries: number;
  messages: number;
  /** When the first session was created, and the last one modified. */
  oldest: number | null;
  newest: number | null;
  /** Model responses by model; sessions by working directory, without subagents; problems by code. Most frequent first, then by name. */
  models: NamedCount[];
  projects: NamedCount[];
  problems: NamedCount[];
}
