import type { Reader } from "../../src/store/sqlite/reader.ts";
import { sql } from "../../src/store/sqlite/sql.ts";

/** What hits take from their session. */
export interface HitFile {
  name: string | null;
  /** When it was begun, in Unix milliseconds. */
  created: number | null;
  /** The lines on its current branch: first and last of each range, in order. */
  current: [first: number, last: number][];
}

/** What is to be known of the files of hits, each asked for once: a thousand hits stand in a few hundred files. */
export async function hitFiles(db: Reader, fileIds: Iterable<number>): Promise<Map<number, HitFile>> {
  const { rows } = await sql<Row>`
    SELECT session.file_id, session.name, session.created, current_range.first_line, current_range.last_line
    FROM json_each(${JSON.stringify([...fileIds])}) AS given
      CROSS JOIN session ON session.file_id = given.value
      LEFT JOIN current_range ON current_range.file_id = session.file_id
    ORDER BY given.key, current_range.first_line`.execute(db);
  const files = new Map<number, HitFile>();
  for (const { file_id, name, created, first_line, last_line } of rows) {
    const file: HitFile = files.get(file_id) ?? { name, created, current: [] };
    files.set(file_id, file);
    if (first_line !== null && last_line !== null) file.current.push([first_line, last_line]);
  }
  return files;
}

interface Row extends Pick<HitFile, "name" | "created"> {
  file_id: number;
  first_line: number | null;
  last_line: number | null;
}

/** Whether a line is on the current branch: in the last range that begins before it. */
export function isOnCurrentBranch({ current }: HitFile, line: number): boolean {
  let from = 0;
  let to = current.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((current[middle]?.[0] as number) <= line) from = middle + 1;
    else to = middle;
  }
  return line <= (current[from - 1]?.[1] ?? -1);
}
