/** The tree of a session as the page keeps it: columns of numbers, however many entries there are. */
import type { OutlineAnswer } from "../../api/session-answers.ts";

type Kind = OutlineAnswer["kinds"][number];

/** A tree never changes: what is new makes another one. */
export class SessionTree {
  /** The same of all trees that went on from one another: another one is of a file that was written anew. */
  readonly origin: object;
  readonly count: number;
  readonly mark: string;
  readonly line: Int32Array;
  /** The position of the entry that each hangs from; -1 for roots. */
  readonly parent: Int32Array;
  /** Unix milliseconds; NaN where none are told. */
  readonly time: Float64Array;
  readonly labels: ReadonlyMap<number, string>;
  /** The last entry that names the file of a subagent's session, by that file. */
  readonly positionOfRun: ReadonlyMap<string, number>;
  readonly #kind: Uint16Array;
  readonly #kinds: readonly Kind[];
  readonly #ends: ReadonlyMap<number, string>;
  /** Where the children of each entry begin in `#children`. */
  readonly #firstChild: Int32Array;
  readonly #children: Int32Array;
  /** 1 where an entry, or one that hangs from it, is more than what a program put there for itself. */
  readonly #isHeard: Uint8Array;
  /** The newest entry of all that hangs from each. */
  readonly #newest: Int32Array;

  /** @param before what `answer` goes on from */
  constructor(answer: OutlineAnswer, before?: SessionTree) {
    const { from, count } = answer;
    this.origin = before && from > 0 ? before.origin : {};
    this.count = count;
    this.mark = answer.mark;
    this.line = grown(new Int32Array(count), before?.line, from);
    this.parent = grown(new Int32Array(count), before?.parent, from);
    this.time = grown(new Float64Array(count), before?.time, from);
    this.#kind = grown(new Uint16Array(count), before ? before.#kind : undefined, from);
    this.#kinds = answer.kinds;
    let line = this.line[from - 1] ?? 0;
    let time = this.time.subarray(0, from).findLast((one) => !Number.isNaN(one)) ?? 0;
    for (let position = from; position < count; position++) {
      const row = position - from;
      line += answer.line[row] as number;
      this.line[position] = line;
      const up = answer.up[row] as number;
      this.parent[position] = up === 0 ? -1 : position - up;
      const after = answer.time[row] ?? null;
      if (after !== null) time += after;
      this.time[position] = after === null ? Number.NaN : time;
      this.#kind[position] = answer.kind[row] as number;
    }
    const ends = answer.ends.flatMap(([position, id]): [number, string][] =>
      id === null ? [] : [[position, String(id)]],
    );
    this.#ends = new Map([...(before && from > 0 ? before.#ends : []), ...ends]);
    this.labels = new Map(answer.labels);
    this.positionOfRun = new Map(answer.runs.map(([position, path]) => [path, position]));
    [this.#firstChild, this.#children] = childrenOf(this.parent);
    this.#newest = newestOf(this.parent);
    this.#isHeard = new Uint8Array(count);
    for (let from = 0; from < count; from++) {
      if (this.kindAt(from)?.type === "custom" && !this.labels.has(from)) continue;
      for (let position = from; position >= 0 && !this.#isHeard[position]; )
        [this.#isHeard[position], position] = [1, this.parent[position] as number];
    }
  }

  kindAt(position: number): Kind | undefined {
    return this.#kinds[this.#kind[position] as number];
  }

  children(position: number): Int32Array {
    return this.#children.subarray(this.#firstChild[position], this.#firstChild[position + 1]);
  }

  childCount(position: number): number {
    return (this.#firstChild[position + 1] as number) - (this.#firstChild[position] as number);
  }

  /** The entry on a line of the file, or the last one before it. */
  atLine(line: number): number | undefined {
    const position = lastAtMost(this.line, line);
    return position < 0 ? undefined : position;
  }

  /** The end of the newest branch that goes through an entry. */
  endFrom(position: number): number {
    let end = this.#newest[position] as number;
    while (this.childCount(end) > 0) end = this.children(end).at(-1) as number;
    return end;
  }

  /** The id by which an end can be named. */
  endId(position: number): string | undefined {
    return this.#ends.get(position);
  }

  /** Which of the entries that hang from one leads to the newest of all. */
  mainChild(position: number): number {
    let main = -1;
    for (const child of this.children(position))
      if (main < 0 || (this.#newest[child] as number) > (this.#newest[main] as number)) main = child;
    return main;
  }

  /**
   * Whether it is what a program put beside the session for itself (that it was pinned, the state of an extension), and so is
   * all that hangs from it: nobody looks for it in a tree.
   */
  isQuiet(position: number): boolean {
    return this.#isHeard[position] === 0;
  }

  /** The positions from the root to an entry. */
  pathTo(leaf: number): Int32Array {
    const path: number[] = [];
    for (let position = leaf; position >= 0; position = this.parent[position] as number) path.push(position);
    return Int32Array.from(path.reverse());
  }
}

/** The position of the last of ascending numbers that is at most `value`; -1 for none. */
export function lastAtMost(numbers: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function grown<T extends Int32Array | Float64Array | Uint16Array>(
  into: T,
  before: T | undefined,
  from: number,
): T {
  if (before && from > 0) into.set(before.subarray(0, from));
  return into;
}

function childrenOf(parent: Int32Array): [first: Int32Array, children: Int32Array] {
  const first = new Int32Array(parent.length + 1);
  for (const position of parent) if (position >= 0) first[position + 1] = (first[position + 1] as number) + 1;
  for (let position = 0; position < parent.length; position++)
    first[position + 1] = (first[position + 1] as number) + (first[position] as number);
  const next = first.slice();
  const children = new Int32Array(first[parent.length] as number);
  for (const [position, above] of parent.entries()) {
    if (above < 0) continue;
    const place = next[above] as number;
    children[place] = position;
    next[above] = place + 1;
  }
  return [first, children];
}

function newestOf(parent: Int32Array): Int32Array {
  const newest = Int32Array.from(parent, (_, position) => position);
  for (let position = parent.length - 1; position >= 0; position--) {
    const above = parent[position] as number;
    if (above >= 0) newest[above] = Math.max(newest[above] as number, newest[position] as number);
  }
  return newest;
}
