/** The layout of a session's tree: a row for each notable entry, and lanes that connect them. */
import { isSummary } from "../../../format/entry-kinds.ts";
import { findLastAtMost, type SessionTree } from "./session-tree.ts";

/** Further parallel branches share the last lane. */
const MAX_LANES = 8;

export interface TreeLayout {
  /** The entries that have a row, in file order. */
  positions: number[];
  /** The lane of each row. */
  lanes: Uint8Array;
  /** Bit sets of the lanes that enter a row from above, and that leave it below. */
  lanesIn: Uint16Array;
  lanesOut: Uint16Array;
  /** Bit set of the lanes that begin at a row. */
  begins: Uint16Array;
  width: number;
}

/** Whether an entry has a row: user messages, branch points, summaries, labels and leaves. */
function isNotable(tree: SessionTree, position: number): boolean {
  if (tree.isInternal(position)) return false;
  const { role, type } = tree.kindAt(position) ?? {};
  if (role === "user" || isSummary(type ?? "")) return true;
  if (tree.labels.has(position) || tree.childCount(position) !== 1) return true;
  return tree.isInternal(tree.children(position)[0] as number);
}

/** A branch, from its branch point to its leaf. */
interface Chain {
  /** Its first and last row. The first is the row of the branch point, if there is one. */
  first: number;
  last: number;
  from: number;
  lane: number;
}

/** @param forkPoints positions that have a row even if they aren't notable */
export function layOutTree(
  tree: SessionTree,
  forkPoints: { has(position: number): boolean } = new Set(),
): TreeLayout {
  const positions: number[] = [];
  /** The chain of each entry. */
  const chainOf = new Int32Array(tree.count).fill(-1);
  const chains: Chain[] = [];
  for (let position = 0; position < tree.count; position++) {
    if (tree.isInternal(position)) continue;
    const parent = tree.parent[position] as number;
    let chain = tree.isMainChild(position) ? (chainOf[parent] as number) : -1;
    if (chain < 0) {
      const from = parent >= 0 ? findLastAtMost(positions, parent) : -1;
      const row = positions.length;
      chain = chains.push({ first: from >= 0 ? from : row, last: row, from, lane: 0 }) - 1;
    }
    chainOf[position] = chain;
    if (!isNotable(tree, position) && !forkPoints.has(position)) continue;
    (chains[chain] as Chain).last = positions.length;
    positions.push(position);
  }
  // The chains of the current branch take the first lane.
  const current = Array.from(tree.pathTo(tree.count - 1), (position) => chainOf[position] as number);
  assignLanes(chains, new Set(current));
  return connectRows(positions, chains, chainOf);
}

/** Assigns the first lane to `current` chains, and the first free one to others. */
function assignLanes(chains: readonly Chain[], current: ReadonlySet<number>): void {
  const busyUntil = new Array<number>(MAX_LANES).fill(-1);
  for (const [index, chain] of chains.entries()) {
    if (current.has(index)) continue; // stays in lane 0
    let lane = 1;
    while (lane < MAX_LANES - 1 && (busyUntil[lane] as number) > chain.first) lane++;
    chain.lane = lane;
    busyUntil[lane] = Math.max(busyUntil[lane] as number, chain.last);
  }
}

function connectRows(positions: number[], chains: readonly Chain[], chainOf: Int32Array): TreeLayout {
  const rows = positions.length;
  const picture: TreeLayout = {
    positions,
    lanes: Uint8Array.from(positions, (position) => chains[chainOf[position] as number]?.lane ?? 0),
    lanesIn: new Uint16Array(rows),
    lanesOut: new Uint16Array(rows),
    begins: new Uint16Array(rows),
    width: 1,
  };
  for (const { first, last, from, lane } of chains) {
    picture.width = Math.max(picture.width, lane + 1);
    const bit = 1 << lane;
    for (let row = first; row < last; row++) {
      if (row === from) picture.begins[row] = (picture.begins[row] as number) | bit;
      else picture.lanesOut[row] = (picture.lanesOut[row] as number) | bit;
      picture.lanesIn[row + 1] = (picture.lanesIn[row + 1] as number) | bit;
    }
  }
  return picture;
}
