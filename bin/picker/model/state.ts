/** What the picker shows at a moment: frames are drawn from it, and from nothing else. */
import type { SyncProgress } from "../../../library/index.ts";
import type { Mode } from "../keys/actions.ts";
import type { FacetGroup, TreeRow } from "./questions.ts";
import type { Results, Row, View } from "./view.ts";

export interface State {
  mode: Mode;
  view: View;
  results: Results;
  /** Whether what is asked now is not answered yet: what is shown is of a view before. */
  isBehind: boolean;
  selected: number;
  /** The first row that is shown. */
  top: number;
  showsPaths: boolean;
  /** Whether what is new since the last time is still looked for. */
  isSyncing: boolean;
  /** How far the index is, while that takes long. */
  indexing?: SyncProgress | undefined;
  /** Said once, until the next key. */
  message?: { text: string; isError: boolean } | undefined;
  /** What could stand where the cursor is, and which of it was taken. */
  completions: { from: number; texts: string[]; taken: number | undefined };
  tree?: TreeState | undefined;
  facets?: { groups: FacetGroup[]; selected: number; top: number } | undefined;
  /** The table of keys, while it is shown: from which line on. */
  help?: { top: number } | undefined;
}

export interface TreeState {
  title: string;
  path: string;
  all: boolean;
  rows: TreeRow[];
  selected: number;
  top: number;
  /** What entries are about, by line, as far as that is known. */
  previews: Record<number, string>;
}

/** The row that is chosen. */
export function selectedRow({ results, selected }: State): Row | undefined {
  return results.rows[selected];
}

/** The state before anything is known. */
export function beginning(view: View): State {
  return {
    mode: "list",
    view,
    results: { view, rows: [], total: 0, more: false },
    isBehind: true,
    isSyncing: true,
    selected: 0,
    top: 0,
    showsPaths: false,
    completions: { from: 0, texts: [], taken: undefined },
  };
}
