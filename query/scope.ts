import { sep } from "node:path";
import type { Root } from "../src/session/locations.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";

/** What queries see of the index: only files below these roots. The database may know of others. */
export interface Scope {
  roots: readonly Root[];
}

/** With more roots than this they are bound as one list: each would make the statement longer, and SQLite refuses a thousand. */
const MOST_IN_TEXT = 100;

/** The condition that `file` lies below one of the roots, in a form that can use the index on its path. */
export function inScope(scope: Scope): Sql<SqlBool> {
  if (scope.roots.length > MOST_IN_TEXT) return sql`file.id IN ${filesBelow(scope)}`;
  return isBelow(scope, sql`file.path`);
}

/**
 * The same in a form that cannot, for what walks sessions in another order: by their paths they would have to be sorted
 * then, and each looked up where it lies.
 */
export function inScopeOneByOne(scope: Scope): Sql<SqlBool> {
  if (scope.roots.length > MOST_IN_TEXT) return sql`+file.id IN ${filesBelow(scope)}`;
  return isBelow(scope, sql`+file.path`);
}

/** The ids of all files below the roots, which are looked up by the index once in a statement. */
function filesBelow({ roots }: Scope): Sql {
  const ranges = roots.map(({ prefix, depth }) => [prefix, endOfPrefix(prefix), depth ?? null]);
  const rest = sql`substr(inside.path, length(root.value ->> 0) + 1)`;
  return sql`(SELECT inside.id FROM json_each(${JSON.stringify(ranges)}) AS root
    CROSS JOIN file AS inside ON inside.path >= root.value ->> 0 AND inside.path < root.value ->> 1
    WHERE root.value ->> 2 IS NULL
      OR length(${rest}) - length(replace(${rest}, ${sep}, '')) = root.value ->> 2)`;
}

function isBelow({ roots }: Scope, path: Sql<unknown>): Sql<SqlBool> {
  const ranges = roots.map(({ prefix, depth }) => {
    const below = sql<SqlBool>`${path} >= ${prefix} AND ${path} < ${endOfPrefix(prefix)}`;
    if (depth === undefined) return sql<SqlBool>`(${below})`;
    const rest = sql`substr(file.path, length(${prefix}) + 1)`;
    return sql<SqlBool>`(${below} AND length(${rest}) - length(replace(${rest}, ${sep}, '')) = ${depth})`;
  });
  return ranges.length === 0 ? sql<SqlBool>`FALSE` : sql<SqlBool>`(${sql.join(ranges, sql` OR `)})`;
}

/** The least string above every string that starts with `prefix`, as SQLite compares them. */
export function endOfPrefix(prefix: string): string {
  const last = prefix.codePointAt(prefix.length - 1) ?? 0;
  return prefix.slice(0, -1) + String.fromCodePoint(last + 1);
}
