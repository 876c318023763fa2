/** The displayed branch as rows: an assistant message and its tool results form one row. */
import { findLastAtMost, type SessionTree } from "./session-tree.ts";

export class BranchRows {
  readonly tree: SessionTree;
  /** The positions of the branch's entries, from the root to the leaf. */
  readonly path: Int32Array;
  /** The start of each row in `path`. */
  readonly #starts: number[] = [];

  constructor(tree: SessionTree, leaf: number) {
    this.tree = tree;
    this.path = tree.pathTo(leaf);
    let isAfterCall = false;
    for (const [index, position] of this.path.entries()) {
      const role = tree.kindAt(position)?.role;
      if (role === "toolResult" && isAfterCall) continue;
      this.#starts.push(index);
      isAfterCall = role === "assistant";
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The positions of a row's entries. */
  positions(row: number): Int32Array {
    return this.path.subarray(this.#starts[row], this.#starts[row + 1] ?? this.path.length);
  }

  /** The kind of a row's first entry. */
  kind(row: number): ReturnType<SessionTree["kindAt"]> {
    return this.tree.kindAt(this.key(row));
  }

  /** The kinds of a row's entries. */
  kinds(row: number): NonNullable<ReturnType<SessionTree["kindAt"]>>[] {
    return Array.from(this.positions(row)).flatMap((position) => this.tree.kindAt(position) ?? []);
  }

  /** A key for a row that is the same on every branch. */
  key(row: number): number {
    return this.path[this.#starts[row] as number] as number;
  }

  /** The row of an entry; undefined if it is on another branch. */
  findRow(position: number): number | undefined {
    // A path is usually in file order, but need not be.
    let index = findLastAtMost(this.path, position);
    if (this.path[index] !== position) index = this.path.indexOf(position);
    return index < 0 ? undefined : findLastAtMost(this.#starts, index);
  }

  /** The lines of a range of rows, extended to whole batches. */
  listBatchLines(first: number, last: number): number[] {
    const start = Math.floor((this.#starts[first] ?? 0) / BATCH_SIZE) * BATCH_SIZE;
    const end = Math.ceil((this.#starts[last + 1] ?? this.path.length) / BATCH_SIZE) * BATCH_SIZE;
    return Array.from(this.path.subarray(start, end), (position) => this.tree.line[position] as number);
  }

  /** An estimate of a row's height in pixels, until it is measured. */
  estimateHeight(row: number): number {
    const positions = this.positions(row);
    const { role, type } = this.tree.kindAt(positions[0] as number) ?? {};
    if (role === "assistant") return 90 + 44 * (positions.length - 1);
    if (role === "user" || type === "compaction") return 110;
    return ["toolResult", "bashExecution", "pythonExecution"].includes(role ?? "") ? 80 : 36;
  }
}

/** Entries per batch. */
const BATCH_SIZE = 60;
