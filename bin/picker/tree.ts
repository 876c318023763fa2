/** The tree of a session: the entries shown and the selected one. */
import type { PickerContext } from "./context.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import type { TreeParams, TreeRow } from "./model/requests.ts";
import type { State, TreeState } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import { moveSelection, scrollToSelection } from "./scroll-position.ts";

/** Rows above and below the visible ones whose texts are requested too. */
const ROWS_AROUND = 40;

const INITIAL: TreeParams = { all: false, opened: [], closed: [] };

/** What is done with an entry of the tree. */
interface EntryActions {
  label: (session: ShownSession, line: number) => void;
  /** Shows the session at the entry. */
  read: (session: ShownSession, line: number) => void;
  /** Undoes the last change of the picker. */
  undo: () => void;
}

export class TreeView {
  readonly #picker: PickerContext;
  readonly #state: State;
  readonly #actions: EntryActions;

  constructor(picker: PickerContext, actions: EntryActions) {
    this.#picker = picker;
    this.#state = picker.state;
    this.#actions = actions;
  }

  get selected(): TreeRow | undefined {
    const { tree } = this.#state;
    return tree?.rows[tree.selected];
  }

  /** Shows a session's tree in place of the current view, as soon as it is loaded. */
  async openView(session: ShownSession, line: number | undefined): Promise<void> {
    const { views, showErrors, screen } = this.#picker;
    const { path } = views;
    await showErrors(this.open(session, line));
    if (this.#state.tree?.session === session) views.open("tree", path);
    screen.redraw();
  }

  run(tree: TreeState, action: ActionId): void {
    const { screen, views, showErrors } = this.#picker;
    const line = this.selected?.line;
    if (this.move(action, countBodyRows(screen.size))) return;
    const { params } = tree;
    if (action === "all") void showErrors(this.reload({ ...params, all: !params.all }));
    else if (action === "foldRow" || action === "unfoldRow") this.#fold(tree, action === "foldRow");
    else if (action === "open" && this.selected?.calls) this.#fold(tree, this.#isOpen(tree, this.selected));
    else if (action === "undo") this.#actions.undo();
    else if (action === "label" && line !== undefined) this.#actions.label(tree.session, line);
    else if (action === "open" && line !== undefined) {
      views.open("preview");
      this.#actions.read(tree.session, line);
    }
  }

  /**
   * Loads a session's tree, and the texts of the rows that are seen first; selects the entry on a line, or the leaf.
   *
   * @throws PidexError as `Index.outline`
   */
  async open(session: ShownSession, line?: number, params: TreeParams = INITIAL): Promise<void> {
    const { client, screen } = this.#picker;
    const before = this.#state.tree;
    const { rows, facts } = await client.call("tree", session.path, params);
    const exact = rows.findIndex((row) => row.line === line);
    const nearest =
      exact >= 0 || line === undefined
        ? exact
        : rows.findLastIndex((row) => row.line <= line && row.isOnCurrentBranch);
    const leaf = rows.findIndex(({ isLeaf }) => isLeaf);
    const selected = Math.max(0, nearest >= 0 ? nearest : leaf);
    const isSame = before?.session === session;
    // The selected row stays where it is on the screen.
    const top = isSame ? Math.max(0, selected - (before.selected - before.top)) : 0;
    const tree: TreeState = { session, params, rows, facts, selected, top, summaries: {} };
    const height = countBodyRows(screen.size);
    tree.top = Math.min(tree.top, Math.max(0, rows.length - height));
    scrollToSelection(tree, height);
    const lines = linesToRead(tree, height);
    if (lines.length > 0) tree.summaries = await client.call("summaries", session.path, lines);
    this.#state.tree = tree;
    screen.redraw();
  }

  /** Reloads the rows; keeps the selection. @throws as `open` */
  async reload(params = this.#state.tree?.params): Promise<void> {
    const { tree } = this.#state;
    if (tree) await this.open(tree.session, this.selected?.line, params);
  }

  #isOpen({ params }: TreeState, { line }: TreeRow): boolean {
    return params.opened.includes(line);
  }

  /** Folds the calls or the prompt of the selected row, or unfolds them. */
  #fold(tree: TreeState, folds: boolean): void {
    const { rows, selected, params } = tree;
    const row = rows[selected];
    if (!row || params.all) return;
    const { opened, closed } = params;
    const changed = { ...params };
    if (!folds && row.calls && !this.#isOpen(tree, row)) changed.opened = [...opened, row.line];
    else if (!folds && row.hidden !== undefined) changed.closed = closed.filter((line) => line !== row.line);
    else if (folds) {
      // Within calls, their group; else the prompt that the row answers.
      const isInGroup = row.isMember || (row.calls && this.#isOpen(tree, row));
      const to = rows.findLastIndex(
        (each, n) => n <= selected && (isInGroup ? each.calls !== undefined : each.kind === "user"),
      );
      const { line } = rows[to] ?? {};
      if (line === undefined || closed.includes(line)) return;
      if (isInGroup) changed.opened = opened.filter((each) => each !== line);
      else changed.closed = [...closed, line];
      tree.selected = to;
    } else return;
    void this.#picker.showErrors(this.reload(changed));
  }

  /** @returns whether the action moves the selection */
  move(action: string, height: number): boolean {
    const { tree } = this.#state;
    const to = tree && moveSelection(action, tree.selected, tree.rows.length, height);
    if (!tree || to === undefined) return false;
    tree.selected = to;
    return true;
  }

  /** Scrolls to the selected entry, and requests texts of visible entries that are missing. */
  update(height: number): void {
    const { tree } = this.#state;
    if (!tree) return;
    scrollToSelection(tree, height);
    const lines = linesToRead(tree, height);
    if (lines.length > 0) void this.#read(tree, lines);
  }

  async #read({ session, summaries }: TreeState, lines: number[]): Promise<void> {
    for (const line of lines) summaries[line] = ""; // it is requested once
    const { client, showErrors, screen } = this.#picker;
    Object.assign(summaries, await showErrors(client.call("summaries", session.path, lines)));
    screen.redraw();
  }
}

/** Lines of entries near the visible rows that have no text yet. */
function linesToRead({ rows, top, summaries }: TreeState, height: number): number[] {
  const seen = rows.slice(Math.max(0, top - ROWS_AROUND), top + height + ROWS_AROUND);
  const lines = seen.flatMap(({ line, calls }) => (calls || summaries[line] !== undefined ? [] : line));
  return [...new Set(lines)].sort((a, b) => a - b);
}
