import { expandPath } from "../src/session/locations.ts";
import { foldTag } from "../src/session/tags.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { Filters } from "./options.ts";
import { inScope, type Scope } from "./scope.ts";

type Condition = Sql<SqlBool>;

/** The condition on `file` and `session` that a session must satisfy to be listed or searched. */
export function sessionCondition(
  scope: Scope,
  filters: Filters,
  scopeCondition: (scope: Scope) => Condition = inScope,
): Condition {
  const conditions: Condition[] = [scopeCondition(scope)];
  const { cwd, project, model, named, labeled, internal, problems, subagents } = filters;
  const { pinned, archived, tags = [], except = [] } = filters;
  if (subagents !== "yes") conditions.push(sql`file.subagent = ${flag(subagents === "only")}`);
  if (cwd !== undefined) conditions.push(sql`session.cwd = ${expandPath(cwd)}`);
  if (project !== undefined) conditions.push(projectCondition(project));
  if (model !== undefined) conditions.push(modelCondition(model));
  if (named !== undefined) conditions.push(matchesFlag(named, sql`session.name IS NOT NULL`));
  if (labeled !== undefined) {
    conditions.push(matchesFlag(labeled, sql`EXISTS (SELECT 1 FROM label WHERE label.file_id = file.id)`));
  }
  if (pinned !== undefined) conditions.push(matchesFlag(pinned, sql`session.pinned = 1`));
  if (archived !== "yes") conditions.push(sql`session.archived = ${flag(archived === "only")}`);
  conditions.push(...tags.map(tagCondition));
  if (internal !== undefined) conditions.push(matchesFlag(internal, sql`session.internal = 1`));
  if (problems !== undefined) {
    conditions.push(
      matchesFlag(problems, sql`EXISTS (SELECT 1 FROM problem WHERE problem.file_id = file.id)`),
    );
  }
  if (except.length > 0) {
    conditions.push(sql`session.id NOT IN ${sql.list(except)}`, sql`file.path NOT IN ${sql.list(except)}`);
  }
  return allOf(conditions);
}

/** A literal, not a parameter: SQLite replans the statement whenever such a parameter is bound. */
function flag(set: boolean): Sql<number> {
  return sql.lit(set ? 1 : 0);
}

/** The condition that a time column is between `since` (inclusive) and `until` (exclusive). */
export function timeCondition(column: Sql<number>, { since, until }: Filters): Condition {
  const conditions: Condition[] = [];
  if (since !== undefined) conditions.push(sql`${column} >= ${since}`);
  if (until !== undefined) conditions.push(sql`${column} < ${until}`);
  return allOf(conditions);
}

export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`TRUE` : sql`(${sql.join(conditions, sql` AND `)})`;
}

function matchesFlag(value: boolean, condition: Condition): Condition {
  return value ? condition : sql`NOT (${condition})`;
}

/**
 * The condition that a session used a model with the text in its `provider/model`. A complete `provider/model` matches only
 * that model: `openai/gpt-5` does not match `openai/gpt-5-codex`.
 */
export function modelCondition(model: string): Condition {
  const name = sql`lower(session_model.provider || '/' || session_model.model)`;
  const isWhole = sql`lower(${model}) IN (SELECT ${name} FROM session_model)`;
  return sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.file_id = file.id
    AND CASE WHEN ${isWhole} THEN ${name} = lower(${model}) ELSE instr(${name}, lower(${model})) > 0 END)`;
}

/** The condition that a session has a tag, ignoring case. `*` matches anything. */
export function tagCondition(tag: string): Condition {
  return sql`session.file_id IN (SELECT tag.file_id FROM tag WHERE ${matchesWildcard(sql`tag.folded`, foldTag(tag.trim()))})`;
}

/** The condition that a column equals a text. `*` in the text matches anything. */
export function matchesWildcard(column: Sql<unknown>, text: string): Condition {
  if (!text.includes("*")) return sql`${column} = ${text}`;
  return sql`${column} GLOB ${text.replaceAll(/[?[]/g, "[$&]")}`;
}

/**
 * The condition that a session's folder ends in these path segments: `shop` matches `/home/ada/Shop`, not
 * `/home/ada/workshop`. An absolute path matches only that folder. Case is ignored for ASCII, which is all SQLite folds.
 */
export function projectCondition(project: string): Condition {
  const trimmed = project.replaceAll("\\", "/").replace(/^\/+|\/+$/g, "");
  const ending = sql`lower(${`/${trimmed}`})`;
  const path = sql`'/' || ltrim(lower(replace(session.cwd, '\\', '/')), '/')`;
  if (/^([A-Za-z]:)?[\\/]/.test(project)) return sql`${path} = ${ending}`;
  return sql`substr(${path}, -length(${ending})) = ${ending}`;
}
