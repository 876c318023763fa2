/** The tree of a session: the entries shown and the selected one. */
import type { PickerContext } from "./context.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import type { TreeRow } from "./model/requests.ts";
import type { State, TreeState } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import { moveSelection, scrollToSelection } from "./scroll-position.ts";

/** Rows above and below the visible ones whose texts are requested too. */
const ROWS_AROUND = 40;

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
    if (action === "all") void showErrors(this.reload(!tree.all));
    else if (action === "undo") this.#actions.undo();
    else if (action === "label" && line !== undefined) this.#actions.label(tree.session, line);
    else if (action === "open" && line !== undefined) {
      views.open("preview");
      this.#actions.read(tree.session, line);
    }
  }

  /** Loads a session's tree and selects the entry on a line, or the leaf. @throws PidexError as `Index.treeEntries` */
  async open(session: ShownSession, line?: number, all = false): Promise<void> {
    const rows = await this.#picker.client.call("tree", session.path, all);
    const exact = rows.findIndex((row) => row.line === line);
    const nearest =
      exact >= 0 || line === undefined
        ? exact
        : rows.findLastIndex((row) => row.line <= line && row.isOnCurrentBranch);
    const leaf = rows.findIndex(({ isLeaf }) => isLeaf);
    const selected = Math.max(0, nearest >= 0 ? nearest : leaf);
    this.#state.tree = { session, all, rows, selected, top: 0, summaries: {} };
    this.#picker.screen.redraw();
  }

  /** Reloads the rows, all or only important ones; keeps the selection. @throws as `open` */
  async reload(all = this.#state.tree?.all): Promise<void> {
    const { tree } = this.#state;
    if (tree) await this.open(tree.session, this.selected?.line, all);
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
    const seen = tree.rows.slice(Math.max(0, tree.top - ROWS_AROUND), tree.top + height + ROWS_AROUND);
    const lines = seen.map(({ line }) => line).filter((line) => tree.summaries[line] === undefined);
    if (lines.length > 0) void this.#read(tree, lines);
  }

  async #read({ session, summaries }: TreeState, lines: number[]): Promise<void> {
    for (const line of lines) summaries[line] = ""; // it is requested once
    const { client, showErrors, screen } = this.#picker;
    Object.assign(summaries, await showErrors(client.call("summaries", session.path, lines)));
    screen.redraw();
  }
}
