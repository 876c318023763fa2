import type { Mode } from "./keys/actions.ts";
import type { State } from "./model/state.ts";

/** The views that the user came through, to go back one by one. */
export class ViewTrail {
  readonly #state: State;
  /** The views before the current one, last one last; empty in the list. */
  #before: readonly Mode[] = [];

  constructor(state: State) {
    this.#state = state;
  }

  /** The views that the user came through, and the current one. */
  get path(): readonly Mode[] {
    return [...this.#before, this.#state.mode];
  }

  /**
   * Shows another view; `back` returns to the one before.
   *
   * @param path where the user was when a view was requested that had to be loaded
   */
  open(mode: Mode, path: readonly Mode[] = this.path): void {
    // Each view is in the trail once, where the user was last: from a tree's entry, one step back is the tree.
    this.#before = mode === "list" ? [] : path.filter((each) => each !== mode);
    this.#state.mode = mode;
  }

  /** Shows the view before. */
  back(): void {
    this.#state.mode = this.#before.at(-1) ?? "list";
    this.#before = this.#before.slice(0, -1);
  }

  /** Shows the list, wherever the user is. */
  backToList(): void {
    this.#before = [];
    this.#state.mode = "list";
  }
}
