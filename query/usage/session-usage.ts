import { ATTRIBUTION, type Sums, zeroSums } from "../../src/store/schema.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../../src/store/sqlite/scope.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SessionInfo } from "../answers.ts";
import { readForkFamilies } from "../forks.ts";
import { resolveSession } from "../resolve-session.ts";
import { readSessions } from "../session-info.ts";
import { breakDown, includesTurns } from "./breakdown.ts";
import { sumAll, toDollars, toFigures } from "./figures.ts";
import { resolveFilters, type UsageSelection } from "./resolve-filters.ts";
import { type Correction, readScopedLedger, type ScopedLedger } from "./scoped-ledger.ts";
import { type SessionMember, withSubagents } from "./session-members.ts";
import { sumEvents, sumLedger } from "./sum-ledger.ts";
import { countUnreadFiles, toUsageRows } from "./usage.ts";
import type { SessionFigures, SessionUsage, UsageRow } from "./usage-answers.ts";
import type { UsageDimension } from "./usage-options.ts";

/**
 * The usage of one session: its own, that of its subagents and of the sessions forked from it, and that of events which it
 * copied from earlier sessions.
 *
 * @throws PidexError as `resolveSession`
 */
export async function sessionUsage(db: Reader, scope: Scope, session: string): Promise<SessionUsage> {
  const { fileId, info } = await resolveSession(new SqliteStore(db, scope), session);
  const ledger = await readScopedLedger(db, scope);
  const narrowed = await resolveFilters(db, ledger, { subagents: "yes" }, "always");
  const { members } = narrowed;
  const subagents = withSubagents(members, new Set([fileId])).filter(({ id }) => id !== fileId);
  // A subagent run that continues its caller's context is a fork too: it is reported once.
  const started = new Set(subagents.map(({ id }) => id));
  const forks = (await forksOf(db, scope, fileId)).filter((id) => !started.has(id));
  const inFamily = withSubagents(members, new Set([fileId, ...forks]));
  const sums = await sumsByFile(db, ledger, narrowed, inFamily);
  const own = sums.get(fileId) ?? zeroSums();
  const ofSubagents = subagents.map(({ id }) => sums.get(id) ?? zeroSums());
  const familySums = inFamily.map(({ id }) => sums.get(id) ?? zeroSums());
  const ids = new Set([fileId, ...subagents.map(({ id }) => id)]);
  const sessions = await readSessions(new SqliteStore(db, scope), [
    ...subagents.map(({ id }) => id),
    ...forks,
  ]);
  const rowsBy = (dimension: UsageDimension) => rowsOf(db, ledger, narrowed, [...ids], dimension);
  const copies = await copiesIn(db, ledger, fileId);
  const inherited = zeroSums();
  await sumEvents(db, copies, correctionsOf(copies), {
    subagents: narrowed.subagents,
    target: () => () => () => inherited,
  });
  const byStop = await rowsBy("stop");
  return {
    session: info,
    own: toFigures(own),
    subagents: subagents.map(({ id }, n) => ({
      session: sessions.get(id) as SessionInfo,
      figures: toFigures(ofSubagents[n] as Sums),
    })),
    inherited: toFigures(inherited),
    inheritedFrom: await inheritedFrom(db, copies),
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
    unreadFiles: await countUnreadFiles(db, scope),
  };
}

/** The sessions forked from this one, directly or indirectly, in order of creation. */
async function forksOf(db: Reader, scope: Scope, fileId: number): Promise<number[]> {
  const { children } = await readForkFamilies(new SqliteStore(db, scope));
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
  db: Reader,
  ledger: ScopedLedger,
  { subagents }: UsageSelection,
  files: readonly SessionMember[],
): Promise<Map<number, Sums>> {
  const sums = new Map(files.map(({ id }) => [id, zeroSums()]));
  await sumLedger(db, ledger, {
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
  db: Reader,
  ledger: ScopedLedger,
  narrowed: UsageSelection,
  files: readonly number[],
  dimension: UsageDimension,
): Promise<UsageRow[]> {
  const by = [dimension];
  const of = { ...narrowed, files: new Set(files) };
  const groups = await breakDown(db, ledger, of, { by, timeZone: "UTC", weekStart: "monday" });
  return toUsageRows(db, groups, by, includesTurns(by), narrowed.members);
}

interface Copy {
  entry: number;
  ordinal: number;
  /** The owner's file. */
  owner: number;
  /** The cost counted at the owner, in nano-dollars. */
  cost: number;
  difference: Correction["difference"] | undefined;
}

/**
 * The copies in a session of events that other sessions of the scope own, one for each event. A duplicate line in the same
 * file is not inherited. Events that were reattributed in this scope own their copies too, whatever the index says.
 */
async function copiesIn(
  db: Reader,
  { scope, reattributed, corrections }: ScopedLedger,
  fileId: number,
): Promise<Copy[]> {
  const locations = JSON.stringify(reattributed.map(({ entry, ordinal }) => [entry, ordinal]));
  const isReattributed = sql`(owner.entry, owner.ordinal) IN
    (SELECT value ->> 0, value ->> 1 FROM json_each(${locations}))`;
  const { rows } = await sql<Omit<Copy, "difference"> & { ownerEntry: number; ownerOrdinal: number }>`
    SELECT min(event.entry) AS entry, event.ordinal, owner.file_id AS owner, owner.cost,
      owner.entry AS ownerEntry, owner.ordinal AS ownerOrdinal
    FROM event CROSS JOIN event AS owner ON owner.key = event.key AND owner.instance = event.instance
      CROSS JOIN file ON file.id = owner.file_id
    WHERE event.file_id = ${fileId} AND event.attribution <> ${ATTRIBUTION.owner} AND owner.file_id <> event.file_id
      AND (owner.attribution = ${ATTRIBUTION.owner} OR ${isReattributed}) AND ${inScope(scope)}
    GROUP BY event.key, event.instance`.execute(db);
  const differences = new Map(
    corrections.map(({ entry, ordinal, difference }) => [`${entry}:${ordinal}`, difference]),
  );
  return rows.map(({ ownerEntry, ownerOrdinal, ...copy }) => {
    const difference = differences.get(`${ownerEntry}:${ownerOrdinal}`);
    return { ...copy, cost: copy.cost + (difference?.cost ?? 0), difference };
  });
}

/** The corrections of the owners' figures, for the copies. */
function correctionsOf(copies: readonly Copy[]): Correction[] {
  return copies.flatMap(({ entry, ordinal, difference }) =>
    difference ? [{ entry, ordinal, difference }] : [],
  );
}

/** The sessions that own the copied events, most expensive first. */
async function inheritedFrom(
  db: Reader,
  copies: readonly { owner: number; cost: number }[],
): Promise<SessionUsage["inheritedFrom"]> {
  const byOwner = Map.groupBy(copies, ({ owner }) => owner);
  const sessions = await readSessions(new SqliteStore(db, { roots: [] }), [...byOwner.keys()]);
  return [...byOwner]
    .flatMap(([owner, theirs]) => {
      const session = sessions.get(owner);
      const costNanoUsd = theirs.reduce((sum, { cost }) => sum + cost, 0);
      return session ? [{ session, costUsd: toDollars(costNanoUsd), costNanoUsd }] : [];
    })
    .sort((a, b) => b.costNanoUsd - a.costNanoUsd || (a.session.path < b.session.path ? -1 : 1));
}
