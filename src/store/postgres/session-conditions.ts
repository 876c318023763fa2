import { isMachinePath } from "../../machine-path.ts";
import type { NumberRange, SessionCondition, SessionFlag, TimeRange } from "../conditions.ts";
import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { type Sql, sql } from "../sql.ts";

type Condition = Sql<boolean>;

/** SQL for a condition on `file` and `session`. Every value is bound. */
export function toSessionSql(condition: SessionCondition): Condition {
  switch (condition.kind) {
    case "all":
      return allOf(condition.of.map(toSessionSql));
    case "any":
      return anyOf(condition.of.map(toSessionSql));
    case "not":
      // NULL (unknown) is not what the query excludes.
      return sql`NOT coalesce(${toSessionSql(condition.of)}, FALSE)`;
    case "flag":
      return condition.value ? HAS_FLAG[condition.flag] : sql`NOT ${HAS_FLAG[condition.flag]}`;
    case "cwd":
      return sql`session.cwd = ${condition.path}`;
    case "path":
      // A path without a machine may be on several.
      return isMachinePath(condition.path)
        ? sql`file.path = ${condition.path}`
        : sql`file.local_path = ${condition.path}`;
    case "pathEnd":
      return sql`(right(file.path, ${condition.end.length + 1}) IN (${`/${condition.end}`}, ${`\\${condition.end}`}))`;
    case "project":
      return projectSql(condition.project);
    case "model":
      return modelSql(condition.text);
    case "provider":
      return sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.shelf = file.shelf AND session_model.file_id = file.id
        AND strpos(${lower(sql`session_model.provider`)}, ${lower(sql`${condition.text}::text`)}) > 0)`;
    case "tag":
      return sql`EXISTS (SELECT 1 FROM tag WHERE tag.shelf = file.shelf AND tag.file_id = file.id
        AND ${matchesWildcard(sql`tag.folded`, condition.folded)})`;
    case "name":
      return sql`session.name = ANY (${condition.names})`;
    case "title":
      return sql`coalesce(session.name, session.computed_title) = ANY (${condition.titles})`;
    case "id":
      return sql`session.id = ANY (${condition.ids})`;
    case "idPrefix":
      return sql`(session.id >= ${condition.prefix} AND session.id < ${prefixUpperBound(condition.prefix)})`;
    case "machine":
      return matchesWildcard(machineName, condition.name);
    case "person":
      return matchesWildcard(personName, condition.name);
    case "messages":
      return rangeSql(sql`session.message_count`, condition);
    case "file":
      return sql`file.id = ANY (${condition.files})`;
    case "except":
      return sql`NOT (session.id = ANY (${condition.sessions}) OR file.path = ANY (${condition.sessions}))`;
    case "modified":
      return timeSql(sql`session.modified`, condition);
  }
}

/** The names of the machine with a file, and of its person. */
export const machineName: Sql<string> = sql`split_part(file.path, ':', 1)`;
export const personName: Sql<string> = sql`(SELECT person FROM file_origin
  WHERE file_origin.shelf = file.shelf AND file_origin.file_id = file.id)`;

const HAS_FLAG: Record<SessionFlag, Condition> = {
  archived: sql`(session.archived = 1)`,
  compressed: sql`FALSE`,
  forked: sql`(session.parent_session IS NOT NULL)`,
  internal: sql`(session.internal = 1)`,
  labeled: sql`EXISTS (SELECT 1 FROM label WHERE label.shelf = file.shelf AND label.file_id = file.id)`,
  named: sql`(session.name IS NOT NULL)`,
  pinned: sql`(session.pinned = 1)`,
  problems: sql`EXISTS (SELECT 1 FROM problem WHERE problem.shelf = file.shelf AND problem.file_id = file.id)`,
  subagent: sql`(file.subagent = 1)`,
};

/** The condition that a time column is in a range. */
export function timeSql(column: Sql<number>, { since, until }: TimeRange): Condition {
  const conditions: Condition[] = [];
  if (since !== undefined) conditions.push(sql`${column} >= ${since}::bigint`);
  if (until !== undefined) conditions.push(sql`${column} < ${until}::bigint`);
  return allOf(conditions);
}

function rangeSql(column: Sql<number>, { min, max }: NumberRange): Condition {
  const conditions: Condition[] = [];
  if (min !== undefined) conditions.push(sql`${column} >= ${min}::bigint`);
  if (max !== undefined) conditions.push(sql`${column} <= ${max}::bigint`);
  return allOf(conditions);
}

const TRUE: Condition = sql`TRUE`;

/** Whether everything satisfies a condition, as `allOf` returned it. */
export function isTrue(condition: Condition): boolean {
  return condition === TRUE;
}

export function allOf(conditions: readonly Condition[]): Condition {
  const limiting = conditions.filter((each) => each !== TRUE);
  return limiting.length === 0 ? TRUE : sql`(${sql.join(limiting, sql` AND `)})`;
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`FALSE` : sql`(${sql.join(conditions, sql` OR `)})`;
}

/** Lower case of ASCII letters, as in SQLite. */
export function lower(text: Sql<unknown>): Sql<string> {
  return sql`translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;
}

/** The condition that a column equals a text. `*` in the text matches anything. */
export function matchesWildcard(column: Sql<unknown>, text: string): Condition {
  if (!text.includes("*")) return sql`${column} = ${text}`;
  return sql`${column} LIKE ${text.replaceAll(/[!%_]/g, "!$&").replaceAll("*", "%")} ESCAPE '!'`;
}

function modelSql(model: string): Condition {
  const name = lower(sql`session_model.provider || '/' || session_model.model`);
  const text = lower(sql`${model}::text`);
  return sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.shelf = file.shelf AND session_model.file_id = file.id
    AND CASE WHEN EXISTS (SELECT 1 FROM session_model WHERE ${name} = ${text})
      THEN ${name} = ${text} ELSE strpos(${name}, ${text}) > 0 END)`;
}

/** `shop` matches `/home/ada/Shop`, not `/home/ada/workshop`. */
function projectSql(project: string): Condition {
  const trimmed = project.replaceAll("\\", "/").replace(/^\/+|\/+$/g, "");
  const ending = lower(sql`${`/${trimmed}`}::text`);
  const path = sql`'/' || ltrim(${lower(sql`replace(session.cwd, '\\', '/')`)}, '/')`;
  if (/^([A-Za-z]:)?[\\/]/.test(project)) return sql`${path} = ${ending}`;
  return sql`right(${path}, length(${ending})) = ${ending}`;
}
