/** What is seen before pi-tui is loaded, which takes longer than all that is shown first. */
import { type Index, openIndex } from "../../library/index.ts";
import type { IndexPlace } from "../actions/synced.ts";
import { withSigns } from "../format/safe.ts";
import type { Theme } from "../format/theme.ts";
import { frame } from "./frames/frame.ts";
import type { PreviewPlace, Size } from "./frames/layout.ts";
import { line } from "./frames/line.ts";
import { beginning, type State } from "./model/state.ts";
import { shownSession, type View } from "./model/view.ts";

/** Into the alternate screen, where the cursor is of no use. */
const ENTER = "\x1b[?1049h\x1b[2J\x1b[?25l";
/** Out of it, as it was. */
export const LEAVE = "\x1b[?25h\x1b[?1049l";

/** What stands before what is typed. */
export const PROMPT = "› ";

/**
 * The newest sessions, as the index knows them from before: another thread brings it up to date meanwhile. Where the folder
 * has none, those of all folders.
 *
 * @param rows how many are seen at most
 */
export async function firstState(
  place: IndexPlace,
  view: View,
  rows: number,
  onNotice: (notice: string) => void,
): Promise<State> {
  const index = await openIndex({ db: place.db, roots: place.roots, onNotice });
  try {
    const inFolder = await newest(index, view, rows);
    const isElsewhere = inFolder.total === 0 && view.cwd !== undefined;
    const wanted = isElsewhere ? { ...view, cwd: undefined } : view;
    const { sessions, total } = isElsewhere ? await newest(index, wanted, rows) : inFolder;
    const state = beginning(wanted);
    if (view.query.trim() !== "") return state; // what is looked for is on its way
    const shown = sessions.map((session) => ({
      session: shownSession(session),
      stem: "",
      hits: [],
      hitCount: 0,
    }));
    return { ...state, results: { view: wanted, rows: shown, total, more: false } };
  } finally {
    await index.close();
  }
}

function newest(index: Index, { cwd, named, archived, subagents }: View, rows: number) {
  return index.listAll({
    cwd,
    named: named ? true : undefined,
    archived: archived ? "yes" : "no",
    subagents: subagents ? "yes" : "no",
    pinnedFirst: true,
    limit: Math.max(1, rows),
  });
}

export function enter(write: (text: string) => void): void {
  write(ENTER);
}

/** Draws it. */
export function drawFirst(
  state: State,
  size: Size,
  theme: Theme,
  place: PreviewPlace,
  write: (text: string) => void,
): void {
  const lines = frame(state, size, theme, place, {
    input: (columns) => line(theme, columns, [{ text: PROMPT }, { text: withSigns(state.view.query) }]),
    hints: [],
  });
  write(lines.map((text, row) => `\x1b[${row + 1};1H${text}`).join(""));
}
