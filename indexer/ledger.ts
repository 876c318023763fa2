import type { EntryId } from "../src/session/entries.ts";
import { toFigureColumns } from "../src/store/billing-record.ts";
import { toContextClass } from "../src/store/context-class.ts";
import { ATTRIBUTION, type Attribution } from "../src/store/schema.ts";
import { type OwnerRank, precedes } from "../src/store/sqlite/owner-order.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { isAtLeast } from "./event-figures.ts";
import { computeEventKey, type OwnFigures, type SessionEvent } from "./events.ts";
import { type EventOccurrence, hasStableId } from "./group-by-event.ts";
import { prepareLedgerStatements } from "./ledger-statements.ts";
import type { LineageHeader } from "./lineages.ts";
import { prepareRowIds } from "./row-ids.ts";
import type { RealFolders, ReportingSession } from "./run-paths.ts";
import { prepareSettling } from "./settle-keys.ts";
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

/**
 * Writes the ledger: events, their attribution, and the roll-up.
 *
 * An event is attributed to the earliest session right away. Attributions that may change because a session is deleted, moves,
 * or turns out to be a subagent's are only recorded, and computed by `settle` at the end of the same transaction, from the rows
 * alone: the order in which files appear and disappear doesn't matter.
 *
 * @param realFolders see `listRunPaths`
 */
export function prepareLedger(db: StatementPreparer, realFolders?: RealFolders) {
  const statements = prepareLedgerStatements(db);
  const models = prepareRowIds(db, "model", ["provider", "model"]);
  const { attribute, begin, contested, lineages, rollup, runs, settle, unsettled } = prepareSettling(
    db,
    statements,
    realFolders,
  );
  const { insertEvent, setFigures, isOwned, ownerOf, anyOccurrenceOf, headerOf, pathOf } = statements;

  /** The provisional attribution of a new event. */
  function claim(key: bigint, place: EventLocation): Attribution {
    const before = isOwned.get(key) && ownerOf.get(key);
    if (!before) {
      if (!unsettled.keys.has(key)) return ATTRIBUTION.owner;
      // Its owner was just deleted: a run of this file may have copied it from there, and the other copies may be of another event.
      unsettled.sharingFiles.add(place.fileId);
      const other = anyOccurrenceOf.get(key);
      if (other && !haveSameId(place, other)) unsettled.rivalKeys.add(key);
      return ATTRIBUTION.owner;
    }
    const isSame = haveSameId(place, before);
    if (!isSame || unsettled.keys.has(key) || contested.has(key)) {
      if (!isSame) unsettled.rivalKeys.add(key);
      unsettled.keys.add(key);
      unsettled.sharingFiles.add(place.fileId);
      return ATTRIBUTION.duplicate;
    }
    // In the same file it is later; `precedes` would need the session's row, which is written last.
    if (before.file_id === place.fileId) return ATTRIBUTION.duplicate;
    unsettled.sharingFiles.add(place.fileId);
    if (!precedes(place, before)) return ATTRIBUTION.duplicate;
    attribute(before, ATTRIBUTION.duplicate);
    return ATTRIBUTION.owner;
  }

  function beforeFileDeleted(path: string): void {
    unsettled.addReports(runs.reportsOf(path));
    runs.onFileDeleted(path);
  }

  return {
    /** Call it first in each transaction: other processes may have changed the cached rows. */
    begin(): void {
      models.forget();
      begin();
    },
    add(place: EventLocation, events: readonly SessionEvent[]): void {
      const { entry, fileId, time, elapsedMs } = place;
      events.forEach((event, ordinal) => {
        const { key, kind, run } = event;
        let attribution: Attribution = ATTRIBUTION.owner;
        if (kind !== "subagent") attribution = key === null ? ATTRIBUTION.owner : claim(key, place);
        else if (key !== null) unsettled.keys.add(key);
        else
          unsettled.addKeyless({
            entry,
            ordinal,
            file_id: fileId,
            time,
            kind,
            run,
            attribution,
            instance: 0,
          });
        insertEvent.run(
          entry,
          ordinal,
          fileId,
          time,
          key,
          attribution,
          kind,
          models.idOf(event.provider, event.model),
          run,
          event.agent,
          event.tool,
          event.stop,
          ordinal === 0 ? elapsedMs : null,
          toContextClass(event),
          ...toFigureColumns(event),
        );
        rollup.markChanged(fileId, time);
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
      for (const response of statements.responsesAt(fileId, targetId)) {
        const { entry, ordinal, time, entryId } = response;
        // Lower figures never included the children's, or are corrected already.
        if (!isAtLeast(response, figures) || isAtLeast(figures, response)) continue;
        if (response.key !== null) unsettled.keys.add(response.key);
        const corrected = { ...response, ...figures, agent: null };
        const key = computeEventKey({ ...response, id: entryId }, ordinal, corrected);
        const place = { entry, fileId, path, created, version, time, entryId, elapsedMs: null };
        const attribution = key === null ? ATTRIBUTION.owner : claim(key, place);
        const context = toContextClass({ ...figures, kind: response.kind });
        setFigures.run(key, attribution, context, ...toFigureColumns(figures), entry, ordinal);
        unsettled.sharingFiles.add(fileId);
        rollup.markChanged(fileId, time);
      }
    },
    addRuns(
      place: Pick<EventLocation, "entry" | "fileId" | "time">,
      session: ReportingSession,
      reported: readonly SubagentRun[],
    ): void {
      // The usage of a session that is reported again is divided among the reports.
      if (reported.length > 0) unsettled.sharingFiles.add(place.fileId);
      runs.add(place, session, reported);
    },
    lastMessageTime: statements.lastMessageTime,
    /** Call it after the row of a file was added. */
    onFileAdded: runs.onFileAdded,
    /** Call it after the row of a session was added. */
    onSessionAdded: (fileId: number, header: LineageHeader) => {
      lineages.add(fileId, pathOf.get(fileId) ?? "", header);
    },
    /** Call it when a file is read from its start. */
    onReadFromStart: rollup.markAllChanged,
    /** Call it when a tool call got its result, with the time of the response that made the call. */
    onCallFinished: rollup.markChanged,
    /** Call it when the current branch of a file changed, which may affect any of its events. */
    onBranchChanged: rollup.markAllChanged,
    /** Call it when the path of a file changed, which affects the owner order and the possible paths of its subagents' files. */
    onFileMoved(fileId: number, from: string, to: string): void {
      for (const key of statements.sharedKeysIn.all({ file: fileId })) unsettled.keys.add(key);
      unsettled.paths.add(from).add(to);
      lineages.remove(fileId);
      const header = headerOf.get(fileId);
      if (header) lineages.add(fileId, to, header);
      beforeFileDeleted(from);
      runs.onFileAdded(to);
      const { id = "", parent_session: parent = null, created = null } = header ?? {};
      runs.onFileMoved(fileId, { path: to, id, parent, created });
      unsettled.addReports(runs.reportsIn(fileId));
    },
    /** Call it before the rows of a file are deleted: its events are reattributed to other copies. */
    beforeRowsDeleted(fileId: number): void {
      for (const key of statements.ownedSharedKeysIn.all({ file: fileId })) unsettled.keys.add(key);
      lineages.remove(fileId);
      contested.remove(fileId);
      unsettled.paths.add(pathOf.get(fileId) ?? "");
      unsettled.removeFile(fileId);
      rollup.drop(fileId);
    },
    /** Call it before the row of a file is deleted, after `beforeRowsDeleted`. */
    beforeFileDeleted,
    /** Call it last in each transaction: attributes every event, and updates the roll-up. */
    settle,
  };
}

function haveSameId(a: Pick<EventOccurrence, "entryId" | "version">, b: typeof a): boolean {
  return hasStableId(a) && hasStableId(b) && a.entryId === b.entryId;
}
