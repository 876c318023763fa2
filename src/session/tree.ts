import type { EntryId } from "./entries.ts";

/** The fields that place an entry, or its row, in the tree of its session. */
export interface EntryLink {
  id?: EntryId | null;
  parentId?: EntryId | null;
  /** ISO time or Unix milliseconds. */
  timestamp?: string | number | null;
}

export interface TreeNode<T> {
  entry: T;
  children: TreeNode<T>[];
}

/**
 * Builds the tree of a session's entries in pi's order: children by timestamp; orphans and entries that are their own parent are
 * roots. If an id occurs twice, children belong to the last one. pi drops entries with a cycle of parents; here the first entry of
 * the cycle is a root. Not recursive, because a chain may be 200,000 deep.
 *
 * @param links position of each entry in the tree, if it is not in the entry itself
 */
export function buildTree<T extends EntryLink>(
  entries: readonly T[],
  links: readonly EntryLink[] = entries,
): TreeNode<T>[] {
  const nodes = entries.map((entry): TreeNode<T> => ({ entry, children: [] }));
  const tree = new TreeParents();
  for (const link of links) tree.add(link);
  const parents = tree.toArray();

  // One sort for all entries: each time is parsed once, and most sessions are already in order.
  const times = links.map(toTime);
  const byTime = [...links.keys()].sort((a, b) => (times[a] as number) - (times[b] as number));
  for (const position of byTime) {
    nodes[parents[position] as number]?.children.push(nodes[position] as TreeNode<T>);
  }
  return nodes.filter((_, position) => parents[position] === NONE);
}

const NONE = -1;

/** Finds the parents of entries that are added in file order. */
export class TreeParents {
  readonly #byId = new Map<EntryId, number>();
  readonly #parentIds: (EntryId | null)[] = [];

  add({ id, parentId }: EntryLink): void {
    if (id != null) this.#byId.set(id, this.#parentIds.length);
    this.#parentIds.push(!parentId || parentId === id ? null : parentId);
  }

  /** For each entry, the index of its parent in the tree of `buildTree`, or -1 for a root. */
  toArray(): number[] {
    const parents = this.#parentIds.map((id) => (id === null ? NONE : (this.#byId.get(id) ?? NONE)));
    for (const position of findCycleStarts(parents)) parents[position] = NONE;
    return parents;
  }
}

/** The first entry, in file order, of each cycle of parents. */
function findCycleStarts(parents: readonly number[]): number[] {
  const starts: number[] = [];
  const walks = new Int32Array(parents.length).fill(NONE); // the walk that first visited each entry
  for (let walk = 0; walk < parents.length; walk++) {
    let position = walk;
    while (position !== NONE && walks[position] === NONE) {
      walks[position] = walk;
      position = parents[position] as number;
    }
    if (position === NONE || walks[position] !== walk) continue;
    let first = position; // a cycle: go around once more
    for (let next = parents[position] as number; next !== position; next = parents[next] as number) {
      first = Math.min(first, next);
    }
    starts.push(first);
  }
  return starts;
}

function toTime(entry: EntryLink): number {
  const { timestamp } = entry;
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : (timestamp ?? Number.NaN);
  return Number.isNaN(time) ? 0 : time;
}

/** Maps entries by id. If an id occurs twice, the last wins, as in pi. */
export function indexById<T extends EntryLink>(entries: readonly T[]): Map<EntryId, T> {
  const byId = new Map<EntryId, T>();
  for (const entry of entries) if (entry.id != null) byId.set(entry.id, entry);
  return byId;
}

/**
 * The path from the root to `leaf`, both included. Stops at a missing parent or a cycle.
 */
export function pathTo<T extends EntryLink>(leaf: T | undefined, byId: ReadonlyMap<EntryId, T>): T[] {
  const path: T[] = [];
  const visited = new Set<T>();
  let current = leaf;
  while (current && !visited.has(current)) {
    visited.add(current);
    path.push(current);
    // As in pi, any falsy parent id ends the path: "" and 0 too.
    current = current.parentId ? byId.get(current.parentId) : undefined;
  }
  return path.reverse();
}
