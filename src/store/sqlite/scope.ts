import { sep } from "node:path";
import { prefixUpperBound } from "../prefix-upper-bound.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";

/** The part of the index that queries see: files below these roots. The database may contain others. */
export interface Scope {
  roots: readonly ScopeRoot[];
}

/** A folder with sessions. */
interface ScopeRoot {
  /** Its path with a slash at the end; empty for all files. */
  prefix: string;
  /** How many folders below it sessions are; undefined for any number. */
  depth?: number | undefined;
}

/**
 * Maximum number of roots in the SQL text. More are bound as one list: each root lengthens the statement, and SQLite rejects
 * a thousand.
 */
const MAX_INLINE_ROOTS = 100;

/** The condition that `file` is below one of the roots, in a form that can use the index on `file.path`. */
export function inScope(scope: Scope): Sql<SqlBool> {
  if (scope.roots.length > MAX_INLINE_ROOTS) return sql`file.id IN ${filesBelow(scope)}`;
  return isBelow(scope, sql`file.path`);
}

/**
 * The same condition in a form that cannot use that index, for queries that read sessions in another order: with the index,
 * SQLite would have to sort them.
 */
export function inScopeWithoutIndex(scope: Scope): Sql<SqlBool> {
  if (scope.roots.length > MAX_INLINE_ROOTS) return sql`+file.id IN ${filesBelow(scope)}`;
  return isBelow(scope, sql`+file.path`);
}

/** Ids of all files below the roots, computed once per statement with the index on `path`. */
function filesBelow({ roots }: Scope): Sql {
  const ranges = roots.map(({ prefix, depth }) => [prefix, prefixUpperBound(prefix), depth ?? null]);
  const rest = sql`substr(inside.path, length(root.value ->> 0) + 1)`;
  return sql`(SELECT inside.id FROM json_each(${JSON.stringify(ranges)}) AS root
    CROSS JOIN file AS inside ON inside.path >= root.value ->> 0 AND inside.path < root.value ->> 1
    WHERE root.value ->> 2 IS NULL
      OR length(${rest}) - length(replace(${rest}, ${sep}, '')) = root.value ->> 2)`;
}

function isBelow({ roots }: Scope, path: Sql<unknown>): Sql<SqlBool> {
  const ranges = roots.map(({ prefix, depth }) => {
    if (prefix === "") return sql<SqlBool>`TRUE`;
    const below = sql<SqlBool>`${path} >= ${prefix} AND ${path} < ${prefixUpperBound(prefix)}`;
    if (depth === undefined) return sql<SqlBool>`(${below})`;
    const rest = sql`substr(file.path, length(${prefix}) + 1)`;
    return sql<SqlBool>`(${below} AND length(${rest}) - length(replace(${rest}, ${sep}, '')) = ${depth})`;
  });
  return ranges.length === 0 ? sql<SqlBool>`FALSE` : sql<SqlBool>`(${sql.join(ranges, sql` OR `)})`;
}
