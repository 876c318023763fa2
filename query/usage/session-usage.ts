import { zeroSums } from "../../src/store/schema.ts";
import type { Store } from "../../src/store/store.ts";
import type { CopiedUsage, SumTarget, UsageReads } from "../../src/store/usage-reads.ts";
import type { SessionInfo } from "../answers.ts";
import { readForkFamilies } from "../forks.ts";
import { parseOptions } from "../options.ts";
import { createPriceBook } from "../prices/price-book.ts";
import { resolveSession } from "../resolve-session.ts";
import { readSessions } from "../session-info.ts";
import { breakDown, includesTurns } from "./breakdown.ts";
import { Estimator } from "./estimator.ts";
import { groupFigures, sumFigures, toDollars, toFigures } from "./figures.ts";
import { type Priced, PricedGroups } from "./priced-groups.ts";
import { resolveFilters, type UsageSelection } from "./resolve-filters.ts";
import { type SessionMember, withSubagents } from "./session-members.ts";
import { toUsageRows } from "./usage.ts";
import type { SessionFigures, SessionUsage, UsageRow } from "./usage-answers.ts";
import { SpendOptions, type UsageDimension } from "./usage-options.ts";

/**
 * The usage of one session: its own, that of its subagents and of the sessions forked from it, and that of events which it
 * copied from earlier sessions.
 *
 * @throws PidexError `BAD_OPTION`; as `resolveSession`
 */
export async function sessionUsage(
  store: Store,
  session: string,
  options: SpendOptions = {},
): Promise<SessionUsage> {
  const { estimates, prices } = parseOptions(SpendOptions, options);
  const { fileId, info } = await resolveSession(store, session);
  const reads = await store.usage();
  const narrowed = await resolveFilters(store, { subagents: "yes" }, "always");
  const { members } = narrowed;
  const subagents = withSubagents(members, new Set([fileId])).filter(({ id }) => id !== fileId);
  // A subagent run that continues its caller's context is a fork too: it is reported once.
  const started = new Set(subagents.map(({ id }) => id));
  const forks = (await forksOf(store, fileId)).filter((id) => !started.has(id));
  const inFamily = withSubagents(members, new Set([fileId, ...forks]));
  const estimator = estimates ? new Estimator(createPriceBook(prices), narrowed.models) : undefined;
  const shape = { withTurns: true, withEstimates: estimates };
  const groups = await sumByFile(reads, narrowed, inFamily, estimator);
  const groupOf = (id: number): Priced => groups.get(id) ?? { sums: zeroSums() };
  const own = groupOf(fileId);
  const ofSubagents = subagents.map(({ id }) => groupOf(id));
  const ids = new Set([fileId, ...subagents.map(({ id }) => id)]);
  const sessions = await readSessions(store, [...subagents.map(({ id }) => id), ...forks]);
  const rowsBy = (dimension: UsageDimension) => rowsOf(reads, narrowed, [...ids], dimension, estimator);
  const copied = await reads.sumCopies(fileId, narrowed.subagents);
  const byStop = await rowsBy("stop");
  return {
    session: info,
    own: groupFigures(own, shape),
    subagents: subagents.map(({ id }, n) => ({
      session: sessions.get(id) as SessionInfo,
      figures: groupFigures(ofSubagents[n] as Priced, shape),
    })),
    inherited: toFigures(copied.sums),
    inheritedFrom: await inheritedFrom(store, copied),
    forks: forks.map((id): SessionFigures => {
      const theirs = withSubagents(members, new Set([id])).map((member) => groupOf(member.id));
      return { session: sessions.get(id) as SessionInfo, figures: sumFigures(theirs, shape) };
    }),
    withSubagents: sumFigures([own, ...ofSubagents], shape),
    withChildren: sumFigures(
      inFamily.map(({ id }) => groupOf(id)),
      shape,
    ),
    byModel: await rowsBy("model"),
    byKind: await rowsBy("kind"),
    byTool: await rowsBy("tool"),
    byBranch: await rowsBy("branch"),
    stopReasons: byStop
      .filter(({ messages }) => messages > 0)
      .map(({ key, messages }) => ({ name: key.stop ?? "", count: messages }))
      .sort((a, b) => b.count - a.count),
    unreadFiles: await reads.countUnread(),
  };
}

/** The sessions forked from this one, directly or indirectly, in order of creation. */
async function forksOf(store: Store, fileId: number): Promise<number[]> {
  const { children } = await readForkFamilies(store);
  const forks = new Set<number>();
  for (let next = [fileId]; next.length > 0; ) {
    next = next
      .flatMap((id) => children.get(id) ?? [])
      .map(({ file }) => file)
      .filter((id) => id !== fileId && !forks.has(id));
    for (const id of next) forks.add(id);
  }
  return [...forks];
}

/** The sums of each file, priced with an estimator. */
async function sumByFile(
  reads: UsageReads,
  { subagents }: UsageSelection,
  files: readonly SessionMember[],
  estimator: Estimator | undefined,
): Promise<Map<number, Priced>> {
  const groups = new Map(files.map(({ id }): [number, Priced] => [id, { sums: zeroSums() }]));
  const groupOf = (id: number) => groups.get(id) as Priced;
  const priced = estimator && new PricedGroups(estimator, groupOf);
  await reads.sum({
    files: new Set(groups.keys()),
    subagents,
    isByFile: true,
    isBySeries: estimator !== undefined,
    periodAt: estimator?.divide(undefined),
    target: (file) => {
      if (!groups.has(file)) return () => undefined;
      if (!estimator || !priced) return () => () => groupOf(file).sums;
      const byRate: SumTarget[] = [];
      return (series) => {
        const rate = estimator.rateOf(series);
        byRate[rate] ??= priced.createTarget(file, undefined, rate);
        return byRate[rate];
      };
    },
  });
  priced?.addUp();
  return groups;
}

async function rowsOf(
  reads: UsageReads,
  narrowed: UsageSelection,
  files: readonly number[],
  dimension: UsageDimension,
  estimator: Estimator | undefined,
): Promise<UsageRow[]> {
  const by = [dimension];
  const of = { ...narrowed, files: new Set(files) };
  const groups = await breakDown(reads, of, { by, timeZone: "UTC", weekStart: "monday", estimator });
  const shape = { withTurns: includesTurns(by), withEstimates: estimator !== undefined };
  return toUsageRows(reads, groups, by, shape, narrowed.members);
}

/** The sessions that own the copied events, most expensive first. */
async function inheritedFrom(store: Store, { costs }: CopiedUsage): Promise<SessionUsage["inheritedFrom"]> {
  const sessions = await readSessions(store, [...costs.keys()]);
  return [...costs]
    .flatMap(([owner, costNanoUsd]) => {
      const session = sessions.get(owner);
      return session ? [{ session, costUsd: toDollars(costNanoUsd), costNanoUsd }] : [];
    })
    .sort((a, b) => b.costNanoUsd - a.costNanoUsd || (a.session.path < b.session.path ? -1 : 1));
}
