/** A branch of a session by the positions of its entries in the outline: of 70,000 entries, no object is made. */
import { type EntryId, type Outline, PidexError } from "../../library/index.ts";

export interface Branch {
  /** Positions in the outline, from the root on. */
  positions: number[];
  /** The id of its last entry. */
  leaf: EntryId | null;
}

/** The branch that ends with an entry, or the current one. @throws PidexError `NOT_FOUND` */
export function branchTo(outline: Outline, leaf: EntryId | undefined): Branch {
  const last = leaf === undefined ? outline.id.length - 1 : positionOf(outline, leaf);
  const positions: number[] = [];
  for (let at = last; at >= 0; at = outline.parent[at] as number) positions.push(at);
  return { positions: positions.reverse(), leaf: outline.id[last] ?? null };
}

/** The branch that an entry is on: the current one if that is so, else the one that was gone on with last. */
export function branchThrough(outline: Outline, position: number): Branch {
  const current = branchTo(outline, undefined);
  if (current.positions.includes(position)) return current;
  const isBehind = new Uint8Array(outline.parent.length);
  isBehind[position] = 1;
  let last = position;
  for (let at = position + 1; at < outline.parent.length; at++) {
    const parent = outline.parent[at] as number;
    if (parent >= 0 && isBehind[parent]) {
      isBehind[at] = 1;
      last = at;
    }
  }
  const positions: number[] = [];
  for (let at = last; at >= 0; at = outline.parent[at] as number) positions.push(at);
  return { positions: positions.reverse(), leaf: outline.id[last] ?? null };
}

/** Where an entry is: the last, where an id stands twice. What is written as text may be a number there. @throws PidexError `NOT_FOUND` */
export function positionOf({ id }: Outline, entryId: EntryId): number {
  const wanted = String(entryId);
  const position = id.findLastIndex((one) => one !== null && String(one) === wanted);
  if (position < 0) {
    throw new PidexError(
      "NOT_FOUND",
      `the session has no entry ${wanted}`,
      "Take an id from a search, or from the session's outline.",
    );
  }
  return position;
}

/** The entry on a line of the file. @throws PidexError `NOT_FOUND` */
export function positionOnLine({ line }: Outline, wanted: number): number {
  const position = line.indexOf(wanted);
  if (position < 0) {
    throw new PidexError(
      "NOT_FOUND",
      `the session has no entry on line ${wanted}`,
      "Lines count from 1, and the first is the header: take one from a search.",
    );
  }
  return position;
}
