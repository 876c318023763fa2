import { detectAgent } from "../src/session/agents.ts";
import { expandPath } from "../src/session/locations.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { prefixUpperBound, type Scope } from "../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { toFtsExpression } from "./compile-query.ts";
import type { FieldName } from "./fields.ts";
import { findMatchingPaths } from "./paths.ts";
import { extractFieldValues, type QueryNode } from "./query-tree.ts";
import { isPath, resolveSession } from "./resolve-session.ts";
import { allOf, matchesWildcard, modelCondition, projectCondition, tagCondition } from "./sql-conditions.ts";

type Condition = Sql<SqlBool>;

/** Ids that must be looked up before a condition can be built, by the field value that needs them. */
interface Lookups {
  /** Ids of paths. */
  files: ReadonlyMap<string, readonly number[]>;
  names: ReadonlyMap<string, readonly string[]>;
  labels: ReadonlyMap<string, readonly string[]>;
  /** Ids of files. */
  agents: ReadonlyMap<string, readonly number[]>;
  last: number | undefined;
}

/** Turns query nodes into conditions on `entry`, `file` and `session`. */
export type ToCondition = (node: QueryNode) => Condition;

/**
 * Looks up what the nodes refer to (files, names, the last session) and returns a function that turns nodes into SQL. Every
 * value is bound.
 *
 * @throws PidexError `BAD_OPTION` for an invalid path, `NOT_FOUND` for `session:@last` in an empty index
 */
export async function buildConditions(
  db: Reader,
  scope: Scope,
  nodes: readonly QueryNode[],
): Promise<ToCondition> {
  const valuesOf = (field: FieldName) => nodes.flatMap((node) => extractFieldValues(node, field));
  const files = new Map<string, number[]>();
  for (const value of valuesOf("file"))
    files.set(value, await findMatchingPaths(new SqliteStore(db, scope), value));
  const needsLast = valuesOf("session").includes("@last");
  const last = needsLast ? (await resolveSession(new SqliteStore(db, scope), "@last")).fileId : undefined;
  const lookups = {
    files,
    names: await textsContaining(valuesOf("name"), sql`SELECT DISTINCT name AS text FROM session`, db),
    labels: await textsContaining(valuesOf("label"), sql`SELECT DISTINCT label AS text FROM label`, db),
    agents: await filesOfAgents(db, valuesOf("agent")),
    last,
  };
  return (node) => condition(node, lookups);
}

/** The texts that contain each value, ignoring case and accents. SQLite cannot compare without accents. */
async function textsContaining(
  values: readonly string[],
  texts: Sql<unknown>,
  db: Reader,
): Promise<Map<string, string[]>> {
  if (values.length === 0) return new Map();
  const { rows } = await (texts as Sql<{ text: string | null }>).execute(db);
  const folded = rows.map(({ text }) => ({ text: text ?? "", bare: bare(text ?? "") }));
  return new Map(
    values.map((value) => [
      value,
      folded.filter((each) => each.bare.includes(bare(value))).map(({ text }) => text),
    ]),
  );
}

/** The ids of each agent's files. The agent is derived from the file's path. */
async function filesOfAgents(db: Reader, agents: readonly string[]): Promise<Map<string, number[]>> {
  if (agents.length === 0) return new Map();
  const { rows } = await sql<{ id: number; path: string }>`SELECT id, path FROM file`.execute(db);
  const files = Map.groupBy(rows, ({ path }) => detectAgent(path)?.toLowerCase());
  return new Map(agents.map((agent) => [agent, (files.get(agent.toLowerCase()) ?? []).map(({ id }) => id)]));
}

function bare(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function condition(node: QueryNode, lookups: Lookups): Condition {
  const expression = toFtsExpression(node);
  if (expression !== undefined) return textCondition(expression);
  switch (node.kind) {
    case "field":
      return anyOf(node.values.map(({ value }) => fieldCondition(node.field, value, lookups)));
    case "not":
      // NULL (unknown) is not what the query excludes.
      return sql`NOT coalesce(${condition(node.node, lookups)}, FALSE)`;
    case "or":
      return anyOf(node.nodes.map((each) => condition(each, lookups)));
    case "and":
      return allOf(node.nodes.map((each) => condition(each, lookups)));
    default:
      return sql`FALSE`; // a text without words, which match() removes
  }
}

/** The condition that an entry matches an FTS5 expression, for use outside a MATCH. */
export function textCondition(expression: string): Condition {
  return sql`entry.id IN (SELECT rowid FROM entry_text WHERE entry_text MATCH ${expression})`;
}

/** Conditions for the `is:` values that apply to sessions. */
const SESSION_IS = {
  named: sql<SqlBool>`session.name IS NOT NULL`,
  forked: sql<SqlBool>`session.parent_session IS NOT NULL`,
  pinned: sql<SqlBool>`session.pinned = 1`,
  archived: sql<SqlBool>`session.archived = 1`,
};

function fieldCondition(field: FieldName, value: string, lookups: Lookups): Condition {
  switch (field) {
    case "role":
      return sql`entry.role = ${value}`;
    case "type":
      return sql`entry.type = ${value}`;
    case "tool":
      return sql`(${named(sql`entry.tool`, value)} OR entry.id IN (SELECT tool_call.entry FROM tool_call
        WHERE ${named(sql`tool_call.name`, value)}))`;
    case "is":
      if (value === "error") return sql`entry.failed = 1`;
      if (value === "current") return currentBranchCondition;
      return ofSession(SESSION_IS[value as keyof typeof SESSION_IS]);
    case "since":
      return sql`entry.timestamp >= ${Number(value)}`;
    case "until":
      return sql`entry.timestamp < ${Number(value)}`;
    case "file":
      return sql`entry.id IN (SELECT touch.entry FROM touch WHERE touch.path_id IN ${sql.list(lookups.files.get(value) ?? [])})`;
    case "label":
      return sql`entry.id IN (SELECT labeled.id FROM label JOIN entry AS labeled
        ON labeled.entry_id = label.target_id AND labeled.file_id = label.file_id
        WHERE label.label IN ${sql.list(lookups.labels.get(value) ?? [])})`;
    case "name":
      return ofSession(sql`session.name IN ${sql.list(lookups.names.get(value) ?? [])}`);
    case "tag":
      return ofSession(tagCondition(value));
    case "project":
      return ofSession(projectCondition(value));
    case "cwd":
      return ofSession(sql`session.cwd = ${expandPath(value)}`);
    case "agent":
      return ofSession(sql`file.id IN ${sql.list(lookups.agents.get(value) ?? [])}`);
    case "model":
      return ofSession(modelCondition(value));
    case "provider":
      return ofSession(sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.file_id = file.id
        AND ${holds(sql`session_model.provider`, value)})`);
    case "session":
      if (value === "@last") return sql`entry.file_id = ${lookups.last}`;
      if (isPath(value)) return ofSession(sql`file.path = ${expandPath(value)}`);
      return ofSession(sql`session.id >= ${value} AND session.id < ${prefixUpperBound(value)}`);
  }
}

/** Wraps a condition on `session` and `file`, so that SQLite may start at the sessions, which are few. */
function ofSession(condition: Condition): Condition {
  return sql`entry.file_id IN (SELECT session.file_id FROM session JOIN file ON file.id = session.file_id
    WHERE ${condition})`;
}

/** The condition that an entry is on the current branch: in the last line range that begins at or before it. */
export const currentBranchCondition: Condition = sql`coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, FALSE)`;

/** The condition that a column equals a name, ignoring case. `*` matches anything. */
function named(column: Sql<unknown>, value: string): Condition {
  return matchesWildcard(sql`lower(${column})`, value.toLowerCase());
}

function holds(column: Sql<unknown>, value: string): Condition {
  return sql`instr(lower(${column}), lower(${value})) > 0`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` OR `)})`;
}
