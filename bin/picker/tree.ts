/** The tree of a session: which of its entries are shown, and which is chosen. */
import { titleOf } from "../format/titles.ts";
import type { Asker } from "./asker.ts";
import type { TreeRow } from "./model/questions.ts";
import type { State, TreeState } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import { follow, moved } from "./scrolled.ts";

/** Lines whose texts are asked for beyond those that are seen. */
const BEYOND = 40;

export class Tree {
  readonly #asker: Asker;
  readonly #state: State;
  readonly #changed: () => void;
  #session: ShownSession | undefined;
  readonly #asked = new Set<number>();

  constructor(asker: Asker, state: State, changed: () => void) {
    this.#asker = asker;
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

  /** Shows a session's tree, with the entry on a line chosen, or else the last. @throws PidexError as the index does */
  async open(session: ShownSession, line?: number, all = false): Promise<void> {
    this.#session = session;
    const rows = await this.#asker.call("tree", { path: session.path, all });
    const there = rows.findIndex((row) => row.line === line);
    const at =
      there >= 0 || line === undefined ? there : rows.findLastIndex((row) => row.line <= line && row.current);
    const leaf = rows.findIndex(({ isLeaf }) => isLeaf);
    this.#asked.clear();
    const selected = Math.max(0, at >= 0 ? at : leaf);
    const tree: TreeState = {
      title: titleOf(session),
      path: session.path,
      all,
      rows,
      selected,
      top: 0,
      previews: {},
    };
    this.#state.tree = tree;
    this.#changed();
  }

  /** Shows every entry, or those of interest; the chosen one stays. @throws PidexError as the index does */
  async toggleAll(): Promise<void> {
    const tree = this.#state.tree;
    if (this.#session && tree) await this.open(this.#session, this.selected?.line, !tree.all);
  }

  /** Its rows again, after a label was given. @throws PidexError as the index does */
  async again(): Promise<void> {
    const tree = this.#state.tree;
    if (this.#session && tree) await this.open(this.#session, this.selected?.line, tree.all);
  }

  /** @returns whether the action was one of moving about */
  move(action: string, height: number): boolean {
    const tree = this.#state.tree;
    const to = tree && moved(action, tree.selected, tree.rows.length, height);
    if (!tree || to === undefined) return false;
    tree.selected = to;
    return true;
  }

  /** Scrolls to the chosen entry, and asks for what is not known of the entries that are seen. */
  settle(height: number): void {
    const tree = this.#state.tree;
    if (!tree) return;
    follow(tree, height);
    const seen = tree.rows.slice(Math.max(0, tree.top - BEYOND), tree.top + height + BEYOND);
    const lines = seen.map(({ line }) => line).filter((line) => !this.#asked.has(line));
    if (lines.length > 0) void this.#read(tree, lines);
  }

  async #read(tree: TreeState, lines: number[]): Promise<void> {
    for (const line of lines) this.#asked.add(line);
    try {
      Object.assign(tree.previews, await this.#asker.call("previews", { path: tree.path, lines }));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#state.message = { text, isError: true };
    }
    this.#changed();
  }
}
