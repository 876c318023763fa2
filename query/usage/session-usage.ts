import { type Sums, zeroSums } from "../../src/store/schema.ts";
import type { Store } from "../../src/store/store.ts";
import type { CopiedUsage, UsageReads } from "../../src/store/usage-reads.ts";
import type { SessionInfo } from "../answers.ts";
import { readForkFamilies } from "../forks.ts";
import { resolveSession } from "../resolve-session.ts";
import { readSessions } from "../session-info.ts";
import { breakDown, includesTurns } from "./breakdown.ts";
import { sumAll, toDollars, toFigures } from "./figures.ts";
import { resolveFilters, type UsageSelection } from "./resolve-filters.ts";
import { type SessionMember, withSubagents } from "./session-members.ts";
import { toUsageRows } from "./usage.ts";
import type { SessionFigures, SessionUsage, UsageRow } from "./usage-answers.ts";
import type { UsageDimension } from "./usage-options.ts";

/**
 * The usage of one session: its own, that of its subagents and of the sessions forked from it, and that of events which it
 * copied from earlier sessions.
 *
 * @throws PidexError as `resolveSession`
 */
export async function sessionUsage(store: Store, session: string): Promise<SessionUsage> {
  const { fileId, info } = await resolveSession(store, session);
  const reads = await store.usage();
  const narrowed = await resolveFilters(store, { subagents: "yes" }, "always");
  const { members } = narrowed;
  const subagents = withSubagents(members, new Set([fileId])).filter(({ id }) => id !== fileId);
  // A subagent run that continues its caller's context is a fork too: it is reported once.
  const started = new Set(subagents.map(({ id }) => id));
  const forks = (await forksOf(store, fileId)).filter((id) => !started.has(id));
  const inFamily = withSubagents(members, new Set([fileId, ...forks]));
  const sums = await sumsByFile(reads, narrowed, inFamily);
  const own = sums.get(fileId) ?? zeroSums();
  const ofSubagents = subagents.map(({ id }) => sums.get(id) ?? zeroSums());
  const familySums = inFamily.map(({ id }) => sums.get(id) ?? zeroSums());
  const ids = new Set([fileId, ...subagents.map(({ id }) => id)]);
  const sessions = await readSessions(store, [...subagents.map(({ id }) => id), ...forks]);
  const rowsBy = (dimension: UsageDimension) => rowsOf(reads, narrowed, [...ids], dimension);
  const copied = await reads.sumCopies(fileId, narrowed.subagents);
  const byStop = await rowsBy("stop");
  return {
    session: info,
    own: toFigures(own),
    subagents: subagents.map(({ id }, n) => ({
      session: sessions.get(id) as SessionInfo,
      figures: toFigures(ofSubagents[n] as Sums),
    })),
    inherited: toFigures(copied.sums),
    inheritedFrom: await inheritedFrom(store, copied),
    forks: forks.map((id): SessionFigures => {
      const theirs = withSubagents(members, new Set([id])).map((member) => sums.get(member.id) ?? zeroSums());
      return { session: sessions.get(id) as SessionInfo, figures: toFigures(sumAll(theirs)) };
    }),
    withSubagents: toFigures(sumAll([own, ...ofSubagents])),
    withChildren: toFigures(sumAll(familySums)),
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

async function sumsByFile(
  reads: UsageReads,
  { subagents }: UsageSelection,
  files: readonly SessionMember[],
): Promise<Map<number, Sums>> {
  const sums = new Map(files.map(({ id }) => [id, zeroSums()]));
  await reads.sum({
    files: new Set(sums.keys()),
    subagents,
    isByFile: true,
    isBySeries: false,
    target: (file) => {
      const ofFile = sums.get(file);
      const target = ofFile && (() => ofFile);
      return () => target;
    },
  });
  return sums;
}

async function rowsOf(
  reads: UsageReads,
  narrowed: UsageSelection,
  files: readonly number[],
  dimension: UsageDimension,
): Promise<UsageRow[]> {
  const by = [dimension];
  const of = { ...narrowed, files: new Set(files) };
  const groups = await breakDown(reads, of, { by, timeZone: "UTC", weekStart: "monday" });
  return toUsageRows(reads, groups, by, includesTurns(by), narrowed.members);
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
