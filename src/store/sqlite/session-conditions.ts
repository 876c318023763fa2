import type { NumberRange, SessionCondition, SessionFlag, TimeRange } from "../conditions.ts";
import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";

type Condition = Sql<SqlBool>;

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
      return flagSql(condition.flag, condition.value);
    case "cwd":
      return sql`session.cwd = ${condition.path}`;
    case "path":
      return sql`file.path = ${condition.path}`;
    case "pathEnd":
      return sql`(${endsWith(condition.end, "/")} OR ${endsWith(condition.end, "\\")})`;
    case "project":
      return projectSql(condition.project);
    case "model":
      return modelSql(condition.text);
    case "provider":
      return sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.file_id = file.id
        AND instr(lower(session_model.provider), lower(${condition.text})) > 0)`;
    case "tag":
      return sql`session.file_id IN (SELECT tag.file_id FROM tag
        WHERE ${matchesWildcard(sql`tag.folded`, condition.folded)})`;
    case "name":
      return sql`session.name IN ${sql.list(condition.names)}`;
    case "title":
      return sql`coalesce(session.name, session.computed_title) IN ${sql.list(condition.titles)}`;
    case "id": {
      const [id, ...more] = condition.ids;
      return more.length === 0 ? sql`session.id = ${id}` : sql`session.id IN ${sql.list(condition.ids)}`;
    }
    case "idPrefix":
      return sql`(session.id >= ${condition.prefix} AND session.id < ${prefixUpperBound(condition.prefix)})`;
    case "machine":
    case "person":
      return sql`FALSE`; // only hubs know them
    case "messages":
      return rangeSql(sql`session.message_count`, condition);
    case "file":
      return sql`file.id IN ${sql.list(condition.files)}`;
    case "except": {
      const sessions = sql.list(condition.sessions);
      return sql`(session.id NOT IN ${sessions} AND file.path NOT IN ${sessions})`;
    }
    case "modified":
      return timeSql(sql`session.modified`, condition);
  }
}

const HAS_FLAG: Record<SessionFlag, Condition> = {
  archived: sql`session.archived = 1`,
  compressed: sql`file.compressed = 1`,
  forked: sql`session.parent_session IS NOT NULL`,
  internal: sql`session.internal = 1`,
  labeled: sql`EXISTS (SELECT 1 FROM label WHERE label.file_id = file.id)`,
  named: sql`session.name IS NOT NULL`,
  pinned: sql`session.pinned = 1`,
  problems: sql`EXISTS (SELECT 1 FROM problem WHERE problem.file_id = file.id)`,
  subagent: sql`file.subagent = 1`,
};

/** Values are literals, not parameters: SQLite replans the statement whenever such a parameter is bound. */
function flagSql(flag: SessionFlag, value: boolean): Condition {
  if (value) return HAS_FLAG[flag];
  if (flag === "archived") return sql`session.archived = 0`;
  if (flag === "subagent") return sql`file.subagent = 0`;
  return sql`NOT (${HAS_FLAG[flag]})`;
}

/** The condition that a time column is in a range. */
export function timeSql(column: Sql<number>, { since, until }: TimeRange): Condition {
  const conditions: Condition[] = [];
  if (since !== undefined) conditions.push(sql`${column} >= ${since}`);
  if (until !== undefined) conditions.push(sql`${column} < ${until}`);
  return allOf(conditions);
}

function rangeSql(column: Sql<number>, { min, max }: NumberRange): Condition {
  const conditions: Condition[] = [];
  if (min !== undefined) conditions.push(sql`${column} >= ${min}`);
  if (max !== undefined) conditions.push(sql`${column} <= ${max}`);
  return allOf(conditions);
}

export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`TRUE` : sql`(${sql.join(conditions, sql` AND `)})`;
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`FALSE` : sql`(${sql.join(conditions, sql` OR `)})`;
}

/** The condition that a column equals a text. `*` in the text matches anything. */
export function matchesWildcard(column: Sql<unknown>, text: string): Condition {
  if (!text.includes("*")) return sql`${column} = ${text}`;
  return sql`${column} GLOB ${text.replaceAll(/[?[]/g, "[$&]")}`;
}

function modelSql(model: string): Condition {
  const name = sql`lower(session_model.provider || '/' || session_model.model)`;
  const isWhole = sql`lower(${model}) IN (SELECT ${name} FROM session_model)`;
  return sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.file_id = file.id
    AND CASE WHEN ${isWhole} THEN ${name} = lower(${model}) ELSE instr(${name}, lower(${model})) > 0 END)`;
}

/** `shop` matches `/home/ada/Shop`, not `/home/ada/workshop`. Case is ignored for ASCII, which is all SQLite folds. */
function projectSql(project: string): Condition {
  const trimmed = project.replaceAll("\\", "/").replace(/^\/+|\/+$/g, "");
  const ending = sql`lower(${`/${trimmed}`})`;
  const path = sql`'/' || ltrim(lower(replace(session.cwd, '\\', '/')), '/')`;
  if (/^([A-Za-z]:)?[\\/]/.test(project)) return sql`${path} = ${ending}`;
  return sql`substr(${path}, -length(${ending})) = ${ending}`;
}

function endsWith(end: string, slash: string): Condition {
  return sql`file.path LIKE ${`%${slash}${end.replaceAll(/[!%_]/g, "!$&")}`} ESCAPE '!'`;
}
