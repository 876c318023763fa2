import { type Sql, sql } from "../sql.ts";

/** A path recorded in a file, as the path of a file of the same machine. Not of a path relative to a folder. */
export function onSameMachine(path: Sql<string | null>): Sql<string | null> {
  return sql`CASE WHEN ${path} ~ '^([/\\\\]|[A-Za-z]:[/\\\\])' THEN split_part(file.path, ':', 1) || ':' || ${path} ELSE ${path} END`;
}
