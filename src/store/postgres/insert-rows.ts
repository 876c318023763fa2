import type { ClientBase } from "pg";
import { type ArrayType, encodeArray } from "./binary-array.ts";

/** A value of a column. */
export type Value = string | number | Buffer | null;

/** Types of columns by name. */
export type Columns = Readonly<Record<string, ArrayType>>;

/** Rows of a table. */
export interface TableRows {
  table: string;
  columns: Columns;
  /** Values in the order of the columns. Texts must not contain NUL: see `toStorable`. */
  rows: readonly (readonly Value[])[];
}

/** Roughly the maximum bytes per statement: PostgreSQL cannot read arrays of more than 1 GB. */
const MAX_BYTES = 16 << 20;

/** Inserts rows. All statements are sent at once. */
export async function insertRows(client: ClientBase, { table, columns, rows }: TableRows): Promise<void> {
  const types = Object.values(columns);
  const arrays = types.map((type, n) => `$${n + 1}::${type}[]`);
  const names = Object.keys(columns).join(", ");
  await Promise.all(
    toBatches(rows).map((batch) =>
      client.query({
        name: `insert ${table}`,
        text: `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays.join(", ")})`,
        values: types.map((type, n) =>
          encodeArray(
            type,
            batch.map((row) => row[n] as Value),
          ),
        ),
      }),
    ),
  );
}

function toBatches(rows: TableRows["rows"]): TableRows["rows"][] {
  const batches: TableRows["rows"][] = [];
  let start = 0;
  let bytes = 0;
  for (const [n, row] of rows.entries()) {
    for (const value of row)
      if (typeof value === "object" || typeof value === "string") bytes += value?.length ?? 0;
    if (bytes < MAX_BYTES && n + 1 < rows.length) continue;
    batches.push(rows.slice(start, n + 1));
    [start, bytes] = [n + 1, 0];
  }
  return batches;
}

/** A text as PostgreSQL can store it: without NUL and lone surrogates, which become U+FFFD. */
export function toStorable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
