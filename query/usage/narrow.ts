import type { z } from "zod";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { allOf, sessionCondition } from "../filter.ts";
import { findSession } from "../find.ts";
import { Filters, parseOptions } from "../options.ts";
import type { Scope } from "../scope.ts";
import { families, type Member, subagentFiles, UNNAMED_AGENT, withSubagents } from "./families.ts";
import type { SumColumn } from "./sum-query.ts";
import type { UsageEventsOptions } from "./usage-options.ts";

type Condition = Sql<SqlBool>;
export type Narrowing = z.output<typeof UsageEventsOptions>;

/** What options leave of the ledger. */
export interface Narrowed {
  /** On the columns of `spending`, which events have too. */
  spending: Condition;
  /** The columns that it is on, besides `file_id`. */
  columns: readonly SumColumn[];
  /** On those of `tool_use`. */
  toolUse: Condition;
  /** The same on blocks of time, where no session is asked for. */
  blocks?: { spending: Condition; toolUse: Condition } | undefined;
  /** Whether only one tool is asked for: then calls must be told apart by tool. */
  ofTool: boolean;
  /** The rows of all files of subagents. */
  subagents: readonly number[];
  /** Models by their rows. */
  models: ReadonlyMap<number, { provider: string; model: string }>;
  /** Sessions by their rows; empty unless options, or the caller, need them. */
  members: ReadonlyMap<number, Member>;
}

/** What the caller needs of `Narrowed`. */
export interface Needs {
  /** Whether `members` must have all sessions, be that only where some are of subagents. */
  needsMembers: "always" | "for subagents" | "never";
  isByPeriod: boolean;
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
  { needsMembers, isByPeriod }: Needs,
): Promise<Narrowed> {
  const { cwd, project, session, agent, tool } = options;
  const namesSessions = cwd !== undefined || project !== undefined || session !== undefined;
  const { rows: models } = await sql<{ id: number; provider: string; model: string }>`
    SELECT id, provider, model FROM model`.execute(db);
  const subagents = await subagentFiles(db, scope);
  const needsSubagents = needsMembers === "for subagents" || agent !== undefined || tool !== undefined;
  const members =
    needsMembers === "always" || namesSessions || (needsSubagents && subagents.length > 0)
      ? await families(db, scope)
      : new Map<number, Member>();
  const files = namesSessions ? await sessionsOf(db, scope, options, members) : undefined;
  const given: Given = {
    // Sums by period are walked in order of time: with the `+` SQLite does not look for each file in each period.
    files: files && (isByPeriod ? sql`+file_id IN ${listed(files)}` : isOneOf("file_id", files)),
    models:
      options.model === undefined && options.provider === undefined ? undefined : modelsOf(models, options),
    ofSubagents: isOneOf("file_id", subagents),
    startedAs: (is) =>
      isOneOf(
        "file_id",
        [...members.values()].filter(is).map(({ id }) => id),
      ),
  };
  const ofAll = files === undefined && agent === undefined && tool === undefined;
  return {
    ...conditionsOf(options, given),
    columns: columnsOf(options),
    ...(ofAll && { blocks: conditionsOf(options, { ...given, ofSubagents: sql`subagent = 1` }) }),
    ofTool: tool !== undefined,
    subagents,
    models: new Map(models.map(({ id, ...model }) => [id, model])),
    members,
  };
}

/** What options come to in conditions. */
interface Given {
  files: Condition | undefined;
  models: readonly number[] | undefined;
  ofSubagents: Condition;
  /** On the sessions of subagents that were started in some way. */
  startedAs: (is: (member: Member) => boolean) => Condition;
}

function conditionsOf(
  options: Narrowing,
  { files, models, ofSubagents, startedAs }: Given,
): { spending: Condition; toolUse: Condition } {
  const { agent, tool, kind } = options;
  const both: Condition[] = [
    ...(files ? [files] : []),
    ...(models ? [isOneOf("model_id", models)] : []),
    ...(options.branch === undefined
      ? []
      : [sql<SqlBool>`current = ${options.branch === "current" ? 1 : 0}`]),
  ];
  const spending: Condition[] = [...both];
  const toolUse: Condition[] = [...both];
  if (options.subagents === "no") {
    spending.push(sql`kind <> 'subagent' AND NOT ${ofSubagents}`);
    toolUse.push(sql`NOT ${ofSubagents}`);
  } else if (options.subagents === "only") {
    spending.push(sql`(kind = 'subagent' OR ${ofSubagents})`);
    toolUse.push(ofSubagents);
  }
  if (tool !== undefined) {
    const started = startedAs((member) => member.tool === tool);
    spending.push(sql`(tool = ${tool} OR tool = '' AND ${started})`);
    toolUse.push(sql`tool = ${tool}`);
  }
  if (agent !== undefined) {
    const theirs = startedAs((member) => member.subagent && (member.agent ?? UNNAMED_AGENT) === agent);
    const isUnnamed = agent === UNNAMED_AGENT ? sql`kind = 'subagent' AND agent = ''` : sql`FALSE`;
    spending.push(sql`(agent = ${agent} OR ${isUnnamed} OR ${theirs})`);
    toolUse.push(theirs);
  }
  if (kind === "subagent") {
    spending.push(sql`(kind = 'subagent' OR (${ofSubagents} AND kind <> 'user'))`);
    toolUse.push(ofSubagents);
  } else if (kind !== undefined) {
    spending.push(sql`(kind = ${kind} OR ${kind} = 'usage' AND kind GLOB 'usage:*') AND NOT ${ofSubagents}`);
    toolUse.push(sql`NOT ${ofSubagents}`);
  }
  if (kind !== undefined && kind !== "assistant" && kind !== "subagent") toolUse.push(sql`FALSE`);
  return { spending: allOf(spending), toolUse: allOf(toolUse) };
}

/** The columns that conditions are on, besides `file_id`. */
function columnsOf({ model, provider, branch, subagents, tool, agent, kind }: Narrowing): SumColumn[] {
  return [
    ...(model !== undefined || provider !== undefined ? ["model_id" as const] : []),
    ...(branch !== undefined ? ["current" as const] : []),
    ...(subagents !== "yes" || kind !== undefined || agent !== undefined ? ["kind" as const] : []),
    ...(agent !== undefined ? ["agent" as const] : []),
    ...(tool !== undefined ? ["tool" as const] : []),
  ];
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
