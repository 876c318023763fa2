/** What the screen requests of the host that has the index, and what comes back. */
import type { EntryId } from "../../../library/index.ts";
import type { Synced } from "../../actions/synced.ts";
import type { Place, Results, ShownHit, View } from "./view.ts";

/** How a preview is to be drawn. */
export interface PreviewLook {
  /** Columns. */
  width: number;
  /** Calls, output and thinking whole. */
  unfolded: boolean;
}

export interface ResultsAsked {
  view: View;
  /** Where the rows before ended. */
  next?: string | undefined;
  /** As many rows as are shown already: who scrolled down is not to be sent back up. */
  atLeast: number;
  /** Whether somebody types, and waits for a frame at most. */
  quick: boolean;
}

/** Questions by their name: what is asked, and what is answered. */
export interface Questions {
  /** What a view finds: its first sessions, or those after `next`. May be answered in parts. */
  results: { ask: ResultsAsked; answer: Results };
  /** The lines of a session's entries in file order, and which of them are current. */
  outline: { ask: { path: string }; answer: Outline };
  /** The entries on some lines of a session, drawn. */
  entries: { ask: { path: string; lines: number[]; look: PreviewLook }; answer: DrawnEntry[] };
  /** All hits of a query in one session, in file order. */
  hits: { ask: { path: string; sessionId: string; view: View }; answer: ShownHit[] };
  tree: { ask: { path: string; all: boolean }; answer: TreeRow[] };
  /** What entries are about, by line. */
  previews: { ask: { path: string; lines: number[] }; answer: Record<number, string> };
  facets: { ask: { view: View }; answer: FacetGroup[] };
  /** What could stand where the cursor is. */
  completions: { ask: { query: string; at: number }; answer: Completions };
  /** A session's name, whole. */
  name: { ask: { path: string }; answer: string };
  rename: { ask: { path: string; name: string }; answer: string };
  label: { ask: { path: string; entryId: EntryId; label: string }; answer: string };
  /** The label of the entry on a line, and what it is about; of the last one without a line. */
  labelled: {
    ask: { path: string; line: number | null };
    answer: { entryId: EntryId; label: string; about: string };
  };
  /** Brings the index up to date, unless that takes long: then nothing is done. */
  sync: { ask: undefined; answer: Synced | "takes long" };
  pin: { ask: { path: string }; answer: string };
  /** What was done, and whether `restore` can bring it back. */
  delete: { ask: { path: string }; answer: { done: string; isRestorable: boolean } };
  /** Brings a deleted session back from the trash. */
  restore: { ask: { path: string }; answer: string };
}
export type QuestionName = keyof Questions;

/** The entries of a session, in file order. */
export interface Outline {
  lines: number[];
  /** Of each: 1 on the path from the root to the last entry. */
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

/** Values to narrow a query by, of one kind. */
export interface FacetGroup {
  name: string;
  values: { value: string; count: number /** What to add to the query. */; term: string }[];
}

export interface Completions {
  /** What is completed: the query from here to the cursor. */
  from: number;
  texts: string[];
}
