import type { EntryId } from "../src/session/entries.ts";
import { type OwnerRank, ownerOrderTerms, precedes } from "../src/store/sqlite/owner-order.ts";
import { ATTRIBUTION, type Attribution } from "../src/store/sqlite/schema.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { prepareContestedKeys } from "./contested-keys.ts";
import { type EventFigures, isAtLeast, isBilled } from "./event-figures.ts";
import { computeEventKey, type OwnFigures, type SessionEvent } from "./events.ts";
import { type EventOccurrence, hasStableId } from "./group-by-event.ts";
import { type LineageHeader, prepareLineages } from "./lineages.ts";
import { prepareReportedSums } from "./reported-sums.ts";
import { prepareRollup } from "./rollup.ts";
import type { ReportingSession } from "./run-paths.ts";
import { ATTRIBUTED_EVENT_COLUMNS, type AttributedEvent, prepareRuns } from "./run-rows.ts";
import type { SubagentRun } from "./subagent-results.ts";

/** An entry with events, in its file. */
export interface EventLocation extends OwnerRank {
  entry: number;
  fileId: number;
  /** Unix milliseconds, or null. */
  time: number | null;
  /** Milliseconds since the previous message, or null. */
  elapsedMs: number | null;
  entryId: EntryId | null;
  /** The version of the file's format. */
  version: number;
}

/** An occurrence, with everything that identifies its billable event. */
type Copy = AttributedEvent & EventOccurrence & OwnerRank;

/** A model response with figures that another entry may correct. */
interface Response extends AttributedEvent, EventFigures {
  key: bigint | null;
  provider: string;
  model: string;
  textHash: bigint | null;
  entryId: EntryId | null;
}

const MODEL_CACHE_SIZE = 10_000;

/**
 * The statements that write the ledger: events, their attribution, and the roll-up. Like everywhere in `rows.ts`, none is a
 * REPLACE or an upsert.
 *
 * An event is attributed to the earliest session right away. Attributions that may change because a session is deleted, moves,
 * or turns out to be a subagent's are only recorded, and computed by `settle` at the end of the same transaction, from the rows
 * alone: the order in which files appear and disappear doesn't matter.
 */
export function prepareLedger(db: StatementPreparer) {
  const rollup = prepareRollup(db);
  const runs = prepareRuns(db);
  const selectModel = db
    .prepare<[string, string], number>("SELECT id FROM model WHERE provider = ? AND model = ?")
    .pluck();
  const insertModel = db.prepare("INSERT INTO model (provider, model) VALUES (?, ?)");
  const insertEvent = db.prepare(
    `INSERT INTO event (entry, ordinal, file_id, time, key, attribution, kind, model_id, run, agent, tool, stop, billed,
       input, output, cache_read, cache_write, cache_write_1h, reasoning, cost, provider_cost, elapsed)
     VALUES (${Array(22).fill("?").join(", ")})`,
  );
  // Runs for every event: a covering index, without joins.
  const isOwned = db
    .prepare<[bigint], 1>(`SELECT 1 FROM event WHERE key = ? AND attribution = ${ATTRIBUTION.owner} LIMIT 1`)
    .pluck();
  // `+?`: with `?` alone SQLite prepares a join again for each value, which takes ten times as long as running it.
  const occurrences = `SELECT ${ATTRIBUTED_EVENT_COLUMNS}, session.created, file.path, file.version,
       entry.entry_id AS entryId, entry.text_hash AS textHash
     FROM event CROSS JOIN file ON file.id = event.file_id CROSS JOIN entry ON entry.id = event.entry
       LEFT JOIN session ON session.file_id = file.id
     WHERE event.key = +?`;
  // Within a file, row ids are in line order.
  const earliestFirst = `ORDER BY ${ownerOrderTerms("session", "file")}, event.entry, event.ordinal`;
  const owner = db.prepare<[bigint], Copy>(
    `${occurrences} AND event.attribution = ${ATTRIBUTION.owner} LIMIT 1`,
  );
  const anyOccurrence = db.prepare<[bigint], Copy>(`${occurrences} LIMIT 1`);
  const earliest = db.prepare<[bigint], Copy>(`${occurrences} ${earliestFirst} LIMIT 1`);
  const copies = db.prepare<[bigint], Copy>(`${occurrences} ${earliestFirst}`);
  const setAttribution = db.prepare<[Attribution, number, number]>(
    "UPDATE event SET attribution = ? WHERE entry = ? AND ordinal = ?",
  );
  // DISTINCT, because a file may contain an event a thousand times.
  const sharedKeys = (condition: string) =>
    db
      .prepare<{ file: number }, bigint>(
        `SELECT key FROM (SELECT DISTINCT key FROM event WHERE file_id = +@file AND key IS NOT NULL AND ${condition}) AS mine
         WHERE EXISTS (SELECT 1 FROM event AS copy WHERE copy.key = mine.key AND copy.file_id <> +@file)`,
      )
      .pluck()
      .safeIntegers();
  const allShared = sharedKeys("TRUE");
  // Deleting a copy doesn't change its owner.
  const owned = sharedKeys(
    `(attribution <> ${ATTRIBUTION.duplicate} OR kind = 'subagent' OR key IN (SELECT key FROM contested_key WHERE file_id = +@file))`,
  );
  const responsesOf = db
    .prepare<{ file: number; id: EntryId }, Response>(
      `SELECT ${ATTRIBUTED_EVENT_COLUMNS}, event.key, model.provider, model.model, entry.text_hash AS textHash, entry.entry_id AS entryId,
         input, output, cache_read AS cacheRead, cache_write AS cacheWrite, cache_write_1h AS cacheWrite1h, reasoning, cost,
         provider_cost AS providerCost
       FROM entry CROSS JOIN event ON event.entry = entry.id CROSS JOIN model ON model.id = event.model_id
       WHERE entry.entry_id = @id AND entry.file_id = @file AND event.kind = 'assistant'`,
    )
    .safeIntegers();
  const setFigures = db.prepare(
    `UPDATE event SET key = ?, attribution = ?, instance = 0, billed = ?, input = ?, output = ?, cache_read = ?, cache_write = ?,
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
  /** Unsettled keys with different entry ids. */
  const rivalKeys = new Set<bigint>();
  const contested = prepareContestedKeys(db, lineages.familyOf);
  const unsettledPaths = new Set<string>();
  const sharing = new Set<number>();
  const keyless = new Map<string, AttributedEvent>();

  function modelId(provider: string, model: string): number {
    const name = JSON.stringify([provider, model]);
    let id = models.get(name) ?? selectModel.get(provider, model);
    id ??= Number(insertModel.run(provider, model).lastInsertRowid);
    if (models.size >= MODEL_CACHE_SIZE) models.clear();
    models.set(name, id);
    return id;
  }

  function attribute(holder: AttributedEvent, attribution: Attribution): void {
    if (holder.attribution === attribution) return;
    setAttribution.run(attribution, holder.entry, holder.ordinal);
    rollup.changedAt(holder.file_id, holder.time);
  }

  /** The provisional attribution of a new event. */
  function claim(key: bigint, place: EventLocation): Attribution {
    const before = isOwned.get(key) && owner.get(key);
    if (!before) {
      if (!unsettledKeys.has(key)) return ATTRIBUTION.owner;
      // Its owner was just deleted: a run of this file may have copied it from there, and the other copies may be of another event.
      sharing.add(place.fileId);
      const other = anyOccurrence.get(key);
      if (other && !haveSameId(place, other)) rivalKeys.add(key);
      return ATTRIBUTION.owner;
    }
    const isSame = haveSameId(place, before);
    if (!isSame || unsettledKeys.has(key) || contested.has(key)) {
      if (!isSame) rivalKeys.add(key);
      unsettledKeys.add(key);
      sharing.add(place.fileId);
      return ATTRIBUTION.duplicate;
    }
    // In the same file it is later; `precedes` would need the session's row, which is written last.
    if (before.file_id === place.fileId) return ATTRIBUTION.duplicate;
    sharing.add(place.fileId);
    if (!precedes(place, before)) return ATTRIBUTION.duplicate;
    attribute(before, ATTRIBUTION.duplicate);
    return ATTRIBUTION.owner;
  }

  /** Attributes all occurrences of a key. */
  function settleKey(key: bigint): void {
    const first = earliest.get(key);
    if (!first) return;
    if (first.kind === "subagent") {
      for (const event of groupOccurrences(key)) attributeRuns(event);
      return;
    }
    // An event may be copied to hundreds of forks: only two occurrences can change.
    const before = owner.get(key);
    if (before?.entry === first.entry && before.ordinal === first.ordinal) return;
    if (before) attribute(before, ATTRIBUTION.duplicate);
    attribute(first, ATTRIBUTION.owner);
  }

  /** The same for a key that several events may share. */
  function settleRivals(key: bigint): void {
    for (const event of groupOccurrences(key)) {
      event.forEach((occurrence, n) => {
        attribute(occurrence, n === 0 ? ATTRIBUTION.owner : ATTRIBUTION.duplicate);
      });
    }
  }

  /** The occurrences of each event with a key, earliest first. */
  function groupOccurrences(key: bigint): Copy[][] {
    const { events, renumbered } = contested.settle(key, copies.all(key));
    for (const { file_id, path } of renumbered) {
      // Which events a run copied from its caller may have changed, and with it the run's own usage.
      sharing.add(file_id);
      unsettledPaths.add(path);
    }
    return events;
  }

  /** Attributes the occurrences of an event of subagent runs, earliest first: to the runs' own sessions if these record it. */
  function attributeRuns(occurrences: readonly AttributedEvent[]): void {
    const { recordedBy, sessions, reporters } = runs.sessionsOfRuns(occurrences);
    occurrences.forEach((occurrence, n) => {
      if (reportedSums.subtract(occurrence, recordedBy === "some" ? sessions : [], reporters))
        rollup.changedAt(occurrence.file_id, occurrence.time);
      attribute(
        occurrence,
        recordedBy === "all" ? ATTRIBUTION.reported : n === 0 ? ATTRIBUTION.owner : ATTRIBUTION.duplicate,
      );
    });
  }

  function unsettle(reports: { keys: bigint[]; keyless: AttributedEvent[] }): void {
    for (const key of reports.keys) unsettledKeys.add(key);
    for (const holder of reports.keyless) keyless.set(`${holder.entry}:${holder.ordinal}`, holder);
  }

  /** Settles the keys that several events may share. First, because the own usage of runs depends on it. */
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
    /** Call it first in each transaction: other processes may have changed the cached rows. */
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
    add(place: EventLocation, events: readonly SessionEvent[]): void {
      const { entry, fileId, time, elapsedMs } = place;
      events.forEach((event, ordinal) => {
        const { key, kind, run } = event;
        let attribution: Attribution = ATTRIBUTION.owner;
        if (kind !== "subagent") attribution = key === null ? ATTRIBUTION.owner : claim(key, place);
        else if (key !== null) unsettledKeys.add(key);
        else
          unsettle({
            keys: [],
            keyless: [{ entry, ordinal, file_id: fileId, time, kind, run, attribution, instance: 0 }],
          });
        insertEvent.run(
          entry,
          ordinal,
          fileId,
          time,
          key,
          attribution,
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
          ordinal === 0 ? elapsedMs : null,
        );
        rollup.changedAt(fileId, time);
      });
    },
    /**
     * Corrects the figures of model responses that include their children's usage. Their keys then equal those of copies
     * that were never rewritten.
     */
    correct(
      { fileId, path, created, version }: Pick<EventLocation, "fileId" | "path" | "created" | "version">,
      { targetId, figures }: OwnFigures,
    ): void {
      for (const row of responsesOf.all({ file: fileId, id: targetId })) {
        const response = withNumbers(row);
        const { entry, ordinal, time, entryId } = response;
        // Lower figures never included the children's, or are corrected already.
        if (!isAtLeast(response, figures) || isAtLeast(figures, response)) continue;
        if (response.key !== null) unsettledKeys.add(response.key);
        const corrected = { ...response, ...figures, agent: null };
        const key = computeEventKey({ ...response, id: entryId }, ordinal, corrected);
        const place = { entry, fileId, path, created, version, time, entryId, elapsedMs: null };
        const attribution = key === null ? ATTRIBUTION.owner : claim(key, place);
        const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, cost, providerCost } = figures;
        const tokens = [input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning];
        setFigures.run(
          key,
          attribution,
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
      place: Pick<EventLocation, "entry" | "fileId" | "time">,
      session: ReportingSession,
      reported: readonly SubagentRun[],
    ): void {
      // The usage of a session that is reported again is divided among the reports.
      if (reported.length > 0) sharing.add(place.fileId);
      runs.add(place, session, reported);
    },
    /** Call it after the row of a session was added. */
    addLineage: (fileId: number, header: LineageHeader) => {
      lineages.add(fileId, pathOf.get(fileId) ?? "", header);
    },
    /** Call it after the row of a file was added. */
    appeared: runs.appeared,
    /** Call it before the row of a file is deleted. */
    disappeared(path: string): void {
      unsettle(runs.reportsOf(path));
      runs.disappeared(path);
    },
    /** Call it when a tool call of a response at that time got its result. */
    finished: rollup.changedAt,
    /** Call it when a file is read from its start. */
    begun: rollup.changedAnywhere,
    /** Call it when the current branch of a file changed, which may affect any of its events. */
    branched: rollup.changedAnywhere,
    /** The time of a file's last message with a time, in Unix milliseconds. */
    lastMessage: (fileId: number): number | null => lastMessage.get(fileId) ?? null,
    /** Call it before the rows of a file are deleted: its events are reattributed to other copies. */
    leave(fileId: number): void {
      for (const key of owned.all({ file: fileId })) unsettledKeys.add(key);
      lineages.leave(fileId);
      contested.leave(fileId);
      unsettledPaths.add(pathOf.get(fileId) ?? "");
      for (const [name, { file_id }] of keyless) if (file_id === fileId) keyless.delete(name);
      sharing.delete(fileId);
      rollup.drop(fileId);
    },
    /** Call it when the path of a file changed, which affects the owner order and the possible paths of its subagents' files. */
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
      unsettle(runs.reportsIn(fileId));
    },
    /** Call it last in each transaction: attributes every event, and updates the roll-up. */
    settle(): void {
      runs.begin();
      reportedSums.begin();
      settleFamilies();
      for (const file of rollup.changedFiles()) unsettledPaths.add(pathOf.get(file) ?? "");
      for (const path of unsettledPaths) unsettle(runs.reportsOf(path));
      // Events of a run may turn out to be copied from its caller.
      for (const file of sharing) unsettle(runs.reportsIn(file));
      for (const key of unsettledKeys) settleKey(key);
      for (const occurrence of keyless.values()) attributeRuns([occurrence]);
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

/** Converts a row read with safe integers to numbers, except its key. */
function withNumbers({ key, ...row }: Response): Response & { textHash: number | null } {
  const numbers = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "bigint" ? Number(value) : value,
  ]);
  return { ...Object.fromEntries(numbers), key };
}

function haveSameId(a: Pick<EventOccurrence, "entryId" | "version">, b: typeof a): boolean {
  return hasStableId(a) && hasStableId(b) && a.entryId === b.entryId;
}
