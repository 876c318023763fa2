import { findLastSorted } from "../find-last-sorted.ts";

/** Session fields that ranking uses. */
export interface HitSession {
  name: string | null;
  /** Creation time, in Unix milliseconds. */
  created: number | null;
  /** Line ranges of the current branch, in order. */
  current: [first: number, last: number][];
}

/** Whether a line is on the current branch: in the last range that begins at or before it. */
export function isOnCurrentBranch({ current }: HitSession, line: number): boolean {
  const [, last = -1] = findLastSorted(current, ([first]) => first <= line) ?? [];
  return line <= last;
}
