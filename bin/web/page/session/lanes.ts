/** The tree of a session as a picture: a row for each entry that one looks for, and the lanes that lead from one to the next. */
import { isSummary } from "../../../format/entry-kinds.ts";
import { lastAtMost, type SessionTree } from "./session-tree.ts";

/** More branches than this at one time share the last lane. */
export const MOST_LANES = 8;

export interface Picture {
  /** The entries that have a row, in file order. */
  positions: number[];
  /** The lane in which each of them stands. */
  lanes: Uint8Array;
  /** Lanes, as bits, that come into a row from the one above, and that go on to the one below. */
  into: Uint16Array;
  onward: Uint16Array;
  /** Lanes, as bits, that begin at a row's entry. */
  begins: Uint16Array;
  width: number;
}

/** Of no entry it is said that it is to have a row. */
const NONE: { has(position: number): boolean } = new Set();

/** Entries that one looks for in a tree: what people said, where it branches, summaries, labels, ends. */
export function isNotable(tree: SessionTree, position: number): boolean {
  if (tree.isQuiet(position)) return false;
  const { role, type } = tree.kindAt(position) ?? {};
  if (role === "user" || isSummary(type ?? "")) return true;
  if (tree.labels.has(position) || tree.childCount(position) !== 1) return true;
  return tree.isQuiet(tree.children(position)[0] as number);
}

/** A branch from where it leaves another one to its end. */
interface Chain {
  /** Its first and last row in the picture; the first is that of the entry it leaves, where there is one. */
  first: number;
  last: number;
  from: number;
  lane: number;
}

/** @param also entries that have a row too, for what is told beside them */
export function pictureOf(tree: SessionTree, also = NONE): Picture {
  const positions: number[] = [];
  /** The chain that each entry is part of. */
  const chainOf = new Int32Array(tree.count).fill(-1);
  const chains: Chain[] = [];
  const mainOf = new Int32Array(tree.count).fill(-1);
  for (let position = 0; position < tree.count; position++)
    if (tree.childCount(position) > 0) mainOf[position] = tree.mainChild(position);
  for (let position = 0; position < tree.count; position++) {
    if (tree.isQuiet(position)) continue;
    const parent = tree.parent[position] as number;
    let chain = parent >= 0 && mainOf[parent] === position ? (chainOf[parent] as number) : -1;
    if (chain < 0) {
      const from = parent >= 0 ? lastAtMost(positions, parent) : -1;
      chain =
        chains.push({ first: from >= 0 ? from : positions.length, last: positions.length, from, lane: 0 }) -
        1;
    }
    chainOf[position] = chain;
    if (!isNotable(tree, position) && !also.has(position)) continue;
    (chains[chain] as Chain).last = positions.length;
    positions.push(position);
  }
  giveLanes(chains, mainChains(tree, chainOf));
  return drawn(positions, chains, chainOf);
}

/** The chains of the branch that is the session's current one keep to the first lane, as far as they can. */
function mainChains(tree: SessionTree, chainOf: Int32Array): Set<number> {
  let position = tree.count - 1;
  const chains = new Set<number>();
  while (position >= 0) {
    chains.add(chainOf[position] as number);
    position = tree.parent[position] as number;
  }
  return chains;
}

function giveLanes(chains: Chain[], main: ReadonlySet<number>): void {
  const busyUntil = new Array<number>(MOST_LANES).fill(-1);
  for (const [number, chain] of chains.entries()) {
    if (main.has(number)) {
      chain.lane = 0;
      busyUntil[0] = Math.max(busyUntil[0] as number, chain.last);
      continue;
    }
    let lane = 1;
    while (lane < MOST_LANES - 1 && (busyUntil[lane] as number) > chain.first) lane++;
    chain.lane = lane;
    busyUntil[lane] = Math.max(busyUntil[lane] as number, chain.last);
  }
}

function drawn(positions: number[], chains: readonly Chain[], chainOf: Int32Array): Picture {
  const rows = positions.length;
  const picture: Picture = {
    positions,
    lanes: Uint8Array.from(positions, (position) => chains[chainOf[position] as number]?.lane ?? 0),
    into: new Uint16Array(rows),
    onward: new Uint16Array(rows),
    begins: new Uint16Array(rows),
    width: 1,
  };
  for (const { first, last, from, lane } of chains) {
    picture.width = Math.max(picture.width, lane + 1);
    const bit = 1 << lane;
    for (let row = first; row < last; row++) {
      if (row === from) picture.begins[row] = (picture.begins[row] as number) | bit;
      else picture.onward[row] = (picture.onward[row] as number) | bit;
      picture.into[row + 1] = (picture.into[row + 1] as number) | bit;
    }
  }
  return picture;
}
