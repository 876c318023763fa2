import { type Difference, shownValue } from "./differences.ts";

/** A row as SQL gives it, its keys first. */
export type Cells = readonly unknown[];

/** Rows that are not the same on both sides. One of them is undefined where it has no other. */
interface UnequalRows {
  indexed: Cells | undefined;
  expected: Cells | undefined;
}

/** What differs between the rows of a table in two databases: one difference for each column. Both must come in the order of `rows.sql`. */
export function* compareRows(
  path: string,
  { table, columns, keys }: { table: string; columns: readonly string[]; keys: number },
  indexed: Iterable<Cells>,
  expected: Iterable<Cells>,
): Generator<Difference> {
  const [lineAt, offsetAt] = [columns.indexOf("line"), columns.indexOf("byte_offset")];
  for (const unequal of unequalRows(indexed, expected, keys)) {
    const row = unequal.expected ?? unequal.indexed ?? [];
    const location = {
      path,
      table,
      ...(lineAt >= 0 && typeof row[lineAt] === "number" && { line: row[lineAt] }),
      ...(offsetAt >= 0 && typeof row[offsetAt] === "number" && { byteOffset: row[offsetAt] }),
    };
    if (!unequal.indexed || !unequal.expected) {
      const key = row.slice(0, keys).filter((_, n) => n !== lineAt);
      const named = key.length > 0 && shownValue(key.join(" "));
      if (unequal.indexed) yield { ...location, what: "extra", ...(named && { indexed: named }) };
      else yield { ...location, what: "missing", ...(named && { expected: named }) };
      continue;
    }
    for (const [n, column] of columns.entries()) {
      const [a, b] = [unequal.indexed[n], unequal.expected[n]];
      if (isSame(a, b)) continue;
      const values = { indexed: shownValue(a), expected: shownValue(b) };
      yield { ...location, what: "differs", column, ...values };
    }
  }
}

/** Merges two ordered lists of rows, and gives those that are not the same. Holds one row of each at a time. */
export function* unequalRows(
  indexed: Iterable<Cells>,
  expected: Iterable<Cells>,
  keys: number,
): Generator<UnequalRows> {
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

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b));
}

export function compareKeys(a: Cells, b: Cells, keys: number): number {
  for (let n = 0; n < keys; n++) {
    const order = compareCells(a[n], b[n]);
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of SQLite: null, numbers, text by its UTF-8 bytes, blobs. */
function compareCells(a: unknown, b: unknown): number {
  if (a === b) return 0;
  const kinds = rankOfType(a) - rankOfType(b);
  if (kinds !== 0) return kinds;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return Buffer.compare(toBytes(a), toBytes(b));
}

function rankOfType(cell: unknown): number {
  if (cell === null) return 0;
  if (typeof cell === "number") return 1;
  return typeof cell === "string" ? 2 : 3;
}

function toBytes(cell: unknown): Buffer {
  return Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell));
}
