/** The tree of a session in memory, as columns of numbers, which stays small for any number of entries. */
import { isHousekeeping } from "../../../format/entry-kinds.ts";
import type { OutlineAnswer } from "../../api/session-answers.ts";

type Kind = OutlineAnswer["kinds"][number];

/** An immutable tree. New entries make a new tree. */
export class SessionTree {
  /** Identical for trees that extend one another. It changes when the file is rewritten. */
  readonly origin: object;
  readonly count: number;
  readonly mark: string;
  readonly line: Int32Array;
  /** The position of each entry's parent; -1 for roots. */
  readonly parent: Int32Array;
  /** Unix milliseconds; NaN if an entry has no time. */
  readonly time: Float64Array;
  /** Millionths of a US dollar that each entry's model response cost; 0 for other entries. */
  readonly cost: Float64Array;
  readonly labels: ReadonlyMap<number, string>;
  /** The position of the last entry that names a subagent's session file, by file. */
  readonly positionByRunFile: ReadonlyMap<string, number>;
  readonly #kind: Uint16Array;
  readonly #kinds: readonly Kind[];
  readonly #ends: ReadonlyMap<number, string>;
  /** The start of each entry's children in `#children`. */
  readonly #firstChild: Int32Array;
  readonly #children: Int32Array;
  /** 1 if an entry or one of its descendants is more than housekeeping. */
  readonly #isVisible: Uint8Array;
  /** The newest descendant of each entry, or the entry itself. */
  readonly #newest: Int32Array;

  /** @param before the tree that `answer` extends */
  constructor(answer: OutlineAnswer, before?: SessionTree) {
    const { from, count } = answer;
    this.origin = before?.origin ?? {};
    this.count = count;
    this.mark = answer.mark;
    this.line = new Int32Array(count);
    this.parent = new Int32Array(count);
    this.time = new Float64Array(count);
    this.cost = new Float64Array(count);
    this.#kind = new Uint16Array(count);
    if (before) {
      this.line.set(before.line.subarray(0, from));
      this.parent.set(before.parent.subarray(0, from));
      this.time.set(before.time.subarray(0, from));
      this.cost.set(before.cost.subarray(0, from));
      this.#kind.set(before.#kind.subarray(0, from));
    }
    this.cost.set(answer.cost, from);
    this.#kinds = answer.kinds;
    let line = this.line[from - 1] ?? 0;
    let time = this.time.subarray(0, from).findLast((value) => !Number.isNaN(value)) ?? 0;
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
    const ends = answer.ends.flatMap(([position, id]) =>
      id === null ? [] : [[position, String(id)] as const],
    );
    this.#ends = new Map([...(before ? before.#ends : []), ...ends]);
    this.labels = new Map(answer.labels);
    this.positionByRunFile = new Map(answer.runs.map(([position, path]) => [path, position]));
    [this.#firstChild, this.#children] = childrenOf(this.parent);
    this.#newest = newestOf(this.parent);
    this.#isVisible = new Uint8Array(count);
    for (let from = 0; from < count; from++) {
      if (isHousekeeping(this.kindAt(from)?.type ?? "") && !this.labels.has(from)) continue;
      for (let position = from; position >= 0 && !this.#isVisible[position]; )
        [this.#isVisible[position], position] = [1, this.parent[position] as number];
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

  /** The entry on a line of the file, or the closest one before it. */
  findByLine(line: number): number | undefined {
    const position = findLastAtMost(this.line, line);
    return position < 0 ? undefined : position;
  }

  /** The leaf of the newest branch through an entry. */
  newestLeafFrom(position: number): number {
    let end = this.#newest[position] as number;
    while (this.childCount(end) > 0) end = this.children(end).at(-1) as number;
    return end;
  }

  /** The id of a leaf. */
  leafId(position: number): string | undefined {
    return this.#ends.get(position);
  }

  /** Whether an entry leads to the newest descendant of its parent. */
  isMainChild(position: number): boolean {
    return this.#newest[position] === this.#newest[this.parent[position] as number];
  }

  /**
   * Whether an entry and all its descendants are housekeeping, such as a name, a pin or the state of an extension. The tree hides
   * them.
   */
  isInternal(position: number): boolean {
    return this.#isVisible[position] === 0;
  }

  /** The positions from the root to an entry. */
  pathTo(leaf: number): Int32Array {
    const path: number[] = [];
    for (let position = leaf; position >= 0; position = this.parent[position] as number) path.push(position);
    return Int32Array.from(path.reverse());
  }
}

/** The index of the last number that is at most `value`, in ascending numbers; -1 if there is none. */
export function findLastAtMost(numbers: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function childrenOf(parent: Int32Array): [first: Int32Array, children: Int32Array] {
  const first = new Int32Array(parent.length + 1);
  for (const position of parent) if (position >= 0) first[position + 1] = (first[position + 1] as number) + 1;
  for (let position = 0; position < parent.length; position++)
    first[position + 1] = (first[position + 1] as number) + (first[position] as number);
  const next = first.slice();
  const children = new Int32Array(first[parent.length] as number);
  for (const [position, parentPosition] of parent.entries()) {
    if (parentPosition < 0) continue;
    const index = next[parentPosition] as number;
    children[index] = position;
    next[parentPosition] = index + 1;
  }
  return [first, children];
}

function newestOf(parent: Int32Array): Int32Array {
  const newest = Int32Array.from(parent, (_, position) => position);
  for (let position = parent.length - 1; position >= 0; position--) {
    const parentPosition = parent[position] as number;
    if (parentPosition >= 0)
      newest[parentPosition] = Math.max(newest[parentPosition] as number, newest[position] as number);
  }
  return newest;
}
