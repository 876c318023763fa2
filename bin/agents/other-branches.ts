/** Where other branches leave the one that is read: what was tried and given up stands there. */
import type { EntryId, Outline } from "../../library/index.ts";

/** Types that say something; of all others a branch may begin with some before it says anything. */
const SPOKEN = new Set(["message", "custom_message", "compaction", "branch_summary", "session_summary"]);
/** Of those that leave at one place, so many are told: the latest. */
const MOST = 3;

/** A branch that is not read, by its first entry. */
export interface OtherBranch {
  entryId: EntryId | null;
  line: number;
  /** How many entries there are from its first on, whichever way it parts again. */
  entries: number;
}

/** Of one outline; everything is counted once, when it is first asked. */
export class OtherBranches {
  readonly #outline: Outline;
  #children: Map<number, number[]> | undefined;
  #sizes: Uint32Array | undefined;

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  /** What stands in the place of an entry on other branches, and in the places of those just before it that say nothing. */
  insteadOf(position: number): OtherBranch[] {
    const { parent, id, line, kind, kinds } = this.#outline;
    const others: number[] = [];
    for (let at = position; at >= 0; at = parent[at] as number) {
      others.push(...(this.#siblings(at) ?? []).filter((sibling) => sibling !== at));
      const above = kinds[kind[parent[at] as number] as number];
      if (!above || SPOKEN.has(above.type)) break;
    }
    return others
      .sort((a, b) => a - b)
      .slice(-MOST)
      .map((at) => ({
        entryId: id[at] ?? null,
        line: line[at] as number,
        entries: this.#sizesOf()[at] as number,
      }));
  }

  #siblings(position: number): number[] | undefined {
    const { parent } = this.#outline;
    if (!this.#children) {
      this.#children = new Map();
      const first = new Map<number, number>();
      for (let at = 0; at < parent.length; at++) {
        const above = parent[at] as number;
        const known = this.#children.get(above);
        const before = first.get(above);
        if (known) known.push(at);
        else if (before === undefined) first.set(above, at);
        else this.#children.set(above, [before, at]); // most entries have one behind them, and need no list
      }
    }
    return this.#children.get(parent[position] as number);
  }

  #sizesOf(): Uint32Array {
    if (this.#sizes) return this.#sizes;
    const { parent } = this.#outline;
    const sizes = new Uint32Array(parent.length).fill(1);
    for (let at = parent.length - 1; at >= 0; at--) {
      const above = parent[at] as number;
      if (above >= 0) sizes[above] = (sizes[above] as number) + (sizes[at] as number);
    }
    this.#sizes = sizes;
    return sizes;
  }
}
