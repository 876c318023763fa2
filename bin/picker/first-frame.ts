/** Draws the first frame before pi-tui is loaded, because loading it takes longer than querying and drawing. */
import { type IndexQueries, openHub, openIndex } from "../../library/index.ts";
import { isLocalIndex } from "../actions/index-location.ts";
import { toSafeInput } from "../format/safe.ts";
import type { PickerLocation } from "./client.ts";
import { drawFrame } from "./frames/frame.ts";
import type { PreviewPosition } from "./frames/layout.ts";
import { drawLine, type Pane } from "./frames/line.ts";
import { createState, type State } from "./model/state.ts";
import { type Row, toFilters, toRow, toShownSession, type View } from "./model/view.ts";
import { toThreads } from "./service/threads.ts";

/** Switches to the alternate screen, clears it and hides the cursor. */
export const ENTER_SCREEN = "\x1b[?1049h\x1b[2J\x1b[?25l";
/** Undoes `ENTER_SCREEN`. */
export const LEAVE_SCREEN = "\x1b[?25h\x1b[?1049l";

/** Shown before the query. */
export const PROMPT = "› ";

/**
 * The first sessions of the list as of the last sync; another thread syncs afterwards. If the folder has no sessions, those of all folders.
 *
 * @param rows maximum number of visible sessions
 */
export async function loadFirstState(
  { db, roots, hub }: PickerLocation,
  view: View,
  rows: number,
  onNotice: (notice: string) => void,
): Promise<State> {
  const index = await (hub
    ? openHub({ url: hub.url, token: hub.token })
    : openIndex({ db, roots, onNotice }));
  try {
    const inFolder = await loadRows(index, view, rows);
    const isElsewhere = inFolder.total === 0 && view.cwd !== undefined;
    const shownView = isElsewhere ? { ...view, cwd: undefined } : view;
    const shown = isElsewhere ? await loadRows(index, shownView, rows) : inFolder;
    const state = {
      ...createState(shownView),
      isElsewhere: isElsewhere && shown.total > 0,
      folders: isLocalIndex(index) ? index.roots : [],
    };
    if (view.query.trim() !== "") return state; // the picker runs the query itself
    return { ...state, results: { view: shownView, ...shown, hasMore: false } };
  } finally {
    await index.close();
  }
}

/** The first rows of the list that the picker requests afterwards, in the same order: no row changes its place. */
async function loadRows(
  index: IndexQueries,
  view: View,
  count: number,
): Promise<{ rows: Row[]; total: number }> {
  const options = { ...toFilters(view), pinnedFirst: true, costs: true, limit: Math.max(1, count) };
  if (view.sort !== "threaded") {
    const { sessions, total } = await index.listAll(options);
    return { rows: sessions.map((session) => toRow(toShownSession(session))), total };
  }
  const { sessions, total } = await index.listThreads(options);
  return { rows: toThreads(sessions.map(toShownSession)).slice(0, options.limit), total };
}

/** Draws a frame without pi-tui. */
export function drawFirstFrame(
  state: State,
  screen: Pane,
  place: PreviewPosition,
  write: (text: string) => void,
): void {
  const query = drawLine(screen, [{ text: PROMPT }, { text: toSafeInput(state.view.query) }]);
  const lines = drawFrame(state, screen, place, { input: () => query, hints: [] });
  write(lines.map((text, row) => `\x1b[${row + 1};1H${text}`).join(""));
}
