/** The outline of the session that is being read: who pages through a long one asks for the same again and again. */
import type { Index, Outline, SessionInfo } from "../../library/index.ts";
import { OtherBranches } from "./other-branches.ts";

export interface HeldOutline {
  outline: Outline;
  others: OtherBranches;
}

/** So long one is held, in milliseconds: there is what no session tells of itself, such as a subagent's that was found just now. */
const MOST_MS = 60_000;

export class Outlines {
  readonly #index: Index;
  #held: (HeldOutline & { of: string; until: number }) | undefined;

  constructor(index: Index) {
    this.#index = index;
  }

  /** The outline of a session as it was just found. */
  async of(session: SessionInfo): Promise<HeldOutline> {
    const of = stateOf(session);
    const now = performance.now();
    if (this.#held?.of === of && now < this.#held.until) return this.#held;
    const outline = await this.#index.outline(session.path);
    this.#held = { outline, others: new OtherBranches(outline), of, until: now + MOST_MS };
    return this.#held;
  }
}

/** What differs whenever something was written to it. */
function stateOf({ path, id, size, entryCount, labelCount, modified }: SessionInfo): string {
  return JSON.stringify([path, id, size, entryCount, labelCount, modified.getTime()]);
}
