import { toShownValue } from "./differences.ts";
import type { Difference } from "./verify-answer.ts";

/** A row of a query, its keys first. */
export type Cells = readonly unknown[];

/** A pair of rows that differ. One of them is undefined if the row is only in the other database. */
interface UnequalRows {
  indexed: Cells | undefined;
  expected: Cells | undefined;
}

/** Compares the rows of a table in two databases: one difference per column. Both must be in the order of `rows.sql`. */
export function* compareRows(
  path: string,
  { table, columns, keys }: { table: string; columns: readonly string[]; keys: number },
  indexed: Iterable<Cells>,
  expected: Iterable<Cells>,
): Generator<Difference> {
  const [lineColumn, offsetColumn] = [columns.indexOf("line"), columns.indexOf("byte_offset")];
  for (const unequal of unequalRows(indexed, expected, keys)) {
    const row = unequal.expected ?? unequal.indexed ?? [];
    const location = {
      path,
      table,
      ...(lineColumn >= 0 && typeof row[lineColumn] === "number" && { line: row[lineColumn] }),
      ...(offsetColumn >= 0 && typeof row[offsetColumn] === "number" && { byteOffset: row[offsetColumn] }),
    };
    if (!unequal.indexed || !unequal.expected) {
      const key = row.slice(0, keys).filter((_, n) => n !== lineColumn);
      const shownKey = key.length > 0 && toShownValue(key.join(" "));
      if (unequal.indexed) yield { ...location, what: "extra", ...(shownKey && { indexed: shownKey }) };
      else yield { ...location, what: "missing", ...(shownKey && { expected: shownKey }) };
      continue;
    }
    for (const [n, column] of columns.entries()) {
      const [a, b] = [unequal.indexed[n], unequal.expected[n]];
      if (isSame(a, b)) continue;
      const values = { indexed: toShownValue(a), expected: toShownValue(b) };
      yield { ...location, what: "differs", column, ...values };
    }
  }
}

/** Merges two ordered lists of rows and yields the pairs that differ. Holds one row of each in memory. */
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
    // An unfinished statement would prevent its database from being closed.
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

/** SQLite's order: null, numbers, text by UTF-8 bytes, blobs. */
function compareCells(a: unknown, b: unknown): number {
  if (a === b) return 0;
  const typeOrder = rankOfType(a) - rankOfType(b);
  if (typeOrder !== 0) return typeOrder;
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
