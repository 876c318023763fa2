import { ATTRIBUTION, type Attribution } from "../src/store/schema.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { prepareContestedKeys } from "./contested-keys.ts";
import type { LedgerStatements, StoredOccurrence } from "./ledger-statements.ts";
import { prepareLineages } from "./lineages.ts";
import { prepareReportedSums } from "./reported-sums.ts";
import { prepareRollup } from "./rollup.ts";
import type { RealFolders } from "./run-paths.ts";
import { type AttributedEvent, prepareRuns, type Reports } from "./run-rows.ts";

/** The attributions that a transaction may have changed. */
class Unsettled {
  readonly keys = new Set<bigint>();
  /** Unsettled keys with different entry ids. */
  readonly rivalKeys = new Set<bigint>();
  /** Events of subagent runs without a key, by entry and ordinal. */
  readonly keyless = new Map<string, AttributedEvent>();
  /** Paths of sessions whose own usage may have changed: the reports of their runs are attributed again. */
  readonly paths = new Set<string>();
  /** Files with events that runs may have copied: the reports of runs in these files are attributed again. */
  readonly sharingFiles = new Set<number>();

  addReports({ keys, keyless }: Reports): void {
    for (const key of keys) this.keys.add(key);
    for (const event of keyless) this.addKeyless(event);
  }

  addKeyless(event: AttributedEvent): void {
    this.keyless.set(`${event.entry}:${event.ordinal}`, event);
  }

  /** Forgets what is only recorded for the rows of a file, because they are deleted. */
  removeFile(fileId: number): void {
    for (const [name, { file_id }] of this.keyless) if (file_id === fileId) this.keyless.delete(name);
    this.sharingFiles.delete(fileId);
  }

  clear(): void {
    this.keys.clear();
    this.rivalKeys.clear();
    this.keyless.clear();
    this.paths.clear();
    this.sharingFiles.clear();
  }
}

/** The parts of the ledger that depend on each other, and the attributions that they compute from the rows alone. */
export function prepareSettling(
  db: StatementPreparer,
  statements: LedgerStatements,
  realFolders?: RealFolders,
) {
  const { earliestOf, occurrencesOf, ownerOf, pathOf, setAttribution } = statements;
  const rollup = prepareRollup(db);
  const runs = prepareRuns(db, realFolders);
  const lineages = prepareLineages(db);
  const contested = prepareContestedKeys(db, lineages.familyOf);
  const reportedSums = prepareReportedSums(db);
  const unsettled = new Unsettled();

  function attribute(occurrence: AttributedEvent, attribution: Attribution): void {
    if (occurrence.attribution === attribution) return;
    setAttribution.run(attribution, occurrence.entry, occurrence.ordinal);
    rollup.markChanged(occurrence.file_id, occurrence.time);
  }

  /** Attributes all occurrences of a key. */
  function settleKey(key: bigint): void {
    const first = earliestOf.get(key);
    if (!first) return;
    if (first.kind === "subagent") {
      for (const event of groupOccurrences(key)) attributeRuns(event);
      return;
    }
    // An event may be copied to hundreds of forks: only two occurrences can change.
    const before = ownerOf.get(key);
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
  function groupOccurrences(key: bigint): StoredOccurrence[][] {
    const { events, renumbered } = contested.settle(key, occurrencesOf.all(key));
    for (const { file_id, path } of renumbered) {
      // Which events a run copied from its caller may have changed, and with it the run's own usage.
      unsettled.sharingFiles.add(file_id);
      unsettled.paths.add(path);
    }
    return events;
  }

  /** Attributes the occurrences of an event of subagent runs, earliest first: to the runs' own sessions if these record it. */
  function attributeRuns(occurrences: readonly AttributedEvent[]): void {
    const { recordedBy, sessions, reporters } = runs.sessionsOfRuns(occurrences);
    occurrences.forEach((occurrence, n) => {
      if (reportedSums.subtract(occurrence, recordedBy === "some" ? sessions : [], reporters))
        rollup.markChanged(occurrence.file_id, occurrence.time);
      attribute(
        occurrence,
        recordedBy === "all" ? ATTRIBUTION.reported : n === 0 ? ATTRIBUTION.owner : ATTRIBUTION.duplicate,
      );
    });
  }

  /** Settles the keys that several events may share. First, because the own usage of runs depends on it. */
  function settleFamilies(): void {
    for (const key of contested.keysIn(lineages.changedFamilies)) unsettled.keys.add(key);
    for (const key of unsettled.keys) {
      if (!unsettled.rivalKeys.has(key) && !contested.has(key)) continue;
      if (earliestOf.get(key)?.kind === "subagent") continue;
      settleRivals(key);
      unsettled.keys.delete(key);
    }
  }

  return {
    ...{ contested, lineages, rollup, runs, unsettled },
    /** Sets the attribution of an occurrence, and records the change for the roll-up. */
    attribute,
    begin(): void {
      unsettled.clear();
      for (const each of [contested, lineages, runs, rollup]) each.begin();
    },
    /** Attributes every unsettled event, and updates the roll-up. */
    settle(): void {
      runs.beginSettling();
      reportedSums.beginSettling();
      settleFamilies();
      for (const file of rollup.changedFiles()) unsettled.paths.add(pathOf.get(file) ?? "");
      for (const path of unsettled.paths) unsettled.addReports(runs.reportsOf(path));
      // Events of a run may turn out to be copied from its caller.
      for (const file of unsettled.sharingFiles) unsettled.addReports(runs.reportsIn(file));
      for (const key of unsettled.keys) settleKey(key);
      for (const occurrence of unsettled.keyless.values()) attributeRuns([occurrence]);
      unsettled.clear();
      rollup.settle();
    },
  };
}
