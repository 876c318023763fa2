import type { EntryId } from "./entries.ts";

/** What hangs an entry, or a row of one, in the tree of its session. */
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
 * The entries of a session as a tree, in pi's order: children by timestamp; orphans and entries that are their
 * own parent are roots. Where an id stands twice, children hang from the last one. pi loses entries whose
 * parents form a circle; here the first of the circle becomes a root. Not recursive: a chain may be 200,000
 * deep.
 *
 * @param links what hangs each entry in the tree, where something else than the entry tells
 */
export function buildTree<T extends EntryLink>(
  entries: readonly T[],
  links: readonly EntryLink[] = entries,
): TreeNode<T>[] {
  const nodes = entries.map((entry): TreeNode<T> => ({ entry, children: [] }));
  const parents = treeParents(links);

  // One sort for all: most sessions are in order already, and each time is parsed once.
  const times = links.map(timeOf);
  const byTime = [...links.keys()].sort((a, b) => (times[a] as number) - (times[b] as number));
  for (const position of byTime) {
    nodes[parents[position] as number]?.children.push(nodes[position] as TreeNode<T>);
  }
  return nodes.filter((_, position) => parents[position] === NONE);
}

const NONE = -1;

/** For each entry the position of the one it hangs from in the tree, or -1: by the rules of `buildTree`. */
export function treeParents(entries: readonly EntryLink[]): Int32Array {
  const parents = parentPositions(entries);
  for (const position of circleStarts(parents)) parents[position] = NONE;
  return parents;
}

/** For each entry the position of its parent, or -1. */
function parentPositions(entries: readonly EntryLink[]): Int32Array {
  const byId = new Map<EntryId, number>();
  entries.forEach(({ id }, position) => {
    if (id != null) byId.set(id, position);
  });
  return Int32Array.from(entries, ({ id, parentId }) =>
    !parentId || parentId === id ? NONE : (byId.get(parentId) ?? NONE),
  );
}

/** The first entry, in file order, of each circle of parents. */
function circleStarts(parents: Int32Array): number[] {
  const starts: number[] = [];
  const walks = new Int32Array(parents.length).fill(NONE); // which walk first came by
  for (let walk = 0; walk < parents.length; walk++) {
    let position = walk;
    while (position !== NONE && walks[position] === NONE) {
      walks[position] = walk;
      position = parents[position] as number;
    }
    if (position === NONE || walks[position] !== walk) continue;
    let first = position; // this walk met itself: go round once more
    for (let next = parents[position] as number; next !== position; next = parents[next] as number) {
      first = Math.min(first, next);
    }
    starts.push(first);
  }
  return starts;
}

function timeOf(entry: EntryLink): number {
  const { timestamp } = entry;
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : (timestamp ?? Number.NaN);
  return Number.isNaN(time) ? 0 : time;
}

/** Finds entries by id; where an id stands twice the last wins, as in pi. */
export function indexById<T extends EntryLink>(entries: readonly T[]): Map<EntryId, T> {
  const byId = new Map<EntryId, T>();
  for (const entry of entries) if (entry.id != null) byId.set(entry.id, entry);
  return byId;
}

/**
 * The path from the root to `leaf`, both included. Ends at a missing parent, and at an entry it has already
 * passed.
 */
export function pathTo<T extends EntryLink>(leaf: T | undefined, byId: ReadonlyMap<EntryId, T>): T[] {
  const path: T[] = [];
  const passed = new Set<T>();
  let current = leaf;
  while (current && !passed.has(current)) {
    passed.add(current);
    path.push(current);
    // pi follows no falsy parent id, so "" and 0 end a path as null does.
    current = current.parentId ? byId.get(current.parentId) : undefined;
  }
  return path.reverse();
}
