/** Requests that the picker sends to its index host, and their results. */
import type { EntryId } from "../../../library/index.ts";
import type { Synced } from "../../actions/synced.ts";
import type { Place, Results, ShownHit, View } from "./view.ts";

/** How entries are rendered in the preview. */
export interface PreviewLook {
  /** Width in columns. */
  width: number;
  /** Whether calls, output and thinking are expanded. */
  unfolded: boolean;
}

export interface ResultsAsked {
  view: View;
  /** Cursor from the previous page. */
  next?: string | undefined;
  /** Minimum number of rows: as many as are loaded already, so that a reload keeps the scroll position. */
  atLeast: number;
  /** Whether the user is typing: fast partial results are enough. */
  quick: boolean;
}

/** Requests by name: their parameters (`ask`) and results (`answer`). */
export interface Questions {
  /** One page of sessions for a view. Partial results may be sent before the result. */
  results: { ask: ResultsAsked; answer: Results };
  /** Line numbers of a session's entries in file order, and which are on the current branch. */
  outline: { ask: { path: string }; answer: Outline };
  /** Rendered entries of a session, by line number. */
  entries: { ask: { path: string; lines: number[]; look: PreviewLook }; answer: DrawnEntry[] };
  /** All hits of a query in one session, in file order. */
  hits: { ask: { path: string; sessionId: string; view: View }; answer: ShownHit[] };
  tree: { ask: { path: string; all: boolean }; answer: TreeRow[] };
  /** One-line summaries of entries, by line number. */
  previews: { ask: { path: string; lines: number[] }; answer: Record<number, string> };
  facets: { ask: { view: View }; answer: FacetGroup[] };
  /** Completions at the cursor. */
  completions: { ask: { query: string; at: number }; answer: Completions };
  /** A session's full name. */
  name: { ask: { path: string }; answer: string };
  rename: { ask: { path: string; name: string }; answer: string };
  label: { ask: { path: string; entryId: EntryId; label: string }; answer: string };
  /** The entry on a line, or the last message if `line` is null: its label and a one-line summary. */
  labelled: {
    ask: { path: string; line: number | null };
    answer: { entryId: EntryId; label: string; about: string };
  };
  /** Syncs the index; does nothing if that would take long. */
  sync: { ask: undefined; answer: Synced | "takes long" };
  pin: { ask: { path: string }; answer: string };
  /** Moves a session to the trash. `done` is a message; `isRestorable` says whether `restore` can undo it. */
  delete: { ask: { path: string }; answer: { done: string; isRestorable: boolean } };
  /** Restores a session from the trash. */
  restore: { ask: { path: string }; answer: string };
}
export type QuestionName = keyof Questions;

/** The entries of a session, in file order. */
export interface Outline {
  /** Line numbers. */
  lines: number[];
  /** For each entry: 1 if it is on the path from the root to the last entry, else 0. */
  current: Uint8Array;
}

export interface DrawnEntry {
  line: number;
  entryId: EntryId | null;
  text: string[];
}

export interface TreeRow extends Place {
  stem: string;
  kind: string;
  label?: string | undefined;
  current: boolean;
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
