import { basename } from "node:path";
import { detectAgent } from "../src/session/agents.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { type Sql, sql } from "../src/store/sqlite/sql.ts";
import { getCompletionTarget } from "./completion-target.ts";
import { FIELDS, type FieldName, getKnownValues } from "./fields.ts";
import { formatValue } from "./format-term.ts";

/** Completions at a position of a query. */
export interface QueryCompletions {
  /** Start of the text that the options replace; it ends at the cursor. */
  from: number;
  /** Most frequent first. */
  options: QueryCompletion[];
}

export interface QueryCompletion {
  /** Replacement text: `project:`, or a value, quoted if necessary. */
  text: string;
  /** Number of sessions with that value, for fields that are counted. */
  sessions?: number;
}

/** Maximum number of options; typing another letter narrows them. */
const MAX_OPTIONS = 20;

/** Suggested ages for `since:` and `until:`. */
const AGES = ["1d", "7d", "30d", "1y"];

/**
 * Completes the field name or field value before the cursor: `pro` to `project:`, `project:s` to project names that begin
 * with `s`, then to those that contain it. Plain words are not completed.
 *
 * @param at cursor position, in UTF-16 units
 */
export async function completeQuery(
  db: Reader,
  scope: Scope,
  query: string,
  at: number = query.length,
): Promise<QueryCompletions> {
  const target = getCompletionTarget(query, at);
  if (!target) return { from: at, options: [] };
  const { field, text: typed, start: from } = target;
  if (!field) {
    const fields = FIELDS.filter((each) => each.startsWith(typed) && each !== typed);
    return { from, options: fields.map((each) => ({ text: `${each}:` })) };
  }
  const options = await valuesOf(db, scope, field);
  const lower = typed.toLowerCase();
  const isPrefixed = ({ text }: QueryCompletion) => text.toLowerCase().startsWith(lower);
  const contains = ({ text }: QueryCompletion) => text.toLowerCase().includes(lower);
  const matching = [
    ...options.filter(isPrefixed),
    ...options.filter((each) => !isPrefixed(each) && contains(each)),
  ];
  return {
    from,
    options: matching
      .filter(({ text }) => text !== typed)
      .slice(0, MAX_OPTIONS)
      .map(({ text, ...counted }) => ({ text: formatValue(text), ...counted })),
  };
}

/** Fields with values that are counted: the table that has them, and the value. */
const COUNTED: Partial<Record<FieldName, [table: string, value: Sql]>> = {
  project: ["session", sql`session.cwd`],
  cwd: ["session", sql`session.cwd`],
  name: ["session", sql`session.name`],
  model: ["session_model", sql`session_model.model`],
  provider: ["session_model", sql`session_model.provider`],
  tag: ["tag", sql`tag.tag`],
  label: ["label", sql`label.label`],
  tool: ["tool_call", sql`substr(tool_call.name, 1, 200)`],
};

/** All known values of a field, most frequent first. */
async function valuesOf(db: Reader, scope: Scope, field: FieldName): Promise<QueryCompletion[]> {
  const known = field === "since" || field === "until" ? AGES : getKnownValues(field);
  if (known.length > 0) return known.map((text) => ({ text }));
  if (field === "agent") {
    const { rows } = await sql<{ path: string }>`
      SELECT file.path FROM session JOIN file ON file.id = session.file_id WHERE ${inScope(scope)}`.execute(
      db,
    );
    const agents = Map.groupBy(rows, ({ path }) => detectAgent(path) ?? "");
    agents.delete("");
    return [...agents]
      .map(([text, { length }]) => ({ text, sessions: length }))
      .sort((a, b) => b.sessions - a.sessions || (a.text < b.text ? -1 : 1));
  }
  const [table, value] = COUNTED[field] ?? [];
  if (table === undefined || !value) return []; // files and sessions have too many values to choose from
  const join =
    table === "session" ? sql`` : sql`JOIN ${sql.ref(table)} ON ${sql.ref(`${table}.file_id`)} = file.id`;
  const { rows } = await sql<{ text: string; sessions: number }>`
    SELECT ${value} AS text, count(DISTINCT file.id) AS sessions
    FROM session JOIN file ON file.id = session.file_id ${join}
    WHERE ${inScope(scope)} AND ${value} <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${sql.lit(MAX_VALUES)}`.execute(
    db,
  );
  if (field !== "project") return rows;
  return merged(rows.map((row) => ({ ...row, text: basename(row.text.replaceAll("\\", "/")) })));
}

const MAX_VALUES = 5000;

/** Merges options with the same text and adds up their sessions. */
function merged(options: readonly QueryCompletion[]): QueryCompletion[] {
  const byText = new Map<string, number>();
  for (const { text, sessions = 0 } of options) byText.set(text, (byText.get(text) ?? 0) + sessions);
  return [...byText].map(([text, sessions]) => ({ text, sessions })).sort((a, b) => b.sessions - a.sessions);
}
