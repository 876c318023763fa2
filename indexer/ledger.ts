import type { EntryId } from "../src/session/entries.ts";
import { type OwnerRank, ownerOrder, ownsBefore } from "../src/store/sqlite/owner-order.ts";
import { STANDING, type Standing } from "../src/store/sqlite/schema.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";
import { prepareContestedKeys } from "./contested-keys.ts";
import { type EventFigures, isAtLeast, isBilled } from "./event-figures.ts";
import { keyOf, type OwnFigures, type SessionEvent } from "./events.ts";
import { type EventCopy, hasStableId } from "./instances.ts";
import { type LineageHeader, prepareLineages } from "./lineages.ts";
import { prepareReportedSums } from "./reported-sums.ts";
import { prepareRollup } from "./rollup.ts";
import type { ReportingSession } from "./run-paths.ts";
import { HOLDER, type Holder, prepareRuns } from "./run-rows.ts";
import type { SubagentRun } from "./subagent-results.ts";

/** An entry that tells of events, at its place. */
export interface EventPlace extends OwnerRank {
  entry: number;
  fileId: number;
  /** Unix milliseconds, or null. */
  time: number | null;
  /** Milliseconds since the message before it, or null. */
  elapsed: number | null;
  entryId: EntryId | null;
  /** The version of the file's format. */
  version: number;
}

/** A place with all that says which act it tells of. */
type Copy = Holder & EventCopy & OwnerRank;

/** An answer whose figures another entry may correct. */
interface Answer extends Holder, EventFigures {
  key: bigint | null;
  provider: string;
  model: string;
  textHash: bigint | null;
  entryId: EntryId | null;
}

/** As many ids of models are remembered. */
const REMEMBERED = 10_000;

/**
 * The statements that write the ledger: events, whose they are, and their roll-up. Like all of `rows.ts`, none is a REPLACE
 * or an upsert.
 *
 * An event goes to the earliest session at once. What may have to change hands because a session goes, moves, or turns
 * out to be a subagent's is only noted, and worked out by `settle` at the end of the same transaction, from the rows
 * alone: so it does not matter in which order files come and go.
 */
export function prepareLedger(db: Preparer) {
  const rollup = prepareRollup(db);
  const runs = prepareRuns(db);
  const selectModel = db
    .prepare<[string, string], number>("SELECT id FROM model WHERE provider = ? AND model = ?")
    .pluck();
  const insertModel = db.prepare("INSERT INTO model (provider, model) VALUES (?, ?)");
  const insertEvent = db.prepare(
    `INSERT INTO event (entry, ordinal, file_id, time, key, standing, kind, model_id, run, agent, tool, stop, billed,
       input, output, cache_read, cache_write, cache_write_1h, reasoning, cost, provider_cost, elapsed)
     VALUES (${Array(22).fill("?").join(", ")})`,
  );
  // Asked of every event: the index alone answers, and no other table is opened.
  const isOwned = db
    .prepare<[bigint], 1>(`SELECT 1 FROM event WHERE key = ? AND standing = ${STANDING.own} LIMIT 1`)
    .pluck();
  // `+?`: with `?` alone SQLite prepares a join anew for each value, which takes ten times as long as asking it.
  const places = `SELECT ${HOLDER}, session.created, file.path, file.version,
       entry.entry_id AS entryId, entry.text_hash AS textHash
     FROM event CROSS JOIN file ON file.id = event.file_id CROSS JOIN entry ON entry.id = event.entry
       LEFT JOIN session ON session.file_id = file.id
     WHERE event.key = +?`;
  // Within a file row ids follow lines.
  const earliestFirst = `ORDER BY ${ownerOrder("session", "file")}, event.entry, event.ordinal`;
  const owner = db.prepare<[bigint], Copy>(`${places} AND event.standing = ${STANDING.own} LIMIT 1`);
  const anyPlace = db.prepare<[bigint], Copy>(`${places} LIMIT 1`);
  const earliest = db.prepare<[bigint], Copy>(`${places} ${earliestFirst} LIMIT 1`);
  const copies = db.prepare<[bigint], Copy>(`${places} ${earliestFirst}`);
  const setStanding = db.prepare<[Standing, number, number]>(
    "UPDATE event SET standing = ? WHERE entry = ? AND ordinal = ?",
  );
  // Each key but once: a file may hold an act a thousand times.
  const sharedKeys = (which: string) =>
    db
      .prepare<{ file: number }, bigint>(
        `SELECT key FROM (SELECT DISTINCT key FROM event WHERE file_id = +@file AND key IS NOT NULL AND ${which}) AS mine
         WHERE EXISTS (SELECT 1 FROM event AS copy WHERE copy.key = mine.key AND copy.file_id <> +@file)`,
      )
      .pluck()
      .safeIntegers();
  const allShared = sharedKeys("TRUE");
  // Where a copy goes, its owner stays.
  const owned = sharedKeys(
    `(standing <> ${STANDING.inherited} OR kind = 'subagent' OR key IN (SELECT key FROM contested_key WHERE file_id = +@file))`,
  );
  const answersOf = db
    .prepare<{ file: number; id: EntryId }, Answer>(
      `SELECT ${HOLDER}, event.key, model.provider, model.model, entry.text_hash AS textHash, entry.entry_id AS entryId,
         input, output, cache_read AS cacheRead, cache_write AS cacheWrite, cache_write_1h AS cacheWrite1h, reasoning, cost,
         provider_cost AS providerCost
       FROM entry CROSS JOIN event ON event.entry = entry.id CROSS JOIN model ON model.id = event.model_id
       WHERE entry.entry_id = @id AND entry.file_id = @file AND event.kind = 'assistant'`,
    )
    .safeIntegers();
  const setFigures = db.prepare(
    `UPDATE event SET key = ?, standing = ?, instance = 0, billed = ?, input = ?, output = ?, cache_read = ?, cache_write = ?,
       cache_write_1h = ?, reasoning = ?, cost = ?, provider_cost = ?
     WHERE entry = ? AND ordinal = ?`,
  );
  const headerOf = db.prepare<[number], LineageHeader & { created: number | null }>(
    "SELECT id, parent_session, created FROM session WHERE file_id = ?",
  );
  const pathOf = db.prepare<[number], string>("SELECT path FROM file WHERE id = ?").pluck();
  const lastMessage = db
    .prepare<[number], number | null>(
      `SELECT timestamp FROM entry WHERE file_id = ? AND type = 'message' AND timestamp IS NOT NULL
       ORDER BY id DESC LIMIT 1`,
    )
    .pluck();

  const models = new Map<string, number>();
  const lineages = prepareLineages(db);
  const reportedSums = prepareReportedSums(db);
  const unsettledKeys = new Set<bigint>();
  /** Those whose places do not all have one id. */
  const rivalKeys = new Set<bigint>();
  const contested = prepareContestedKeys(db, lineages.familyOf);
  const unsettledPaths = new Set<string>();
  const sharing = new Set<number>();
  const keyless = new Map<string, Holder>();

  function modelId(provider: string, model: string): number {
    const name = JSON.stringify([provider, model]);
    let id = models.get(name) ?? selectModel.get(provider, model);
    id ??= Number(insertModel.run(provider, model).lastInsertRowid);
    if (models.size >= REMEMBERED) models.clear();
    models.set(name, id);
    return id;
  }

  function stand(holder: Holder, standing: Standing): void {
    if (holder.standing === standing) return;
    setStanding.run(standing, holder.entry, holder.ordinal);
    rollup.changedAt(holder.file_id, holder.time);
  }

  /** The standing of a new event, as far as it can be told now. */
  function claim(key: bigint, place: EventPlace): Standing {
    const before = isOwned.get(key) && owner.get(key);
    if (!before) {
      if (!unsettledKeys.has(key)) return STANDING.own;
      // Its owner has just gone: a run of this file may have copied it from there, and the copies that are left may tell of another act.
      sharing.add(place.fileId);
      const left = anyPlace.get(key);
      if (left && !haveSameId(place, left)) rivalKeys.add(key);
      return STANDING.own;
    }
    const isSame = haveSameId(place, before);
    if (!isSame || unsettledKeys.has(key) || contested.has(key)) {
      if (!isSame) rivalKeys.add(key);
      unsettledKeys.add(key);
      sharing.add(place.fileId);
      return STANDING.inherited;
    }
    // Of its own file it comes later, and the row that says when that was begun is written last.
    if (before.file_id === place.fileId) return STANDING.inherited;
    sharing.add(place.fileId);
    if (!ownsBefore(place, before)) return STANDING.inherited;
    stand(before, STANDING.inherited);
    return STANDING.own;
  }

  /** Works out whose an act is, from all places that tell of it. */
  function settleKey(key: bigint): void {
    const first = earliest.get(key);
    if (!first) return;
    if (first.kind === "subagent") {
      for (const places of acts(key)) elect(places);
      return;
    }
    // An act may stand in hundreds of forks: only two of them can change.
    const before = owner.get(key);
    if (before?.entry === first.entry && before.ordinal === first.ordinal) return;
    if (before) stand(before, STANDING.inherited);
    stand(first, STANDING.own);
  }

  /** The same where ids do not say which places tell of one act. */
  function settleRivals(key: bigint): void {
    for (const places of acts(key)) {
      places.forEach((place, n) => {
        stand(place, n === 0 ? STANDING.own : STANDING.inherited);
      });
    }
  }

  /** The places that have a key by the acts they tell of, each act's earliest place first. */
  function acts(key: bigint): Copy[][] {
    const { acts, renumbered } = contested.settle(key, copies.all(key));
    for (const { file_id, path } of renumbered) {
      // What a run copied from its caller it did not spend: that may be another now.
      sharing.add(file_id);
      unsettledPaths.add(path);
    }
    return acts;
  }

  /** Whose it is what a subagent spent, the earliest place first: its own file may tell it. */
  function elect(places: readonly Holder[]): void {
    const { told, toldBy, tellers } = runs.tellersOf(places);
    places.forEach((place, n) => {
      if (reportedSums.lessen(place, told === "some" ? toldBy : [], tellers))
        rollup.changedAt(place.file_id, place.time);
      stand(place, told === "all" ? STANDING.told : n === 0 ? STANDING.own : STANDING.inherited);
    });
  }

  function unsettle(told: { keys: bigint[]; keyless: Holder[] }): void {
    for (const key of told.keys) unsettledKeys.add(key);
    for (const place of told.keyless) keyless.set(`${place.entry}:${place.ordinal}`, place);
  }

  /** Settles the keys whose places are told apart by families. First, since what runs spent themselves depends on it. */
  function settleFamilies(): void {
    const files = lineages.changedFamilies();
    for (const key of contested.keysIn(files)) unsettledKeys.add(key);
    for (const key of unsettledKeys) {
      if (!rivalKeys.has(key) && !contested.has(key)) continue;
      if (earliest.get(key)?.kind === "subagent") continue;
      settleRivals(key);
      unsettledKeys.delete(key);
    }
  }

  return {
    /** To be called first in each transaction: what is remembered of rows may since have been changed by others. */
    begin(): void {
      models.clear();
      unsettledKeys.clear();
      rivalKeys.clear();
      contested.begin();
      unsettledPaths.clear();
      sharing.clear();
      keyless.clear();
      lineages.begin();
      runs.forget();
      rollup.begin();
    },
    add(place: EventPlace, events: readonly SessionEvent[]): void {
      const { entry, fileId, time, elapsed } = place;
      events.forEach((event, ordinal) => {
        const { key, kind, run } = event;
        let standing: Standing = STANDING.own;
        if (kind !== "subagent") standing = key === null ? STANDING.own : claim(key, place);
        else if (key !== null) unsettledKeys.add(key);
        else
          unsettle({
            keys: [],
            keyless: [{ entry, ordinal, file_id: fileId, time, kind, run, standing, instance: 0 }],
          });
        insertEvent.run(
          entry,
          ordinal,
          fileId,
          time,
          key,
          standing,
          kind,
          modelId(event.provider, event.model),
          run,
          event.agent,
          event.tool,
          event.stop,
          isBilled(event) ? 1 : 0,
          event.input,
          event.output,
          event.cacheRead,
          event.cacheWrite,
          event.cacheWrite1h,
          event.reasoning,
          event.cost,
          event.providerCost,
          ordinal === 0 ? elapsed : null,
        );
        rollup.changedAt(fileId, time);
      });
    },
    /**
     * Gives the answers of an id what they used themselves, where they tell what they used with their children. Their keys are
     * then those of the copies that were never written anew.
     */
    correct(
      { fileId, path, created, version }: Pick<EventPlace, "fileId" | "path" | "created" | "version">,
      { targetId, figures }: OwnFigures,
    ): void {
      for (const row of answersOf.all({ file: fileId, id: targetId })) {
        const answer = withNumbers(row);
        const { entry, ordinal, time, entryId } = answer;
        // One that tells less was never written with its children, or is corrected already.
        if (!isAtLeast(answer, figures) || isAtLeast(figures, answer)) continue;
        if (answer.key !== null) unsettledKeys.add(answer.key);
        const corrected = { ...answer, ...figures, agent: null };
        const key = keyOf({ ...answer, id: entryId }, ordinal, corrected);
        const place = { entry, fileId, path, created, version, time, entryId, elapsed: null };
        const standing = key === null ? STANDING.own : claim(key, place);
        const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, cost, providerCost } = figures;
        const tokens = [input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning];
        setFigures.run(
          key,
          standing,
          isBilled(figures) ? 1 : 0,
          ...tokens,
          cost,
          providerCost,
          entry,
          ordinal,
        );
        sharing.add(fileId);
        rollup.changedAt(fileId, time);
      }
    },
    addRuns(
      place: Pick<EventPlace, "entry" | "fileId" | "time">,
      session: ReportingSession,
      reported: readonly SubagentRun[],
    ): void {
      // A session that is reported again shares its usage among the reports.
      if (reported.length > 0) sharing.add(place.fileId);
      runs.add(place, session, reported);
    },
    /** To be called when the row of a session was added. */
    addLineage: (fileId: number, header: LineageHeader) => {
      lineages.add(fileId, pathOf.get(fileId) ?? "", header);
    },
    /** To be called when a file has a row of its own. */
    appeared: runs.appeared,
    /** To be called when a file is about to lose its row. */
    disappeared(path: string): void {
      unsettle(runs.toldOf(path));
      runs.disappeared(path);
    },
    /** A result came to a call of an answer of that time. */
    finished: rollup.changedAt,
    /** A file is read from its start: all that is summed up of it changes. */
    begun: rollup.changedAnywhere,
    /** The current branch of a file is another: so may be the branch of any of its events. */
    branched: rollup.changedAnywhere,
    /** The time of the last message of a file that has one, in Unix milliseconds. */
    lastMessage: (fileId: number): number | null => lastMessage.get(fileId) ?? null,
    /** To be called before the rows of a file go: what it shares with others goes to one of them. */
    leave(fileId: number): void {
      for (const key of owned.all({ file: fileId })) unsettledKeys.add(key);
      lineages.leave(fileId);
      contested.leave(fileId);
      unsettledPaths.add(pathOf.get(fileId) ?? "");
      for (const [name, { file_id }] of keyless) if (file_id === fileId) keyless.delete(name);
      sharing.delete(fileId);
      rollup.drop(fileId);
    },
    /** To be called when a file has its new path: that breaks ties, and tells where its subagents' files may lie. */
    moved(fileId: number, from: string, to: string): void {
      for (const key of allShared.all({ file: fileId })) unsettledKeys.add(key);
      unsettledPaths.add(from).add(to);
      lineages.leave(fileId);
      const header = headerOf.get(fileId);
      if (header) lineages.add(fileId, to, header);
      this.disappeared(from);
      runs.appeared(to);
      const { id = "", parent_session: parent = null, created = null } = header ?? {};
      runs.moved(fileId, { path: to, id, parent, created });
      unsettle(runs.toldIn(fileId));
    },
    /** To be called last in each transaction: gives every act its owner, and sums up what changed. */
    settle(): void {
      runs.begin();
      reportedSums.begin();
      settleFamilies();
      for (const file of rollup.changedFiles()) unsettledPaths.add(pathOf.get(file) ?? "");
      for (const path of unsettledPaths) unsettle(runs.toldOf(path));
      // What a run seemed to spend may now be known as copied from its caller.
      for (const file of sharing) unsettle(runs.toldIn(file));
      for (const key of unsettledKeys) settleKey(key);
      for (const place of keyless.values()) elect([place]);
      unsettledKeys.clear();
      rivalKeys.clear();
      unsettledPaths.clear();
      sharing.clear();
      keyless.clear();
      rollup.settle();
    },
  };
}

export type Ledger = ReturnType<typeof prepareLedger>;

/** A row read with safe integers: its key alone needs them. */
function withNumbers({ key, ...row }: Answer): Answer & { textHash: number | null } {
  const numbers = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "bigint" ? Number(value) : value,
  ]);
  return { ...Object.fromEntries(numbers), key };
}

function haveSameId(a: Pick<EventCopy, "entryId" | "version">, b: typeof a): boolean {
  return hasStableId(a) && hasStableId(b) && a.entryId === b.entryId;
}
