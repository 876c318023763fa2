/** The tree of a session: the entries shown and the selected one. */
import { toMessage } from "../../library/internal.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { PickerClient } from "./client.ts";
import type { TreeRow } from "./model/requests.ts";
import type { State, TreeState } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import { moveSelection, scrollToSelection } from "./scroll-position.ts";

/** Rows above and below the visible ones whose texts are requested too. */
const ROWS_AROUND = 40;

export class TreeView {
  readonly #client: PickerClient;
  readonly #state: State;
  readonly #changed: () => void;
  #session: ShownSession | undefined;
  readonly #requested = new Set<number>();

  constructor(client: PickerClient, state: State, changed: () => void) {
    this.#client = client;
    this.#state = state;
    this.#changed = changed;
  }

  get session(): ShownSession | undefined {
    return this.#session;
  }

  get selected(): TreeRow | undefined {
    const tree = this.#state.tree;
    return tree?.rows[tree.selected];
  }

  /** Shows a session's tree and selects the entry on a line, or the leaf. @throws PidexError as `Index.treeEntries` */
  async open(session: ShownSession, line?: number, all = false): Promise<void> {
    this.#session = session;
    const rows = await this.#client.call("tree", session.path, all);
    const exact = rows.findIndex((row) => row.line === line);
    const nearest =
      exact >= 0 || line === undefined
        ? exact
        : rows.findLastIndex((row) => row.line <= line && row.isOnCurrentBranch);
    const leaf = rows.findIndex(({ isLeaf }) => isLeaf);
    this.#requested.clear();
    const selected = Math.max(0, nearest >= 0 ? nearest : leaf);
    const tree: TreeState = {
      title: getSessionTitle(session),
      path: session.path,
      all,
      rows,
      selected,
      top: 0,
      summaries: {},
    };
    this.#state.tree = tree;
    this.#changed();
  }

  /** Switches between all entries and important ones; keeps the selection. @throws as `open` */
  async toggleAll(): Promise<void> {
    const tree = this.#state.tree;
    if (this.#session && tree) await this.open(this.#session, this.selected?.line, !tree.all);
  }

  /** Reloads the rows, for example after a label changed. @throws as `open` */
  async reload(): Promise<void> {
    const tree = this.#state.tree;
    if (this.#session && tree) await this.open(this.#session, this.selected?.line, tree.all);
  }

  /** @returns whether the action moves the selection */
  move(action: string, height: number): boolean {
    const tree = this.#state.tree;
    const to = tree && moveSelection(action, tree.selected, tree.rows.length, height);
    if (!tree || to === undefined) return false;
    tree.selected = to;
    return true;
  }

  /** Scrolls to the selected entry, and requests texts of visible entries that are missing. */
  update(height: number): void {
    const tree = this.#state.tree;
    if (!tree) return;
    scrollToSelection(tree, height);
    const seen = tree.rows.slice(Math.max(0, tree.top - ROWS_AROUND), tree.top + height + ROWS_AROUND);
    const lines = seen.map(({ line }) => line).filter((line) => !this.#requested.has(line));
    if (lines.length > 0) void this.#read(tree, lines);
  }

  async #read(tree: TreeState, lines: number[]): Promise<void> {
    for (const line of lines) this.#requested.add(line);
    try {
      Object.assign(tree.summaries, await this.#client.call("summaries", tree.path, lines));
    } catch (error) {
      const text = toMessage(error);
      this.#state.message = { text, isError: true };
    }
    this.#changed();
  }
}
