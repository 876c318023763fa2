/** Requests that the picker sends to its index host, and their results. */
import type { EntryId } from "../../../library/index.ts";
import type { Synced } from "../../actions/synced.ts";
import type { EntryPosition, Results, ShownHit, View } from "./view.ts";

/** How entries are rendered in the preview. */
export interface RenderOptions {
  /** Width in columns. */
  width: number;
  /** Whether thinking, arguments and output are expanded. */
  isExpanded: boolean;
}

export interface ResultsParams {
  view: View;
  /** Cursor from the previous page. */
  next?: string | undefined;
  /** Minimum number of rows: as many as are loaded already, so that a reload keeps the scroll position. */
  minRows: number;
  /** Whether the user is typing: fast partial results are enough. */
  quick: boolean;
}

/** Requests by name: their `params` and `result`. */
export interface PickerRequests {
  /** One page of sessions for a view. Partial results may be sent before the result. */
  results: { params: ResultsParams; result: Results };
  /** Line numbers of a session's entries in file order, and which are on the current branch. */
  outline: { params: { path: string }; result: Outline };
  /** Rendered entries of a session, by line number. */
  entries: { params: { path: string; lines: number[]; look: RenderOptions }; result: RenderedEntry[] };
  /** All hits of a query in one session, in file order. */
  hits: { params: { path: string; sessionId: string; view: View }; result: ShownHit[] };
  tree: { params: { path: string; all: boolean }; result: TreeRow[] };
  /** One-line summaries of entries, by line number. */
  summaries: { params: { path: string; lines: number[] }; result: Record<number, string> };
  facets: { params: { view: View }; result: FacetGroup[] };
  /** Completions at the cursor. */
  completions: { params: { query: string; at: number }; result: Completions };
  /** A session's full name. */
  name: { params: { path: string }; result: string };
  rename: { params: { path: string; name: string }; result: string };
  label: { params: { path: string; entryId: EntryId; label: string }; result: string };
  /** The entry on a line, or the last message if `line` is null: its label and a one-line summary. */
  labelTarget: {
    params: { path: string; line: number | null };
    result: { entryId: EntryId; label: string; about: string };
  };
  /** Syncs the index; does nothing if that would take long. */
  sync: { params: undefined; result: Synced | "takes long" };
  pin: { params: { path: string }; result: string };
  /** Moves a session to the trash. `done` is a message; `isRestorable` says whether `restore` can undo it. */
  delete: { params: { path: string }; result: { done: string; isRestorable: boolean } };
  /** Restores a session from the trash. */
  restore: { params: { path: string }; result: string };
}
export type RequestName = keyof PickerRequests;

/** The entries of a session, in file order. */
export interface Outline {
  /** Line numbers. */
  lines: number[];
  /** For each entry: 1 if it is on the path from the root to the last entry, else 0. */
  current: Uint8Array;
}

export interface RenderedEntry {
  line: number;
  entryId: EntryId | null;
  text: string[];
}

export interface TreeRow extends EntryPosition {
  branchLines: string;
  kind: string;
  label?: string | undefined;
  isOnCurrentBranch: boolean;
  isLeaf: boolean;
}

/** The most frequent values of one field, to filter by. `term` is what filtering adds to the query. */
export interface FacetGroup {
  name: string;
  values: { value: string; count: number; term: string }[];
}

export interface Completions {
  /** Start of the part of the query that is replaced, up to the cursor. */
  from: number;
  texts: string[];
}
