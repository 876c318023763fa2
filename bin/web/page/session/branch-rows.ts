/** The branch that is shown, as rows: an answer and the results of what it calls are one. */
import { lastAtMost, type SessionTree } from "./session-tree.ts";

export class BranchRows {
  readonly tree: SessionTree;
  /** The positions of the branch's entries, from the root on. */
  readonly path: Int32Array;
  /** Where each row begins in `path`. */
  readonly #starts: number[] = [];

  constructor(tree: SessionTree, leaf: number) {
    this.tree = tree;
    this.path = tree.pathTo(leaf);
    let isInAnswer = false;
    for (const [place, position] of this.path.entries()) {
      const role = tree.kindAt(position)?.role;
      if (role === "toolResult" && isInAnswer) continue;
      this.#starts.push(place);
      isInAnswer = role === "assistant";
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The positions of a row's entries. */
  positions(row: number): Int32Array {
    return this.path.subarray(this.#starts[row], this.#starts[row + 1] ?? this.path.length);
  }

  /** What tells a row from all others, whichever branch is shown. */
  key(row: number): number {
    return this.path[this.#starts[row] as number] as number;
  }

  /** The row of an entry; undefined where it is on another branch. */
  rowOf(position: number): number | undefined {
    // A path mostly goes down the file, but need not.
    let place = lastAtMost(this.path, position);
    if (this.path[place] !== position) place = this.path.indexOf(position);
    return place < 0 ? undefined : lastAtMost(this.#starts, place);
  }

  /** The lines of the rows from one to another, and of as many more as are fetched with them. */
  linesAround(first: number, last: number): number[] {
    const begin = Math.floor((this.#starts[first] ?? 0) / AT_ONCE) * AT_ONCE;
    const end = Math.ceil((this.#starts[last + 1] ?? this.path.length) / AT_ONCE) * AT_ONCE;
    return Array.from(this.path.subarray(begin, end), (position) => this.tree.line[position] as number);
  }

  /** How high a row may be, in pixels, before anybody has seen it. */
  heightOf(row: number): number {
    const positions = this.positions(row);
    const { role, type } = this.tree.kindAt(positions[0] as number) ?? {};
    if (role === "assistant") return 90 + 44 * (positions.length - 1);
    if (role === "user" || type === "compaction") return 110;
    return ["toolResult", "bashExecution", "pythonExecution"].includes(role ?? "") ? 80 : 36;
  }
}

/** Entries are fetched so many at once. */
const AT_ONCE = 60;
