/** The picker's state: frames are drawn from it alone. */
import type { SyncProgress } from "../../../library/index.ts";
import type { Look } from "../../format/themes.ts";
import type { Mode } from "../keys/actions.ts";
import type { PaletteItem } from "./palette-item.ts";
import type { Completions, FacetGroup, TreeParams, TreeRow } from "./requests.ts";
import type { Results, Row, ShownSession, View } from "./view.ts";

export interface State {
  mode: Mode;
  look: Look;
  view: View;
  results: Results;
  /** Whether `results` belong to an earlier view because the current one is still loading. */
  isLoading: boolean;
  /** Whether that takes so long that the rows are dim meanwhile. */
  isStale?: boolean;
  /**
   * Why the view could not be loaded: an error, and on the next line a hint. The rows are those of an earlier view, and no action is run
   * on them.
   */
  failure?: string | undefined;
  selected: number;
  /** First visible row. */
  top: number;
  /** Number of sessions that appeared above the visible rows since the view was opened. */
  newAbove: number;
  showsPaths: boolean;
  /** Folders that sessions are read from; empty on a hub. */
  folders: readonly string[];
  /** Sessions that the user marked, by path, in order: actions on several sessions change them. */
  marked: ReadonlyMap<string, ShownSession>;
  /** Whether nothing is known yet, in the frame before the first list. */
  isOpening?: boolean;
  /** Whether the list has all folders because the one in which the picker was opened has no sessions. */
  isElsewhere?: boolean;
  /** Whether the first sync is still running. */
  isSyncing: boolean;
  /** Progress of a long sync. */
  indexing?: SyncProgress | undefined;
  /** Shown until the next key. A text with an end is cut to one line, so that the end is visible; others are wrapped. */
  message?: { text: string; end?: string | undefined; isError: boolean } | undefined;
  /** Completions at the cursor, and the index of the accepted one. */
  completions: Pick<Completions, "from" | "texts"> & { taken: number | undefined };
  tree?: TreeState | undefined;
  facets?: FacetsState | undefined;
  palette?: PaletteState | undefined;
  /** Scroll position of the help, while it is open. */
  help?: { top: number } | undefined;
}

export interface FacetsState {
  /** Those values that match what is typed; undefined while they are being counted. */
  groups?: readonly FacetGroup[] | undefined;
  selected: number;
}

export interface PaletteState {
  title: string;
  /** What the items are, for a message without any: `commands`. */
  plural: string;
  /** Those that match what is typed; undefined while they are loading. */
  items?: readonly PaletteItem[] | undefined;
  /** Whether they are below the headings of their groups: while nothing is typed. */
  isGrouped?: boolean;
  selected: number;
}

export interface TreeState {
  session: ShownSession;
  params: TreeParams;
  rows: TreeRow[];
  /** What the session consists of: `3 prompts`. */
  facts: string[];
  selected: number;
  top: number;
  /** One-line summaries of entries by line number; "" while they are loading. */
  summaries: Record<number, string>;
}

/** The selected row; undefined if there is none, or if the rows are not those of the view. */
export function getSelectedRow({ results, selected, failure }: State): Row | undefined {
  return failure === undefined ? results.rows[selected] : undefined;
}

/** Whether a saved search is selected in the palette. */
export function isSavedSearchSelected({ palette }: State): boolean {
  const item = palette?.items?.[palette.selected];
  return item !== undefined && "query" in item.command;
}

/** The initial state, without results. */
export function createState(view: View): State {
  return {
    mode: "list",
    look: { theme: "auto", has256Colors: false },
    view,
    results: { view, rows: [], total: 0, hasMore: false },
    isLoading: true,
    isSyncing: true,
    selected: 0,
    top: 0,
    newAbove: 0,
    showsPaths: false,
    folders: [],
    marked: new Map(),
    completions: { from: 0, texts: [], taken: undefined },
  };
}
