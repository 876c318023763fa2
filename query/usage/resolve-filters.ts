import type { z } from "zod";
import type { Store } from "../../src/store/store.ts";
import type { ModelRow, UsageSeries } from "../../src/store/usage-reads.ts";
import { toSessionCondition } from "../filter.ts";
import { Filters, parseOptions } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { readSessionMembers, type SessionMember, UNNAMED_AGENT, withSubagents } from "./session-members.ts";
import type { UsageEventsOptions } from "./usage-options.ts";

export type UsageFilters = z.output<typeof UsageEventsOptions>;

const SERIES_FILTERS = ["model", "provider", "kind", "agent", "tool", "branch"] as const;

/** The part of the ledger that options select. */
export interface UsageSelection {
  /** The selected files; undefined for all. */
  files?: ReadonlySet<number> | undefined;
  /** Whether the options select a series in a file. */
  matches: (series: UsageSeries, file: number) => boolean;
  /** Whether the options select some series. */
  filtersSeries: boolean;
  /** Whether the options select one tool, so that calls must be distinguished by tool. */
  hasToolFilter: boolean;
  /** All files of subagents. */
  subagents: ReadonlySet<number>;
  /** Models by id. */
  models: ReadonlyMap<number, Pick<ModelRow, "provider" | "model">>;
  /** Sessions by file; empty unless they are needed. */
  members: ReadonlyMap<number, SessionMember>;
}

/** Whether a query needs `members`: always, or only if there are subagents. */
export type NeedsMembers = "always" | "for subagents" | "never";

/**
 * Resolves options to files, models and conditions.
 *
 * @throws as `resolveSession`
 */
export async function resolveFilters(
  store: Store,
  options: UsageFilters,
  needsMembers: NeedsMembers,
): Promise<UsageSelection> {
  const { cwd, project, session, machine, person, agent, tool } = options;
  const namesSessions = [cwd, project, session, machine, person].some((filter) => filter !== undefined);
  const usage = await store.usage();
  const models = await usage.models();
  const subagents = new Set(await usage.subagentFiles());
  const needsSubagents = needsMembers === "for subagents" || agent !== undefined || tool !== undefined;
  const members =
    needsMembers === "always" || namesSessions || (needsSubagents && subagents.size > 0)
      ? await readSessionMembers(store)
      : new Map<number, SessionMember>();
  const files = namesSessions ? await sessionsOf(store, options, members) : undefined;
  const ids =
    options.model === undefined && options.provider === undefined
      ? undefined
      : new Set(modelsOf(models, options));
  return {
    ...(files && { files: new Set(files) }),
    matches: createMatcher(options, { models: ids, subagents, members }),
    filtersSeries:
      options.subagents !== "yes" || SERIES_FILTERS.some((filter) => options[filter] !== undefined),
    hasToolFilter: tool !== undefined,
    subagents,
    models: new Map(models.map(({ id, ...model }) => [id, model])),
    members,
  };
}

function createMatcher(
  { agent, tool, kind, branch, subagents: subagentFilter }: UsageFilters,
  {
    models,
    subagents,
    members,
  }: { models: ReadonlySet<number> | undefined } & Pick<UsageSelection, "subagents" | "members">,
): UsageSelection["matches"] {
  const isOfAgent = (series: UsageSeries, member: SessionMember | undefined) =>
    series.agent === agent ||
    (agent === UNNAMED_AGENT && series.kind === "subagent" && series.agent === "") ||
    (member?.subagent === true && (member.agent ?? UNNAMED_AGENT) === agent);
  const isOfTool = (series: UsageSeries, member: SessionMember | undefined) =>
    series.tool === tool || (!series.isCall && series.tool === "" && member?.tool === tool);
  const isOfKind = (series: UsageSeries, isSubagents: boolean) => {
    if (kind === "subagent") return series.kind === "subagent" || (isSubagents && series.kind !== "user");
    return !isSubagents && (series.kind === kind || (kind === "usage" && series.kind.startsWith("usage:")));
  };
  return (series, file) => {
    const isSubagents = subagents.has(file);
    if (models && !models.has(series.model_id)) return false;
    if (branch !== undefined && (series.current === 1) !== (branch === "current")) return false;
    const isSubagentUsage = series.kind === "subagent" || isSubagents;
    if (subagentFilter !== "yes" && (subagentFilter === "only") !== isSubagentUsage) return false;
    if (tool !== undefined && !isOfTool(series, members.get(file))) return false;
    if (agent !== undefined && !isOfAgent(series, members.get(file))) return false;
    return kind === undefined || isOfKind(series, isSubagents);
  };
}

/** The selected sessions, and those of their subagents in any directory. */
async function sessionsOf(
  store: Store,
  { cwd, project, session, machine, person }: UsageFilters,
  members: ReadonlyMap<number, SessionMember>,
): Promise<number[]> {
  const filters = parseOptions(Filters, { cwd, project, machine, person, subagents: "yes" });
  const selected = new Set(await store.sessions.findFiles(toSessionCondition(filters)));
  const candidates =
    session === undefined
      ? [...members.values()]
      : withSubagents(members, new Set([(await resolveSession(store, session)).fileId]));
  return candidates.filter(({ mainSession }) => selected.has(mainSession)).map(({ id }) => id);
}

/** Ids of the models with a name that contains `model`, or equals it as `provider/model`. Ignores case. */
function modelsOf(models: readonly ModelRow[], { model, provider }: UsageFilters): number[] {
  const fullName = (row: ModelRow) => `${row.provider}/${row.model}`.toLowerCase();
  const name = model?.toLowerCase();
  const isFullName = models.some((row) => fullName(row) === name);
  return models
    .filter((row) => provider === undefined || row.provider.toLowerCase() === provider.toLowerCase())
    .filter(
      (row) => name === undefined || (isFullName ? fullName(row) === name : fullName(row).includes(name)),
    )
    .map(({ id }) => id);
}
