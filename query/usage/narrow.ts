import type { z } from "zod";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { sessionCondition } from "../filter.ts";
import { findSession } from "../find.ts";
import { Filters, parseOptions } from "../options.ts";
import type { Scope } from "../scope.ts";
import { families, type Member, subagentFiles, UNNAMED_AGENT, withSubagents } from "./families.ts";
import type { Series } from "./sum-up.ts";
import type { UsageEventsOptions } from "./usage-options.ts";

export type Narrowing = z.output<typeof UsageEventsOptions>;

/** What options leave of the ledger. */
export interface Narrowed {
  /** The only files that matter, by their rows; undefined for all. */
  files?: ReadonlySet<number> | undefined;
  /** Whether what is of a series, in a file, is left. */
  matches: (series: Series, file: number) => boolean;
  /** Whether only one tool is asked for: then calls must be told apart by tool. */
  ofTool: boolean;
  /** The rows of all files of subagents. */
  subagents: ReadonlySet<number>;
  /** Models by their rows. */
  models: ReadonlyMap<number, { provider: string; model: string }>;
  /** Sessions by their rows; empty unless options, or the caller, need them. */
  members: ReadonlyMap<number, Member>;
}

/** Whether `members` must have all sessions, be that only where some are of subagents. */
export type NeedsMembers = "always" | "for subagents" | "never";

/**
 * Works out what options mean.
 *
 * @throws as `findSession`
 */
export async function narrow(
  db: Reader,
  scope: Scope,
  options: Narrowing,
  needsMembers: NeedsMembers,
): Promise<Narrowed> {
  const { cwd, project, session, agent, tool } = options;
  const namesSessions = cwd !== undefined || project !== undefined || session !== undefined;
  const { rows: models } = await sql<{ id: number; provider: string; model: string }>`
    SELECT id, provider, model FROM model`.execute(db);
  const subagents = new Set(await subagentFiles(db, scope));
  const needsSubagents = needsMembers === "for subagents" || agent !== undefined || tool !== undefined;
  const members =
    needsMembers === "always" || namesSessions || (needsSubagents && subagents.size > 0)
      ? await families(db, scope)
      : new Map<number, Member>();
  const files = namesSessions ? await sessionsOf(db, scope, options, members) : undefined;
  const ids =
    options.model === undefined && options.provider === undefined
      ? undefined
      : new Set(modelsOf(models, options));
  return {
    ...(files && { files: new Set(files) }),
    matches: matching(options, { models: ids, subagents, members }),
    ofTool: tool !== undefined,
    subagents,
    models: new Map(models.map(({ id, ...model }) => [id, model])),
    members,
  };
}

/** Whether options want what is of a series in a file. */
function matching(
  { agent, tool, kind, branch, subagents: wanted }: Narrowing,
  {
    models,
    subagents,
    members,
  }: { models: ReadonlySet<number> | undefined } & Pick<Narrowed, "subagents" | "members">,
): Narrowed["matches"] {
  const isOfAgent = (series: Series, member: Member | undefined) =>
    series.agent === agent ||
    (agent === UNNAMED_AGENT && series.kind === "subagent" && series.agent === "") ||
    (member?.subagent === true && (member.agent ?? UNNAMED_AGENT) === agent);
  const isOfTool = (series: Series, member: Member | undefined) =>
    series.tool === tool || (!series.isCall && series.tool === "" && member?.tool === tool);
  const isOfKind = (series: Series, isSubagents: boolean) => {
    if (kind === "subagent") return series.kind === "subagent" || (isSubagents && series.kind !== "user");
    return !isSubagents && (series.kind === kind || (kind === "usage" && series.kind.startsWith("usage:")));
  };
  return (series, file) => {
    const isSubagents = subagents.has(file);
    if (models && !models.has(series.model_id)) return false;
    if (branch !== undefined && (series.current === 1) !== (branch === "current")) return false;
    if (wanted !== "yes" && (wanted === "only") !== (series.kind === "subagent" || isSubagents)) return false;
    if (tool !== undefined && !isOfTool(series, members.get(file))) return false;
    if (agent !== undefined && !isOfAgent(series, members.get(file))) return false;
    return kind === undefined || isOfKind(series, isSubagents);
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
