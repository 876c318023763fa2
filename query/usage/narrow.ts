import type { z } from "zod";
import type { Reader } from "../../src/database/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/database/sql.ts";
import { allOf, sessionCondition } from "../filter.ts";
import { findSession } from "../find.ts";
import { Filters, parseOptions } from "../options.ts";
import type { Scope } from "../scope.ts";
import { families, type Member, subagentFiles, UNNAMED_AGENT, withSubagents } from "./families.ts";
import type { UsageEventsOptions } from "./usage-options.ts";

type Condition = Sql<SqlBool>;
export type Narrowing = z.output<typeof UsageEventsOptions>;

/** What options leave of the ledger. */
export interface Narrowed {
  /** On the columns of `spending`, which events have too. */
  spending: Condition;
  /** Whether it is on sessions and branches alone. */
  isOfSessions: boolean;
  /** On those of `tool_use`. */
  toolUse: Condition;
  /** Whether only one tool is asked for: then calls must be told apart by tool. */
  ofTool: boolean;
  /** The rows of all files of subagents. */
  subagents: readonly number[];
  /** Models by their rows. */
  models: ReadonlyMap<number, { provider: string; model: string }>;
  /** Sessions by their rows; empty unless options, or the caller, need them. */
  members: ReadonlyMap<number, Member>;
}

/**
 * Works out what options mean.
 *
 * @throws as `findSession`
 */
export async function narrow(
  db: Reader,
  scope: Scope,
  options: Narrowing,
  { needsMembers, isByPeriod }: { needsMembers: boolean; isByPeriod: boolean },
): Promise<Narrowed> {
  const { cwd, project, session, agent, tool } = options;
  const namesSessions = cwd !== undefined || project !== undefined || session !== undefined;
  const { rows: models } = await sql<{ id: number; provider: string; model: string }>`
    SELECT id, provider, model FROM model`.execute(db);
  const members =
    needsMembers || namesSessions || agent !== undefined || tool !== undefined
      ? await families(db, scope)
      : new Map<number, Member>();
  const subagents = await subagentFiles(db, scope);
  const both: Condition[] = [];
  if (namesSessions) {
    const files = await sessionsOf(db, scope, options, members);
    // Sums by period are walked in order of time: with the `+` SQLite does not look for each file in each period.
    both.push(isByPeriod ? sql`+file_id IN ${listed(files)}` : isOneOf("file_id", files));
  }
  if (options.model !== undefined || options.provider !== undefined) {
    both.push(isOneOf("model_id", modelsOf(models, options)));
  }
  if (options.branch !== undefined) both.push(sql`current = ${options.branch === "current" ? 1 : 0}`);
  const ofSubagents = isOneOf("file_id", subagents);
  const spending: Condition[] = [...both];
  const toolUse: Condition[] = [...both];

  if (options.subagents === "no") {
    spending.push(sql`kind <> 'subagent' AND NOT ${ofSubagents}`);
    toolUse.push(sql`NOT ${ofSubagents}`);
  } else if (options.subagents === "only") {
    spending.push(sql`(kind = 'subagent' OR ${ofSubagents})`);
    toolUse.push(ofSubagents);
  }
  const startedAs = (is: (member: Member) => boolean) => [...members.values()].filter(is).map(({ id }) => id);
  if (tool !== undefined) {
    const started = startedAs((member) => member.tool === tool);
    spending.push(sql`(tool = ${tool} OR tool = '' AND ${isOneOf("file_id", started)})`);
    toolUse.push(sql`tool = ${tool}`);
  }
  if (agent !== undefined) {
    const theirs = startedAs((member) => member.subagent && (member.agent ?? UNNAMED_AGENT) === agent);
    const isUnnamed = agent === UNNAMED_AGENT ? sql`kind = 'subagent' AND agent = ''` : sql`FALSE`;
    spending.push(sql`(agent = ${agent} OR ${isUnnamed} OR ${isOneOf("file_id", theirs)})`);
    toolUse.push(isOneOf("file_id", theirs));
  }
  const { kind } = options;
  if (kind === "subagent") {
    spending.push(sql`(kind = 'subagent' OR (${ofSubagents} AND kind <> 'user'))`);
    toolUse.push(ofSubagents);
  } else if (kind !== undefined) {
    spending.push(sql`(kind = ${kind} OR ${kind} = 'usage' AND kind GLOB 'usage:*') AND NOT ${ofSubagents}`);
    toolUse.push(sql`NOT ${ofSubagents}`);
  }
  if (kind !== undefined && kind !== "assistant" && kind !== "subagent") toolUse.push(sql`FALSE`);
  return {
    spending: allOf(spending),
    toolUse: allOf(toolUse),
    ofTool: tool !== undefined,
    isOfSessions:
      [options.model, options.provider, options.kind, agent, tool].every((filter) => filter === undefined) &&
      options.subagents === "yes",
    subagents,
    models: new Map(models.map(({ id, ...model }) => [id, model])),
    members,
  };
}

/** The sessions that are meant, and those of their subagents, wherever these worked. */
async function sessionsOf(
  db: Reader,
  scope: Scope,
  { cwd, project, session }: Narrowing,
  members: ReadonlyMap<number, Member>,
): Promise<number[]> {
  const filters = parseOptions(Filters, { cwd, project, subagents: "yes" });
  const { rows } = await sql<{ id: number }>`
    SELECT file.id FROM session JOIN file ON file.id = session.file_id
    WHERE ${sessionCondition(scope, filters)}`.execute(db);
  const there = new Set(rows.map(({ id }) => id));
  const wanted =
    session === undefined
      ? [...members.values()]
      : withSubagents(members, new Set([(await findSession(db, scope, session)).fileId]));
  return wanted.filter(({ root }) => there.has(root)).map(({ id }) => id);
}

/** Models by a part of their names, or by the whole `provider/model`, in any case. */
function modelsOf(
  models: readonly { id: number; provider: string; model: string }[],
  { model, provider }: Narrowing,
): number[] {
  const nameOf = (each: { provider: string; model: string }) =>
    `${each.provider}/${each.model}`.toLowerCase();
  const wanted = model?.toLowerCase();
  const isWhole = models.some((each) => nameOf(each) === wanted);
  return models
    .filter((each) => provider === undefined || each.provider.toLowerCase() === provider.toLowerCase())
    .filter(
      (each) => wanted === undefined || (isWhole ? nameOf(each) === wanted : nameOf(each).includes(wanted)),
    )
    .map(({ id }) => id);
}

export function isOneOf(column: "file_id" | "model_id", ids: readonly number[]): Condition {
  return sql`${sql.ref(column)} IN ${listed(ids)}`;
}

/** Numbers as a list that is one parameter, however long it is. */
function listed(ids: readonly number[]): Sql<unknown> {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}
