/** Parameters and results of the requests that the picker sends to its index host. */
import type { TreeLine } from "../../format/tree-lines.ts";
import type { View } from "./view.ts";

export interface ResultsParams {
  view: View;
  /** Cursor from the previous page. */
  next?: string | undefined;
  /** Minimum number of rows: as many as are loaded already, so that a reload keeps the scroll position. */
  minRows: number;
  /** Whether the user is typing: fast partial results are enough. */
  quick: boolean;
}

/** Line numbers of a session's entries, in file order. */
export interface EntryLines {
  all: number[];
  /** Those on the path from the root to the last entry. */
  current: number[];
  /** Those of the user's messages. */
  prompts: number[];
}

/** How a preview shows entries. */
export interface PreviewLook {
  /** In columns. */
  width: number;
  /** Whether only the conversation is shown: prompts, answers, and one line for each call. */
  isSummary: boolean;
}

/** The rendered lines of the entry on a line of the file: none if nothing of it is shown. */
export interface RenderedEntry {
  line: number;
  text: string[];
}

/** What the preview of a session shows first. */
export interface OpenedSession {
  outline: EntryLines;
  drawn: RenderedEntry[];
}

/** The values that a change replaced, by session: what undoes it. */
export type ValuesBefore =
  | { property: "pinned" | "archived" | "compressed"; sessions: { path: string; value: boolean }[] }
  | { property: "tags"; sessions: { path: string; value: string[] }[] };

/** What a change did: `pinned`, `tagged late`. */
export interface Changed {
  done: string;
  before: ValuesBefore;
}

/** A session in the trash. */
export interface TrashedSession {
  /** Its original path. */
  path: string;
  trashPath: string;
  title: string;
  project: string;
  /** In Unix milliseconds. */
  deletedAt: number;
}

/** What the tree of a session shows. */
export interface TreeParams {
  /** Whether every entry is shown. */
  all: boolean;
  /** Lines of the first entries of open groups of tool calls. */
  opened: number[];
  /** Lines of prompts that hide what follows. */
  closed: number[];
}

export interface LoadedTree {
  rows: TreeRow[];
  /** What the session consists of: `3 prompts`. */
  facts: string[];
}

/** A line of the tree, without what identifies its entry otherwise. */
export interface TreeRow extends Omit<TreeLine, "id" | "kind" | "prefix"> {
  branchLines: string;
  kind: string;
}

/** The most frequent values of one field, to filter by. */
export interface FacetGroup {
  name: string;
  values: FacetValue[];
}

export interface FacetValue {
  value: string;
  /** What filtering adds to the query. */
  term: string;
  /** Number of sessions that match the query in full with the term; undefined if they were not counted. */
  count?: number | undefined;
  /** Whether there are more sessions, of older hits than those that were counted. */
  hasMore?: boolean | undefined;
}

export interface Completions {
  /** Start of the part of the query that is replaced, up to the cursor. */
  from: number;
  /** Whether that part is a value of its field itself. */
  isValue: boolean;
  texts: string[];
}
