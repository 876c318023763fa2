import type { EntryCondition } from "../conditions.ts";
import { type Sql, sql } from "../sql.ts";
import type { TextExpression } from "../text-expression.ts";
import { encodeEntryId } from "./entry-id.ts";
import { decodePosition } from "./positions.ts";
import type { Place } from "./posting-reads.ts";
import { allOf, anyOf, lower, matchesWildcard, timeSql, toSessionSql } from "./session-conditions.ts";

type Condition = Sql<boolean>;

/** The entries, among those that a statement reads, that contain a text. */
export type TextPlaces = ReadonlyMap<TextExpression, readonly Place[]>;

/** SQL for a condition on `entry`. Every value is bound. Texts have been searched before. */
export function toEntrySql(condition: EntryCondition, texts: TextPlaces): Condition {
  switch (condition.kind) {
    case "all":
      return allOf(condition.of.map((each) => toEntrySql(each, texts)));
    case "any":
      return anyOf(condition.of.map((each) => toEntrySql(each, texts)));
    case "not":
      // NULL (unknown) is not what the query excludes.
      return sql`NOT coalesce(${toEntrySql(condition.of, texts)}, FALSE)`;
    case "session":
      return sql`EXISTS (SELECT 1 FROM session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
        WHERE session.shelf = entry.shelf AND session.file_id = entry.file_id AND ${toSessionSql(condition.of)})`;
    case "text":
      return isAt(texts.get(condition.text) ?? []);
    case "role":
      return sql`entry.role = ${condition.role}`;
    case "type":
      return sql`entry.type = ANY (${condition.types})`;
    case "tool":
      return sql`(${isNamed(sql`entry.tool`, condition.tool)} OR EXISTS (SELECT 1 FROM tool_call
        WHERE tool_call.shelf = entry.shelf AND tool_call.file_id = entry.file_id AND tool_call.line = entry.line
          AND ${isNamed(sql`tool_call.name`, condition.tool)}))`;
    case "failed":
      return sql`entry.failed = 1`;
    case "current":
      return isOnCurrentBranch;
    case "time":
      return timeSql(sql`entry.timestamp`, condition);
    case "paths":
      return sql`EXISTS (SELECT 1 FROM touch WHERE touch.shelf = entry.shelf AND touch.file_id = entry.file_id
        AND touch.line = entry.line AND touch.path_id = ANY (${condition.paths}))`;
    case "label":
      return sql`EXISTS (SELECT 1 FROM label WHERE label.shelf = entry.shelf AND label.file_id = entry.file_id
        AND label.target_id = entry.entry_id AND label.label = ANY (${condition.labels}))`;
    case "file":
      return sql`entry.file_id = ANY (${condition.files})`;
    case "id":
      return sql`entry.entry_id = ANY (${condition.ids.map(encodeEntryId)})`;
    case "position":
      return isAt(condition.positions.map(decodePosition));
  }
}

/** The condition that an entry is at one of these places. */
export function isAt(places: readonly Place[]): Condition {
  const files = places.map(({ file }) => file);
  const lines = places.map(({ line }) => line);
  return sql`(entry.file_id, entry.line) IN (SELECT * FROM unnest(${files}::integer[], ${lines}::integer[]))`;
}

/** The condition that an entry is on the current branch: in the last line range that begins at or before it. */
export const isOnCurrentBranch: Condition = sql`coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.shelf = entry.shelf AND current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, FALSE)`;

/** The condition that a column equals a name, ignoring case. `*` matches anything. */
function isNamed(column: Sql<unknown>, name: string): Condition {
  return matchesWildcard(lower(column), name.toLowerCase());
}

/** All texts in conditions. */
export function textsOf(conditions: readonly EntryCondition[]): TextExpression[] {
  return conditions.flatMap((condition): TextExpression[] => {
    switch (condition.kind) {
      case "text":
        return [condition.text];
      case "not":
        return textsOf([condition.of]);
      case "all":
      case "any":
        return textsOf(condition.of);
      default:
        return [];
    }
  });
}
