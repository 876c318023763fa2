import { isAbsolute } from "node:path";
import { getOrInsert } from "../src/get-or-insert.ts";
import type { EventTable } from "../src/store/schema.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { listChildFolders, listRunPaths, type RealFolders, type ReportingSession } from "./run-paths.ts";
import { CHILD_FOLDER_PATTERN, type SubagentRun } from "./subagent-results.ts";

/** The columns of `event` that its attribution depends on. */
export type AttributedEvent = Pick<
  EventTable,
  "entry" | "ordinal" | "file_id" | "time" | "kind" | "run" | "attribution" | "instance"
>;

export const ATTRIBUTED_EVENT_COLUMNS =
  "event.entry, event.ordinal, event.file_id, event.time, event.kind, event.run, event.attribution, event.instance";

/** Events that report subagent runs: keys, and the events without a key. */
export interface Reports {
  keys: bigint[];
  keyless: AttributedEvent[];
}

/** A condition on `subagent_run`: the run of an event, or all runs of its entry without an event of their own. */
function runsCondition(run: string): string {
  return `(subagent_run.ordinal = ${run} OR ${run} IS NULL AND NOT EXISTS (SELECT 1 FROM event AS own
    WHERE own.entry = subagent_run.entry AND own.run = subagent_run.ordinal))`;
}

/**
 * The statements about subagent runs, and whether their sessions record their usage.
 *
 * @param realFolders a cache for `listRunPaths`, which each transaction clears
 */
export function prepareRuns(db: StatementPreparer, realFolders: RealFolders = new Map()) {
  // `+` before parameters: see `ledger-statements.ts`.
  const sessionsOf = db.prepare<
    { entry: number; run: number | null },
    { ordinal: number; file: number | null }
  >(
    `SELECT subagent_run.ordinal, file.id AS file
     FROM subagent_run LEFT JOIN run_file USING (entry, ordinal) LEFT JOIN file ON file.path = run_file.path
     WHERE subagent_run.entry = +@entry AND ${runsCondition("+@run")}`,
  );
  // `+copied.file_id` keeps SQLite from scanning whole files for each event.
  const spentItself = db
    .prepare<{ file: number; reporters: string }, number>(
      `SELECT EXISTS (
         SELECT 1 FROM event AS spent
         WHERE spent.file_id = +@file AND spent.billed = 1 AND spent.kind <> 'subagent' AND NOT EXISTS (
           SELECT 1 FROM event AS copied
           WHERE copied.key = spent.key AND copied.instance = spent.instance AND +copied.file_id IN (SELECT value FROM json_each(@reporters))))`,
    )
    .pluck();
  const reportsAt = `FROM run_file CROSS JOIN event ON event.entry = run_file.entry AND event.kind = 'subagent'
       AND (event.run IS NULL OR event.run = run_file.ordinal)
     WHERE run_file.path = +?`;
  const keysOf = db
    .prepare<[string], bigint>(`SELECT DISTINCT event.key ${reportsAt} AND event.key IS NOT NULL`)
    .pluck()
    .safeIntegers();
  const keylessOf = db.prepare<[string], AttributedEvent>(
    `SELECT DISTINCT ${ATTRIBUTED_EVENT_COLUMNS} ${reportsAt} AND event.key IS NULL`,
  );
  const keysIn = db
    .prepare<[number], bigint>(
      "SELECT DISTINCT key FROM event WHERE file_id = ? AND kind = 'subagent' AND key IS NOT NULL",
    )
    .pluck()
    .safeIntegers();
  const keylessIn = db.prepare<[number], AttributedEvent>(
    `SELECT ${ATTRIBUTED_EVENT_COLUMNS} FROM event WHERE file_id = ? AND kind = 'subagent' AND key IS NULL`,
  );
  const insertRun = db.prepare("INSERT INTO subagent_run VALUES (?, ?, ?, ?, ?)");
  const insertRunFile = db.prepare("INSERT OR IGNORE INTO run_file VALUES (?, ?, ?)");
  const runsIn = db.prepare<[number], { entry: number; ordinal: number; time: number | null } & SubagentRun>(
    `SELECT subagent_run.entry, subagent_run.ordinal, entry.timestamp AS time, agent, session_file AS sessionFile, artifact
     FROM entry CROSS JOIN subagent_run ON subagent_run.entry = entry.id WHERE entry.file_id = +?`,
  );
  const deleteRunFiles = db.prepare("DELETE FROM run_file WHERE entry = ? AND ordinal = ?");
  const filesBelow = db
    .prepare<[string, string], string>("SELECT path FROM file WHERE path BETWEEN ? AND ? || char(1114111)")
    .pluck();
  // In any root. Runs once for each session with such children.
  const filesBelowAny = db
    .prepare<[string], string>("SELECT path FROM file WHERE path GLOB '*' || ? || 'sub-*'")
    .pluck();
  const parentsAt = db.prepare<[string], { entry: number; ordinal: number }>(
    "SELECT entry, ordinal FROM run_file WHERE path = ?",
  );
  const deleteChild = db.prepare(
    `DELETE FROM run_file WHERE path = +@path AND EXISTS (
       SELECT 1 FROM subagent_run WHERE subagent_run.entry = run_file.entry
         AND subagent_run.ordinal = run_file.ordinal AND subagent_run.artifact = '${CHILD_FOLDER_PATTERN}')`,
  );

  /** Cached results of `spentItself`, because many runs may have the same file. */
  const hasOwnUsage = new Map<string, boolean>();

  /**
   * Whether a file records usage of its own. A run may continue its caller's context: events that the reporting sessions have
   * too are copies.
   */
  function hasSpent(file: number, reporters: string): boolean {
    return getOrInsert(hasOwnUsage, `${file} ${reporters}`, () => spentItself.get({ file, reporters }) === 1);
  }

  /** Cached results of `findChildren`. */
  const children = new Map<string, string[]>();

  /** The files of a parent's children in a folder of `listRunPaths`. */
  function findChildren(folder: string): string[] {
    const below = isAbsolute(folder) ? filesBelow.all(folder, folder) : filesBelowAny.all(folder);
    return below.filter((path) => listChildFolders(path).includes(folder));
  }

  function addFiles(
    { entry, ordinal, time }: { entry: number; ordinal: number; time: number | null },
    run: SubagentRun,
    session: ReportingSession,
  ): void {
    for (const path of listRunPaths(run, session, time, realFolders)) {
      insertRunFile.run(entry, ordinal, path);
      if (run.artifact !== CHILD_FOLDER_PATTERN) continue;
      for (const child of getOrInsert(children, path, findChildren)) {
        if (child !== session.path) insertRunFile.run(entry, ordinal, child);
      }
    }
  }

  return {
    /** Adds the runs that an entry reports. */
    add(
      { entry, time }: { entry: number; time: number | null },
      session: ReportingSession,
      runs: readonly SubagentRun[],
    ): void {
      runs.forEach((run, ordinal) => {
        insertRun.run(entry, ordinal, run.agent, run.sessionFile, run.artifact);
        addFiles({ entry, ordinal, time }, run, session);
      });
    },
    /** Call it when a file was moved. Recomputes the possible session paths of the runs that it reports. */
    onFileMoved(fileId: number, session: ReportingSession): void {
      for (const { entry, ordinal, time, ...run } of runsIn.all(fileId)) {
        deleteRunFiles.run(entry, ordinal);
        addFiles({ entry, ordinal, time }, run, session);
      }
    },
    /**
     * Call it when a file was added. If it is in a folder of a session's children, adds it to the runs that the session
     * reports.
     */
    onFileAdded(path: string): void {
      children.clear();
      for (const { entry, ordinal } of listChildFolders(path).flatMap((folder) => parentsAt.all(folder))) {
        insertRunFile.run(entry, ordinal, path);
      }
    },
    /** Call it when a file is deleted, after reading the reports of its parents. */
    onFileDeleted(path: string): void {
      children.clear();
      if (listChildFolders(path).length === 0) return;
      deleteChild.run({ path });
    },
    /**
     * Whether the runs that caused an event record it in sessions of their own: all of them, some, or none.
     *
     * @param occurrences where the event is reported
     * @returns `sessions`: the files of those sessions; `reporters`: the files of the occurrences, as JSON
     */
    sessionsOfRuns(occurrences: readonly AttributedEvent[]): {
      recordedBy: "all" | "some" | "none";
      sessions: number[];
      reporters: string;
    } {
      if (occurrences[0]?.kind !== "subagent") return { recordedBy: "none", sessions: [], reporters: "[]" };
      const reporters = JSON.stringify([...new Set(occurrences.map(({ file_id }) => file_id))]);
      const filesByRun = new Map<number, Set<number>>();
      for (const { entry, run } of occurrences) {
        for (const { ordinal, file } of sessionsOf.all({ entry, run })) {
          const files = getOrInsert(filesByRun, ordinal, () => new Set());
          if (file !== null) files.add(file);
        }
      }
      const runs = [...filesByRun.values()].map((files) =>
        [...files].filter((file) => hasSpent(file, reporters)),
      );
      const recorded = runs.filter((files) => files.length > 0);
      if (recorded.length === 0) return { recordedBy: "none", sessions: [], reporters };
      // Several files of one run are copies of each other.
      const sessions = [...new Set(recorded.flatMap(([first]) => first ?? []))];
      return { recordedBy: recorded.length === runs.length ? "all" : "some", sessions, reporters };
    },
    /** Call it if rows changed since the last call of `sessionsOfRuns`. */
    beginSettling: () => hasOwnUsage.clear(),
    /** Call it first in each transaction. */
    begin(): void {
      children.clear();
      realFolders.clear();
    },
    /** The reports of runs that may have the file at a path as their session. */
    reportsOf: (path: string): Reports => ({ keys: keysOf.all(path), keyless: keylessOf.all(path) }),
    /** The reports of runs in a file. */
    reportsIn: (fileId: number): Reports => ({ keys: keysIn.all(fileId), keyless: keylessIn.all(fileId) }),
  };
}
