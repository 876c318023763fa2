import { isAbsolute, sep } from "node:path";
import { agentOf } from "../src/session/agents.ts";
import { expandPath, isSessionFileName } from "../src/session/locations.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { FieldName } from "./fields.ts";
import { allOf, isLike, modelCondition, projectCondition, tagCondition } from "./filter.ts";
import { findSession } from "./find.ts";
import { expressionOf } from "./match.ts";
import { matchingPaths } from "./paths.ts";
import { type QueryNode, queryValues } from "./query-tree.ts";
import { endOfPrefix, type Scope } from "./scope.ts";

type Condition = Sql<SqlBool>;

/** Ids that must be asked for before a condition can be written, by the value that asks for them. */
interface Lookups {
  /** Ids of paths. */
  files: ReadonlyMap<string, readonly number[]>;
  names: ReadonlyMap<string, readonly string[]>;
  labels: ReadonlyMap<string, readonly string[]>;
  /** Ids of files. */
  agents: ReadonlyMap<string, readonly number[]>;
  last: number | undefined;
}

/** Turns nodes of queries into conditions on `entry`, `file` and `session`. */
export type ToCondition = (node: QueryNode) => Condition;

/**
 * Looks up what the nodes name (files, the last session), once, and gives what turns them into SQL. Every value is
 * bound.
 *
 * @throws PidexError `BAD_OPTION` for a path that is none, `NOT_FOUND` for `session:@last` where there is none
 */
export async function conditions(
  db: Reader,
  scope: Scope,
  nodes: readonly QueryNode[],
): Promise<ToCondition> {
  const valuesOf = (field: FieldName) => nodes.flatMap((node) => queryValues(node, field));
  const files = new Map<string, number[]>();
  for (const value of valuesOf("file")) files.set(value, await matchingPaths(db, value));
  const asksLast = valuesOf("session").includes("@last");
  const last = asksLast ? (await findSession(db, scope, "@last")).fileId : undefined;
  const lookups = {
    files,
    names: await holding(valuesOf("name"), sql`SELECT DISTINCT name AS text FROM session`, db),
    labels: await holding(valuesOf("label"), sql`SELECT DISTINCT label AS text FROM label`, db),
    agents: await filesOfAgents(db, valuesOf("agent")),
    last,
  };
  return (node) => condition(node, lookups);
}

/** For each value the texts that have it in them, in any case and with any accents, which SQLite cannot tell. */
async function holding(
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

/** For each agent the files that are from it, which their paths tell. */
async function filesOfAgents(db: Reader, agents: readonly string[]): Promise<Map<string, number[]>> {
  if (agents.length === 0) return new Map();
  const { rows } = await sql<{ id: number; path: string }>`SELECT id, path FROM file`.execute(db);
  const files = Map.groupBy(rows, ({ path }) => agentOf(path)?.toLowerCase());
  return new Map(agents.map((agent) => [agent, (files.get(agent.toLowerCase()) ?? []).map(({ id }) => id)]));
}

function bare(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function condition(node: QueryNode, lookups: Lookups): Condition {
  const expression = expressionOf(node);
  if (expression !== undefined) return hasWords(expression);
  switch (node.kind) {
    case "field":
      return anyOf(node.values.map(({ value }) => fieldCondition(node.field, value, lookups)));
    case "not":
      // Whatever is not known (a null) is not what was asked to be left out.
      return sql`NOT coalesce(${condition(node.node, lookups)}, FALSE)`;
    case "or":
      return anyOf(node.nodes.map((each) => condition(each, lookups)));
    case "and":
      return allOf(node.nodes.map((each) => condition(each, lookups)));
    default:
      return sql`FALSE`; // a text without words, which match() has taken out
  }
}

/** That an entry matches an FTS5 expression, where that cannot stand by itself in a MATCH. */
export function hasWords(expression: string): Condition {
  return sql`entry.id IN (SELECT rowid FROM entry_text WHERE entry_text MATCH ${expression})`;
}

/** What `is:` asks of sessions. */
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
      if (value === "current") return isCurrent;
      return ofSession(SESSION_IS[value as keyof typeof SESSION_IS]);
    case "since":
      return sql`entry.timestamp >= ${Number(value)}`;
    case "until":
      return sql`entry.timestamp < ${Number(value)}`;
    case "file":
      return sql`entry.id IN (SELECT touch.entry FROM touch WHERE touch.path_id IN ${listed(lookups.files.get(value))})`;
    case "label":
      return sql`entry.id IN (SELECT labelled.id FROM label JOIN entry AS labelled
        ON labelled.entry_id = label.target_id AND labelled.file_id = label.file_id
        WHERE label.label IN ${listed(lookups.labels.get(value))})`;
    case "name":
      return ofSession(sql`session.name IN ${listed(lookups.names.get(value))}`);
    case "tag":
      return ofSession(tagCondition(value));
    case "project":
      return ofSession(projectCondition(value));
    case "cwd":
      return ofSession(sql`session.cwd = ${expandPath(value)}`);
    case "agent":
      return ofSession(sql`file.id IN ${listed(lookups.agents.get(value))}`);
    case "model":
      return ofSession(modelCondition(value));
    case "provider":
      return ofSession(sql`EXISTS (SELECT 1 FROM session_model WHERE session_model.file_id = file.id
        AND ${holds(sql`session_model.provider`, value)})`);
    case "session":
      if (value === "@last") return sql`entry.file_id = ${lookups.last}`;
      if (isPath(value)) return ofSession(sql`file.path = ${expandPath(value)}`);
      return ofSession(sql`session.id >= ${value} AND session.id < ${endOfPrefix(value)}`);
  }
}

/** A condition on `session` and `file`, so that SQLite may start at the sessions, which are few. */
function ofSession(condition: Condition): Condition {
  return sql`entry.file_id IN (SELECT session.file_id FROM session JOIN file ON file.id = session.file_id
    WHERE ${condition})`;
}

/** As `findSession` tells a path from an id. */
function isPath(session: string): boolean {
  return isSessionFileName(session) || isAbsolute(session) || session.includes(sep);
}

/** That an entry lies on the path from its session's last entry to the root: in the last range that begins before it. */
export const isCurrent: Condition = sql`coalesce((SELECT current_range.last_line FROM current_range
  WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
  ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, FALSE)`;

/** That a column is a name, in any case; a star in it stands for anything. */
function named(column: Sql<unknown>, value: string): Condition {
  return isLike(sql`lower(${column})`, value.toLowerCase());
}

function holds(column: Sql<unknown>, value: string): Condition {
  return sql`instr(lower(${column}), lower(${value})) > 0`;
}

/** Values as a list that is one parameter, however long it is. */
function listed(values: readonly (string | number)[] = []): Sql<unknown> {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` OR `)})`;
}
