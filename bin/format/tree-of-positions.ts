/**
 * The tree of a session's entries, which are numbers. As objects, 600,000 entries would take 200 MB.
 */
export class TreeOfPositions {
  /** The children of all entries, roots first, then by parent; of one parent in order of time. */
  readonly #children: Int32Array;
  /** Where the children of an entry begin there: at its position + 1, because the roots are at 0. */
  readonly #starts: Int32Array;

  /**
   * @param parents positions; -1 for roots
   * @param times Unix milliseconds; null, which is before all others, if unknown
   */
  constructor(parents: readonly number[], times: readonly (number | null)[]) {
    this.#starts = new Int32Array(parents.length + 2);
    for (const parent of parents) (this.#starts[parent + 2] as number)++;
    for (let n = 1; n < this.#starts.length; n++)
      (this.#starts[n] as number) += this.#starts[n - 1] as number;
    this.#children = new Int32Array(parents.length);
    const next = this.#starts.slice();
    for (const position of byTime(times)) {
      const slot = (parents[position] as number) + 1;
      this.#children[next[slot] as number] = position;
      (next[slot] as number)++;
    }
  }

  roots(): Int32Array {
    return this.childrenOf(-1);
  }

  /** In order of time, or of their positions if they have the same. */
  childrenOf(position: number): Int32Array {
    return this.#children.subarray(this.#starts[position + 1], this.#starts[position + 2]);
  }

  /** All positions, parents before their children. */
  inOrder(): Int32Array {
    const order = new Int32Array(this.#children.length);
    let count = 0;
    for (const root of this.roots()) order[count++] = root;
    for (let at = 0; at < count; at++)
      for (const child of this.childrenOf(order[at] as number)) order[count++] = child;
    return order;
  }
}

function byTime(times: readonly (number | null)[]): Iterable<number> {
  const isSorted = times.every((time, n) => n === 0 || (time ?? 0) >= (times[n - 1] ?? 0));
  // Most sessions are in order already.
  return isSorted ? times.keys() : [...times.keys()].sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
}
