/** Transitional: conditions as SQL, for queries that are not behind the store interface yet. */
import { foldTag } from "../src/session/tags.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { allOf, matchesWildcard, timeSql, toSessionSql } from "../src/store/sqlite/session-conditions.ts";
import type { Sql, SqlBool } from "../src/store/sqlite/sql.ts";
import { toSessionCondition } from "./filter.ts";
import type { Filters } from "./options.ts";

export { allOf, matchesWildcard };
export const sessionCondition = (scope: Scope, filters: Filters): Sql<SqlBool> =>
  allOf([inScope(scope), toSessionSql(toSessionCondition(filters))]);
export const timeCondition = (column: Sql<number>, filters: Filters): Sql<SqlBool> =>
  timeSql(column, filters);
export const modelCondition = (text: string): Sql<SqlBool> => toSessionSql({ kind: "model", text });
export const projectCondition = (project: string): Sql<SqlBool> => toSessionSql({ kind: "project", project });
export const tagCondition = (tag: string): Sql<SqlBool> =>
  toSessionSql({ kind: "tag", folded: foldTag(tag.trim()) });
