import { basename } from "node:path";
import { detectAgent } from "../src/session/agents.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, sql } from "../src/store/sqlite/sql.ts";
import { getCompletionTarget } from "./completion-target.ts";
import { FIELDS, type FieldName, getKnownValues } from "./fields.ts";
import { formatValue } from "./format-term.ts";
import { inScope, type Scope } from "./scope.ts";

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

/** All known values of a field, most frequent first. */
async function valuesOf(db: Reader, scope: Scope, field: FieldName): Promise<QueryCompletion[]> {
  const known = getKnownValues(field);
  if (known.length > 0) return known.map((text) => ({ text }));
  switch (field) {
    case "since":
    case "until":
      return AGES.map((text) => ({ text }));
    case "project": {
      const folders = await counted(db, scope, sql`session.cwd`);
      return merged(folders.map((each) => ({ ...each, text: basename(each.text.replaceAll("\\", "/")) })));
    }
    case "cwd":
      return counted(db, scope, sql`session.cwd`);
    case "name":
      return counted(db, scope, sql`session.name`);
    case "agent": {
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
    case "model":
      return counted(
        db,
        scope,
        sql`session_model.model`,
        sql`JOIN session_model ON session_model.file_id = file.id`,
      );
    case "provider":
      return counted(
        db,
        scope,
        sql`session_model.provider`,
        sql`JOIN session_model ON session_model.file_id = file.id`,
      );
    case "tag":
      return counted(db, scope, sql`tag.tag`, sql`JOIN tag ON tag.file_id = file.id`);
    case "label":
      return counted(db, scope, sql`label.label`, sql`JOIN label ON label.file_id = file.id`);
    case "tool":
      return counted(
        db,
        scope,
        sql`substr(tool_call.name, 1, 200)`,
        sql`JOIN tool_call ON tool_call.file_id = file.id`,
      );
    default:
      return []; // files and sessions have too many values to choose from
  }
}

async function counted(
  db: Reader,
  scope: Scope,
  value: Sql<unknown>,
  join: Sql<unknown> = sql``,
): Promise<QueryCompletion[]> {
  const { rows } = await sql<{ text: string; sessions: number }>`
    SELECT ${value} AS text, count(DISTINCT file.id) AS sessions
    FROM session JOIN file ON file.id = session.file_id ${join}
    WHERE ${inScope(scope)} AND ${value} <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${sql.lit(MAX_VALUES)}`.execute(
    db,
  );
  return rows;
}

const MAX_VALUES = 5000;

/** Merges options with the same text and adds up their sessions. */
function merged(options: readonly QueryCompletion[]): QueryCompletion[] {
  const byText = new Map<string, number>();
  for (const { text, sessions = 0 } of options) byText.set(text, (byText.get(text) ?? 0) + sessions);
  return [...byText].map(([text, sessions]) => ({ text, sessions })).sort((a, b) => b.sessions - a.sessions);
}
