import type { State } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";

/** The sessions that the user marked, for actions on several. */
export class Marks {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  get isEmpty(): boolean {
    return this.#state.marked.size === 0;
  }

  /** In the order in which they were marked. */
  get sessions(): ShownSession[] {
    return [...this.#state.marked.values()];
  }

  /** Marks a session, or unmarks it. */
  toggle(session: ShownSession): void {
    const marked = new Map(this.#state.marked);
    if (!marked.delete(session.path)) marked.set(session.path, session);
    this.#state.marked = marked;
  }

  has({ path }: ShownSession): boolean {
    return this.#state.marked.has(path);
  }

  remove(sessions: readonly ShownSession[]): void {
    const marked = new Map(this.#state.marked);
    for (const { path } of sessions) marked.delete(path);
    this.#state.marked = marked;
  }

  clear(): void {
    this.#state.marked = new Map();
  }
}
