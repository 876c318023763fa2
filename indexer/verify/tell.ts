import { isSame, type Unequal } from "./compare-rows.ts";
import { type Difference, told } from "./differences.ts";
import type { FileRows } from "./tables.ts";

/** Rows that are not equal, as differences: one for each column. */
export function* tell(
  path: string,
  { table, columns, keys: known }: Pick<FileRows, "table" | "columns" | "keys">,
  pairs: Iterable<Unequal>,
): Generator<Difference> {
  const [lineAt, offsetAt] = [columns.indexOf("line"), columns.indexOf("byte_offset")];
  for (const { indexed, expected } of pairs) {
    const row = expected ?? indexed ?? [];
    const place = {
      path,
      table,
      ...(lineAt >= 0 && typeof row[lineAt] === "number" && { line: row[lineAt] }),
      ...(offsetAt >= 0 && typeof row[offsetAt] === "number" && { byteOffset: row[offsetAt] }),
    };
    if (!indexed || !expected) {
      const keys = row.slice(0, known).filter((_, n) => n !== lineAt);
      const named = keys.length > 0 && told(keys.join(" "));
      if (indexed) yield { ...place, what: "extra", ...(named && { indexed: named }) };
      else yield { ...place, what: "missing", ...(named && { expected: named }) };
      continue;
    }
    for (const [n, column] of columns.entries()) {
      if (isSame(indexed[n], expected[n])) continue;
      yield { ...place, what: "differs", column, indexed: told(indexed[n]), expected: told(expected[n]) };
    }
  }
}
