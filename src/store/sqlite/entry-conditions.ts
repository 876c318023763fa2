import type { EntryCondition, HitConditions } from "../conditions.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import type { TextExpression } from "../text-expression.ts";
import { toFtsExpression } from "./fts-expression.ts";
import { allOf, anyOf, matchesWildcard, timeSql, toSessionSql } from "./session-conditions.ts";

type Condition = Sql<SqlBool>;

/** SQL for a condition on `entry`. Every value is bound. */
export function toEntrySql(condition: EntryCondition): Condition {
  switch (condition.kind) {
    case "all":
      return allOf(condition.of.map(toEntrySql));
    case "any":
      return anyOf(condition.of.map(toEntrySql));
    case "not":
      // NULL (unknown) is not what the query excludes.
      return sql`NOT coalesce(${toEntrySql(condition.of)}, FALSE)`;
    case "session":
      // A subquery, so that SQLite may start at the sessions, which are few.
      return sql`entry.file_id IN (SELECT session.file_id FROM session JOIN file ON file.id = session.file_id
        WHERE ${toSessionSql(condition.of)})`;
    case "text":
      return containsText(condition.text);
    case "role":
      return sql`entry.role = ${condition.role}`;
    case "type": {
      const [type, ...more] = condition.types;
      return more.length === 0
        ? sql`entry.type = ${type}`
        : sql`entry.type IN (${sql.join(condition.types)})`;
    }
    case "tool":
      // Correlated: a list of all calls of the tool would be built first, although few entries are tested.
      return sql`(${isNamed(sql`entry.tool`, condition.tool)} OR EXISTS (SELECT 1 FROM tool_call
        WHERE tool_call.entry = entry.id AND ${isNamed(sql`tool_call.name`, condition.tool)}))`;
    case "failed":
      return sql`entry.failed = 1`;
    case "current":
      return isOnCurrentBranch;
    case "time":
      return timeSql(sql`entry.timestamp`, condition);
    case "paths":
      return sql`entry.id IN (SELECT touch.entry FROM touch WHERE touch.path_id IN ${sql.list(condition.paths)})`;
    case "label":
      return sql`entry.id IN (SELECT labeled.id FROM label JOIN entry AS labeled
        ON labeled.entry_id = label.target_id AND labeled.file_id = label.file_id
        WHERE label.label IN ${sql.list(condition.labels)})`;
    case "file": {
      const [file, ...more] = condition.files;
      return more.length === 0
        ? sql`entry.file_id = ${file}`
        : sql`entry.file_id IN ${sql.list(condition.files)}`;
    }
    case "id":
      return sql`entry.entry_id IN ${sql.list(condition.ids)}`;
    case "position":
      return sql`entry.id IN ${sql.list(condition.positions)}`;
  }
}

/** The condition that an entry is on the current branch: in the last line range that begins at or before it. */
export const isOnCurrentBranch: Condition = sql`coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, FALSE)`;

/** The condition that an entry contains a text, for use outside a MATCH. */
function containsText(text: TextExpression): Condition {
  return sql`entry.id IN (SELECT rowid FROM entry_text WHERE entry_text MATCH ${toFtsExpression(text)})`;
}

/** All conditions except those on texts, for a query on `entry`, `file` and `session`. */
export function toNonTextSql({ session, entry }: Pick<HitConditions, "session" | "entry">): Condition[] {
  return [toSessionSql(session), ...entry.map(toEntrySql)];
}

/** Conditions on texts, for statements that do not start at the full-text index. */
export function toTextSql({ texts, excluded }: Pick<HitConditions, "texts" | "excluded">): Condition[] {
  return [
    ...(texts.length > 0 ? [containsText({ kind: "all", of: texts })] : []),
    ...excluded.map((each) => sql<SqlBool>`NOT ${containsText(each)}`),
  ];
}

/** The condition that a column equals a name, ignoring case. `*` matches anything. */
function isNamed(column: Sql<unknown>, name: string): Condition {
  return matchesWildcard(sql`lower(${column})`, name.toLowerCase());
}
