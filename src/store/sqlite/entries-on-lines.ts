import { PAGE_SIZE } from "../entry-reads.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import type { Reader } from "./reader.ts";

/**
 * The condition that an entry of a file is on one of some lines. Entries have no index by line, but their positions follow the lines of
 * a file, so in a large one the positions are narrowed down first.
 */
export async function isOnLines(db: Reader, file: number, lines: readonly number[]): Promise<Sql<SqlBool>> {
  const isOnLine = sql<SqlBool>`line IN ${sql.list(lines)}`;
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT (SELECT min(id) FROM entry WHERE file_id = ${file}) AS first,
      (SELECT max(id) FROM entry WHERE file_id = ${file}) AS last`.execute(db);
  const { first = null, last = null } = rows[0] ?? {};
  if (first === null || last === null || last - first < PAGE_SIZE || lines.length === 0) return isOnLine;
  const least = lines.reduce((a, b) => Math.min(a, b));
  const most = lines.reduce((a, b) => Math.max(a, b));
  const from = await findFirstFrom(db, file, least, first, last);
  const to = await findFirstFrom(db, file, most, from, last);
  return sql<SqlBool>`entry.id BETWEEN ${from} AND ${to} AND ${isOnLine}`;
}

/** A position up to which, within two others, there are only entries of a file on earlier lines. */
async function findFirstFrom(
  db: Reader,
  file: number,
  line: number,
  first: number,
  last: number,
): Promise<number> {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // Entries of other files may be between those of this one.
    const { rows } = await sql<{ id: number; line: number }>`
      SELECT id, line FROM entry WHERE file_id = ${file} AND id >= ${middle} ORDER BY id LIMIT 1`.execute(db);
    const next = rows[0];
    if (next && next.line < line) low = next.id + 1;
    else high = middle;
  }
  return low;
}
