import { sep } from "node:path";
import { type Sql, type SqlBool, sql } from "../src/database/sql.ts";
import type { Root } from "../src/session/locations.ts";

/** What queries see of the index: only files below these roots. The database may know of others. */
export interface Scope {
  roots: readonly Root[];
}

/** The condition that `file` lies below one of the roots, in a form that can use the index on its path. */
export function inScope(scope: Scope): Sql<SqlBool> {
  return isBelow(scope, sql`file.path`);
}

/**
 * The same in a form that cannot, for what walks sessions in another order: by their paths they would have to be sorted
 * then, and each looked up where it lies.
 */
export function inScopeOneByOne(scope: Scope): Sql<SqlBool> {
  return isBelow(scope, sql`+file.path`);
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
