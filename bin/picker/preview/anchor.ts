/** Scroll positions in a list of entries that are rendered as they are needed. */

/** Scroll position: the first visible line. */
export interface Anchor {
  /** Index into the shown entries. */
  entry: number;
  /** Index into the entry's rendered lines. */
  offset: number;
}

/** The number of lines of an entry; undefined if it is not rendered yet. */
type CountLines = (entry: number) => number | undefined;

/** The position `by` lines from another one, as far as entries are rendered. @param count number of entries */
export function moveAnchor(from: Anchor, by: number, count: number, countLines: CountLines): Anchor {
  let { entry, offset } = from;
  for (let left = Math.abs(by); left > 0; left--) {
    if (by > 0) {
      const lines = countLines(entry);
      if (lines === undefined) break;
      if (offset + 1 < lines) offset++;
      else if (entry + 1 < count) [entry, offset] = [entry + 1, 0];
      else break;
    } else if (offset > 0) offset--;
    else {
      const before = findBefore(entry, countLines);
      if (!before) break;
      [entry, offset] = [before.entry, before.lines - 1];
    }
  }
  return { entry, offset };
}

/** The nearest entry before another one that has lines, if rendered. */
function findBefore(entry: number, countLines: CountLines): { entry: number; lines: number } | undefined {
  for (let n = entry - 1; n >= 0; n--) {
    const lines = countLines(n);
    if (lines === undefined) return undefined;
    if (lines > 0) return { entry: n, lines };
  }
  return undefined;
}
