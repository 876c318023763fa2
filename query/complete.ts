import { basename } from "node:path";
import { agentOf } from "../src/session/agents.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, sql } from "../src/store/sqlite/sql.ts";
import { completionTarget } from "./completion-target.ts";
import { FIELDS, type FieldName, knownValues } from "./fields.ts";
import { quoteValue } from "./format-term.ts";
import { inScope, type Scope } from "./scope.ts";

/** What could stand in a query where the cursor is. */
export interface QueryCompletions {
  /** The options stand for the query from here to the cursor. */
  from: number;
  /** The most frequent first. */
  options: QueryCompletion[];
}

export interface QueryCompletion {
  /** What to write: `project:`, or a value in quotes where it has to be. */
  text: string;
  /** Sessions with that value, where they are counted. */
  sessions?: number;
}

/** Options that are told at most: who wants another types a letter more. */
const MOST_OPTIONS = 20;

/** Ages that people ask for. */
const AGES = ["1d", "7d", "30d", "1y"];

/**
 * Completes the field, or the value of a field, that the cursor stands behind: `pro` to `project:`, `project:s` to the
 * projects that begin so, or else hold it. Words are not completed.
 *
 * @param at where the cursor is, in UTF-16 units
 */
export async function completeQuery(
  db: Reader,
  scope: Scope,
  query: string,
  at: number = query.length,
): Promise<QueryCompletions> {
  const target = completionTarget(query, at);
  if (!target) return { from: at, options: [] };
  const { field, text: begun, start: from } = target;
  if (!field) {
    const fields = FIELDS.filter((each) => each.startsWith(begun) && each !== begun);
    return { from, options: fields.map((each) => ({ text: `${each}:` })) };
  }
  const options = await valuesOf(db, scope, field);
  const small = begun.toLowerCase();
  const fits = ({ text }: QueryCompletion) => text.toLowerCase().startsWith(small);
  const holds = ({ text }: QueryCompletion) => text.toLowerCase().includes(small);
  const wanted = [...options.filter(fits), ...options.filter((each) => !fits(each) && holds(each))];
  return {
    from,
    options: wanted
      .filter(({ text }) => text !== begun)
      .slice(0, MOST_OPTIONS)
      .map(({ text, ...counted }) => ({ text: quoteValue(text), ...counted })),
  };
}

/** All values of a field that are known, the most frequent first. */
async function valuesOf(db: Reader, scope: Scope, field: FieldName): Promise<QueryCompletion[]> {
  const known = knownValues(field);
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
      const agents = Map.groupBy(rows, ({ path }) => agentOf(path) ?? "");
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
      return []; // files and sessions: too many to choose from
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
    WHERE ${inScope(scope)} AND ${value} <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${sql.lit(MOST_VALUES)}`.execute(
    db,
  );
  return rows;
}

/** More different values than anybody looks through. */
const MOST_VALUES = 5000;

/** Values that are the same, as one. */
function merged(options: readonly QueryCompletion[]): QueryCompletion[] {
  const byText = new Map<string, number>();
  for (const { text, sessions = 0 } of options) byText.set(text, (byText.get(text) ?? 0) + sessions);
  return [...byText].map(([text, sessions]) => ({ text, sessions })).sort((a, b) => b.sessions - a.sessions);
}
