/** A row as SQL gives it, what it is known by first. */
export type Cells = readonly unknown[];

/** Rows that are not the same on both sides. One of them is undefined where it has no other. */
export interface Unequal {
  indexed: Cells | undefined;
  expected: Cells | undefined;
}

/**
 * Goes through two lists of rows side by side, and gives what differs. Both must come ordered by their first `keys`
 * columns, as SQLite orders. Holds one row of each at a time.
 */
export function* compareRows(
  indexed: Iterable<Cells>,
  expected: Iterable<Cells>,
  keys: number,
): Generator<Unequal> {
  const [left, right] = [indexed[Symbol.iterator](), expected[Symbol.iterator]()];
  try {
    let [a, b] = [next(left), next(right)];
    while (a || b) {
      const order = !a ? 1 : !b ? -1 : compareKeys(a, b, keys);
      if (order < 0) yield { indexed: a, expected: undefined };
      else if (order > 0) yield { indexed: undefined, expected: b };
      else if (a && b && !areEqual(a, b)) yield { indexed: a, expected: b };
      if (order <= 0) a = next(left);
      if (order >= 0) b = next(right);
    }
  } finally {
    // A statement that is not run to its end keeps its database from being closed.
    left.return?.();
    right.return?.();
  }
}

function next(rows: Iterator<Cells>): Cells | undefined {
  const { done, value } = rows.next();
  return done ? undefined : value;
}

function areEqual(a: Cells, b: Cells): boolean {
  for (let n = 0; n < a.length; n++) if (!isSame(a[n], b[n])) return false;
  return true;
}

/** Whether two cells hold the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b));
}

export function compareKeys(a: Cells, b: Cells, keys: number): number {
  for (let n = 0; n < keys; n++) {
    const order = compareCells(a[n], b[n]);
    if (order !== 0) return order;
  }
  return 0;
}

/** As SQLite orders: nothing, numbers, text by its UTF-8 bytes, bytes. */
function compareCells(a: unknown, b: unknown): number {
  if (a === b) return 0;
  const kinds = kindOf(a) - kindOf(b);
  if (kinds !== 0) return kinds;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return Buffer.compare(bytesOf(a), bytesOf(b));
}

function kindOf(cell: unknown): number {
  if (cell === null) return 0;
  if (typeof cell === "number") return 1;
  return typeof cell === "string" ? 2 : 3;
}

function bytesOf(cell: unknown): Buffer {
  return Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell));
}
