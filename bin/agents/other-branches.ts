/** The points where other branches leave the branch being read: they hold abandoned attempts. */
import type { EntryId, Outline } from "../../library/index.ts";
import { groupByParent } from "./branch.ts";

/** Entry types with readable text. A branch may begin with entries of other types. */
const READABLE_TYPES = new Set([
  "message",
  "custom_message",
  "compaction",
  "branch_summary",
  "session_summary",
]);
/** Maximum number of branches reported per branch point, the latest ones. */
const MAX_BRANCHES = 3;

/** A branch other than the one being read, identified by its first entry. */
export interface OtherBranch {
  entryId: EntryId | null;
  line: number;
  /** Number of entries below and including the first, over all its sub-branches. */
  entries: number;
}

/** The other branches of one outline. The tree is examined once, on first use. */
export class OtherBranches {
  readonly #outline: Outline;
  /** Children by parent, if there are several: most entries have one child and need no list. */
  #siblings: Map<number, number[]> | undefined;
  #sizes: Uint32Array | undefined;

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  /** Returns the branches that replace the entry, or one of the unreadable entries right above it. */
  findReplacing(position: number): OtherBranch[] {
    const { parent, id, line, kind, kinds } = this.#outline;
    this.#siblings ??= new Map([...groupByParent(this.#outline)].filter(([, { length }]) => length > 1));
    const others: number[] = [];
    for (let at = position; at >= 0; at = parent[at] as number) {
      const siblings = this.#siblings.get(parent[at] as number) ?? [];
      others.push(...siblings.filter((sibling) => sibling !== at));
      const above = kinds[kind[parent[at] as number] as number];
      if (!above || READABLE_TYPES.has(above.type)) break;
    }
    return others
      .sort((a, b) => a - b)
      .slice(-MAX_BRANCHES)
      .map((at) => ({
        entryId: id[at] ?? null,
        line: line[at] as number,
        entries: this.#countEntries()[at] as number,
      }));
  }

  #countEntries(): Uint32Array {
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
