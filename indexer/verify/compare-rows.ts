import { toShownValue } from "./differences.ts";
import type { Difference } from "./verify-answer.ts";

/** A row of a query, its keys first. */
export type Cells = readonly unknown[];

/** A pair of rows that differ. One of them is undefined if the row is only in the other database. */
interface UnequalRows {
  indexed: Cells | undefined;
  expected: Cells | undefined;
}

/** Compares the rows of a table in two databases: one difference per column. */
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

/** The pairs of rows with equal keys that differ, and the rows without a counterpart. */
export function* unequalRows(
  indexed: Iterable<Cells>,
  expected: Iterable<Cells>,
  keys: number,
): Generator<UnequalRows> {
  const [left, right] = restsAfterEqualRows(indexed, expected);
  const toKey = (row: Cells) => JSON.stringify(row.slice(0, keys));
  const byKey = Map.groupBy(right, toKey);
  for (const row of left) {
    const other = byKey.get(toKey(row))?.shift();
    if (!other || !areEqual(row, other)) yield { indexed: row, expected: other };
  }
  for (const row of [...byKey.values()].flat()) yield { indexed: undefined, expected: row };
}

/** The rows of both lists from the first that differ. Usually there are none, and then no list is held in memory. */
function restsAfterEqualRows(indexed: Iterable<Cells>, expected: Iterable<Cells>): [Cells[], Cells[]] {
  const [left, right] = [Iterator.from(indexed), Iterator.from(expected)];
  try {
    for (;;) {
      const [a, b] = [left.next(), right.next()];
      if (!a.done && !b.done && areEqual(a.value, b.value)) continue;
      return [a.done ? [] : [a.value, ...left], b.done ? [] : [b.value, ...right]];
    }
  } finally {
    // An unfinished statement would prevent its database from being closed.
    left.return?.();
    right.return?.();
  }
}

function areEqual(a: Cells, b: Cells): boolean {
  for (let n = 0; n < a.length; n++) if (!isSame(a[n], b[n])) return false;
  return true;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b));
}
