import { getOrInsert } from "../../get-or-insert.ts";
import type { HitSession } from "../hit-session.ts";
import { sql } from "../sql.ts";
import type { Reader } from "./reader.ts";

/** Reads the session fields of hits, once per file: a thousand hits are in a few hundred files. */
export async function readHitSessions(
  db: Reader,
  fileIds: Iterable<number>,
): Promise<Map<number, HitSession>> {
  const { rows } = await sql<Row>`
    SELECT session.file_id, session.name, session.created, current_range.first_line, current_range.last_line
    FROM json_each(${JSON.stringify([...fileIds])}) AS requested
      CROSS JOIN session ON session.file_id = requested.value
      LEFT JOIN current_range ON current_range.file_id = session.file_id
    ORDER BY requested.key, current_range.first_line`.execute(db);
  const files = new Map<number, HitSession>();
  for (const { file_id, name, created, first_line, last_line } of rows) {
    const file = getOrInsert(files, file_id, () => ({ name, created, current: [] }));
    if (first_line !== null && last_line !== null) file.current.push([first_line, last_line]);
  }
  return files;
}

interface Row extends Pick<HitSession, "name" | "created"> {
  file_id: number;
  first_line: number | null;
  last_line: number | null;
}
