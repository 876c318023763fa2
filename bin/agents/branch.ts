/** A branch of a session as positions in its outline, so that a session of 70,000 entries needs no object per entry. */
import { type EntryId, type Outline, PidexError } from "../../library/index.ts";

export interface Branch {
  /** Positions in the outline, root first. */
  positions: number[];
  /** The id of its last entry. */
  leaf: EntryId | null;
}

/** Returns the branch that ends at the entry, by default the current branch. @throws PidexError `NOT_FOUND` */
export function getBranchTo(outline: Outline, leaf: EntryId | undefined): Branch {
  return toBranch(outline, leaf === undefined ? outline.id.length - 1 : findEntryPosition(outline, leaf));
}

/** Returns a branch that contains the entry: the current one if possible, otherwise the one continued most recently. */
export function getBranchThrough(outline: Outline, position: number): Branch {
  const current = getBranchTo(outline, undefined);
  if (current.positions.includes(position)) return current;
  const isDescendant = new Uint8Array(outline.parent.length);
  isDescendant[position] = 1;
  let last = position;
  for (let at = position + 1; at < outline.parent.length; at++) {
    const parent = outline.parent[at] as number;
    if (parent >= 0 && isDescendant[parent]) {
      isDescendant[at] = 1;
      last = at;
    }
  }
  return toBranch(outline, last);
}

function toBranch({ parent, id }: Outline, last: number): Branch {
  const positions: number[] = [];
  for (let at = last; at >= 0; at = parent[at] as number) positions.push(at);
  return { positions: positions.reverse(), leaf: id[last] ?? null };
}

/** Returns the positions of the children of each entry, in file order. Roots are the children of -1. */
export function groupByParent({ parent }: Outline): Map<number, number[]> {
  return Map.groupBy(parent.keys(), (position) => parent[position] as number);
}

/** Returns the position of an entry, the last one if its id occurs twice. Ids are compared as text, because a file may hold numbers. @throws PidexError `NOT_FOUND` */
export function findEntryPosition({ id }: Outline, entryId: EntryId): number {
  const text = String(entryId);
  const position = id.findLastIndex((candidate) => candidate !== null && String(candidate) === text);
  if (position >= 0) return position;
  throw new PidexError(
    "NOT_FOUND",
    `the session has no entry "${text}"`,
    "Use an entry id from a search or from the session's outline.",
  );
}

/** Returns the position of the entry on a line of the file, counted from 1. @throws PidexError `NOT_FOUND` */
export function findLinePosition({ line }: Outline, lineNumber: number): number {
  const position = line.indexOf(lineNumber);
  if (position >= 0) return position;
  throw new PidexError(
    "NOT_FOUND",
    `the session has no entry on line ${lineNumber}`,
    "Lines count from 1, and line 1 is the header. Use a line number from a search.",
  );
}
