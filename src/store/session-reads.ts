import type { SessionCondition } from "./conditions.ts";
import type { FileTable, SessionTable } from "./schema.ts";

/** Reads of sessions. All rows are of sessions that the reader may see. */
export interface SessionReads {
  /** The sessions that satisfy a condition, last modified first. */
  find(condition: SessionCondition, limit: number): Promise<SessionRow[]>;
  /** The sessions of these files, in any order. */
  get(files: readonly number[]): Promise<SessionRow[]>;
  /** The models of the messages of these sessions, by file, most used first. Sessions without model responses are missing. */
  models(files: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** The files of all sessions that satisfy a condition, in any order. */
  findFiles(condition: SessionCondition): Promise<number[]>;
  /** A page of sessions, and one more if there is a next page. Without a limit, pinned sessions are where the order puts them. */
  list(page: SessionPage): Promise<ListedSessionRow[]>;
  /** `list` with fewer columns, in a third of the time. */
  listSummaries(page: SessionPage): Promise<SessionSummaryRow[]>;
  count(condition: SessionCondition): Promise<number>;
  /** The listed sessions with a parent in their header, which may be missing, in any order. */
  listForks(condition: SessionCondition): Promise<ForkRow[]>;
  /** The paths of these files that are sessions, but not subagents', and of the sessions with these ids. Last path first. */
  findMainPaths(paths: Iterable<string>, ids: Iterable<string>): Promise<{ path: string; id: string }[]>;
  /** Those of these paths that are indexed. */
  filterIndexed(paths: readonly string[]): Promise<string[]>;
}

/** A session, and what its list shows of its file. */
export interface SessionRow
  extends Omit<SessionTable, "last_message" | "title_state">,
    Pick<FileTable, "path" | "size" | "subagent" | "compressed" | "version"> {
  label_count: number;
  /** JSON array; null if no session has tags. */
  tags: string | null;
  problem_count: number;
  /** In a hub, the names of the machine with the file, and of its person. */
  machine?: string;
  person?: string;
  /** Of a subagent's session: the session with the tool result that names its file. */
  started_by: string | null;
}

export interface ListedSessionRow extends SessionRow {
  /** The value that the list is sorted by; a text for names. */
  sort_value: number | string;
}

export interface SessionSummaryRow {
  path: string;
  id: string;
  cwd: string;
  pinned: number;
  modified: number;
  messageCount: number;
  name: string | null;
  firstMessage: string | null;
  computedTitle: string | null;
}

export interface SessionModelRow {
  file_id: number;
  /** `anthropic/claude-opus-4-5` */
  model: string;
}

export interface ForkRow {
  file: number;
  path: string;
  /** Path of the parent session, as in the header. */
  parent: string;
}

/** The values that lists can be sorted by. */
export type SessionSort = "modified" | "created" | "messages" | "name" | "size";

/** Length of the beginning of a title that lists are sorted by, in characters. */
export const SORTED_TITLE_LENGTH = 100;

/** Which sessions a list shows, and in what order. Sessions with equal values are sorted by their file. */
export interface SessionPage {
  condition: SessionCondition;
  sort: SessionSort;
  /** `newest` is descending, but ascending by name. */
  order: "newest" | "oldest";
  pinnedFirst: boolean;
  limit: number | undefined;
  /** The last session of the previous page. */
  after: SessionPosition | undefined;
}

/** The position of a session in a list. */
export interface SessionPosition {
  pinned: number;
  value: number | string;
  file: number;
}
