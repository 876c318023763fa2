import { isAbsolute } from "node:path";
import type { EventTable } from "../src/store/sqlite/schema.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";
import { childFoldersOf, type RealFolders, type ReportingSession, runPaths } from "./run-paths.ts";
import { CHILD_FOLDERS, type SubagentRun } from "./subagent-results.ts";

/** A row of `event`, as far as its standing is worked out. */
export type Holder = Pick<
  EventTable,
  "entry" | "ordinal" | "file_id" | "time" | "kind" | "run" | "standing" | "instance"
>;

export const HOLDER =
  "event.entry, event.ordinal, event.file_id, event.time, event.kind, event.run, event.standing, event.instance";

/** Events of which subagents' runs are told: those that have a key by that, the others as they are. */
interface Told {
  keys: bigint[];
  keyless: Holder[];
}

/** In SQL, on `subagent_run`: the run of an event, or all those of its entry that have no event of their own. */
export function ofRuns(run: string): string {
  return `(subagent_run.ordinal = ${run} OR ${run} IS NULL AND NOT EXISTS (SELECT 1 FROM event AS own
    WHERE own.entry = subagent_run.entry AND own.run = subagent_run.ordinal))`;
}

/** The statements about runs of subagents: which there are, and whether their own files tell what they spent. */
export function prepareRuns(db: Preparer) {
  // `+` before what is bound: see `ledger.ts`.
  const spendersOf = db.prepare<
    { entry: number; run: number | null },
    { ordinal: number; file: number | null }
  >(
    `SELECT subagent_run.ordinal, file.id AS file
     FROM subagent_run LEFT JOIN run_file USING (entry, ordinal) LEFT JOIN file ON file.path = run_file.path
     WHERE subagent_run.entry = +@entry AND ${ofRuns("+@run")}`,
  );
  // The one before `copied.file_id` keeps SQLite from looking through whole files for each.
  const spentItself = db
    .prepare<{ file: number; tellers: string }, number>(
      `SELECT EXISTS (
         SELECT 1 FROM event AS spent
         WHERE spent.file_id = +@file AND spent.billed = 1 AND spent.kind <> 'subagent' AND NOT EXISTS (
           SELECT 1 FROM event AS copied
           WHERE copied.key = spent.key AND copied.instance = spent.instance AND +copied.file_id IN (SELECT value FROM json_each(@tellers))))`,
    )
    .pluck();
  const toldOf = `FROM run_file CROSS JOIN event ON event.entry = run_file.entry AND event.kind = 'subagent'
       AND (event.run IS NULL OR event.run = run_file.ordinal)
     WHERE run_file.path = +?`;
  const keysOf = db
    .prepare<[string], bigint>(`SELECT DISTINCT event.key ${toldOf} AND event.key IS NOT NULL`)
    .pluck()
    .safeIntegers();
  const keylessOf = db.prepare<[string], Holder>(`SELECT DISTINCT ${HOLDER} ${toldOf} AND event.key IS NULL`);
  const keysIn = db
    .prepare<[number], bigint>(
      "SELECT DISTINCT key FROM event WHERE file_id = ? AND kind = 'subagent' AND key IS NOT NULL",
    )
    .pluck()
    .safeIntegers();
  const keylessIn = db.prepare<[number], Holder>(
    `SELECT ${HOLDER} FROM event WHERE file_id = ? AND kind = 'subagent' AND key IS NULL`,
  );
  const insertRun = db.prepare("INSERT INTO subagent_run VALUES (?, ?, ?, ?, ?)");
  const insertRunFile = db.prepare("INSERT INTO run_file VALUES (?, ?, ?)");
  const runsIn = db.prepare<[number], { entry: number; ordinal: number; time: number | null } & SubagentRun>(
    `SELECT subagent_run.entry, subagent_run.ordinal, entry.timestamp AS time, agent, session_file AS sessionFile, artifact
     FROM entry CROSS JOIN subagent_run ON subagent_run.entry = entry.id WHERE entry.file_id = +?`,
  );
  const deleteRunFiles = db.prepare("DELETE FROM run_file WHERE entry = ? AND ordinal = ?");
  const filesBelow = db
    .prepare<[string, string], string>("SELECT path FROM file WHERE path BETWEEN ? AND ? || char(1114111)")
    .pluck();
  // In any root. Asked once for each session that has such children.
  const filesBelowAny = db
    .prepare<[string], string>("SELECT path FROM file WHERE path GLOB '*' || ? || 'sub-*'")
    .pluck();
  const parentsAt = db.prepare<[string], { entry: number; ordinal: number }>(
    "SELECT entry, ordinal FROM run_file WHERE path = ?",
  );
  const hasRunFile = db
    .prepare<[number, number, string], 1>(
      "SELECT 1 FROM run_file WHERE entry = ? AND ordinal = ? AND path = ?",
    )
    .pluck();
  const deleteChild = db.prepare(
    `DELETE FROM run_file WHERE path = +@path AND EXISTS (
       SELECT 1 FROM subagent_run WHERE subagent_run.entry = run_file.entry
         AND subagent_run.ordinal = run_file.ordinal AND subagent_run.artifact = '${CHILD_FOLDERS}')`,
  );

  /** What `spentItself` said, while the rows stay as they are: many runs may name one file. */
  const known = new Map<string, boolean>();

  /**
   * Whether a file tells spending of its own. A run may go on from its caller's context: what those who tell of the run
   * have too, it only copied.
   */
  function hasSpent(file: number, tellers: string): boolean {
    const asked = `${file} ${tellers}`;
    const spent = known.get(asked) ?? spentItself.get({ file, tellers }) === 1;
    known.set(asked, spent);
    return spent;
  }

  /** What `childrenIn` said, while no file comes or goes. */
  const children = new Map<string, string[]>();

  /** Each is looked at once in a transaction. */
  const realFolders: RealFolders = new Map();

  /** The files that lie among a parent's children, in a folder as `runPaths` has it. */
  function childrenIn(folder: string): string[] {
    const known = children.get(folder);
    if (known) return known;
    const below = isAbsolute(folder) ? filesBelow.all(folder, folder) : filesBelowAny.all(folder);
    const found = below.filter((path) => childFoldersOf(path).includes(folder));
    children.set(folder, found);
    return found;
  }

  function addFiles(
    { entry, ordinal, time }: { entry: number; ordinal: number; time: number | null },
    run: SubagentRun,
    session: ReportingSession,
  ): void {
    for (const path of runPaths(run, session, time, realFolders)) {
      insertRunFile.run(entry, ordinal, path);
      if (run.artifact !== CHILD_FOLDERS) continue;
      for (const child of childrenIn(path)) {
        if (child === session.path || hasRunFile.get(entry, ordinal, child)) continue;
        insertRunFile.run(entry, ordinal, child);
      }
    }
  }

  return {
    /** Adds the runs that an entry tells of. */
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
    /** Works out anew where the files of the runs may lie that a file tells of, which itself lies elsewhere now. */
    moved(fileId: number, session: ReportingSession): void {
      for (const { entry, ordinal, time, ...run } of runsIn.all(fileId)) {
        deleteRunFiles.run(entry, ordinal);
        addFiles({ entry, ordinal, time }, run, session);
      }
    },
    /**
     * To be called when a file comes, by its path: where it lies among the children of sessions, the runs that these tell of
     * have it too.
     */
    appeared(path: string): void {
      children.clear();
      for (const { entry, ordinal } of childFoldersOf(path).flatMap((folder) => parentsAt.all(folder))) {
        if (hasRunFile.get(entry, ordinal, path)) continue;
        insertRunFile.run(entry, ordinal, path);
      }
    },
    /** The same when it goes. What its parents tell is to be asked for before. */
    disappeared(path: string): void {
      children.clear();
      if (childFoldersOf(path).length === 0) return;
      deleteChild.run({ path });
    },
    /**
     * Whether the runs that spent an act tell of it themselves, in their own files: all of them, some, or none; and in
     * which files those do. `places` is where it is told else: in the files `tellers`, as JSON.
     */
    tellersOf(places: readonly Holder[]): {
      told: "all" | "some" | "none";
      toldBy: number[];
      tellers: string;
    } {
      if (places[0]?.kind !== "subagent") return { told: "none", toldBy: [], tellers: "[]" };
      const tellers = JSON.stringify([...new Set(places.map(({ file_id }) => file_id))]);
      const spenders = new Map<number, Set<number>>();
      for (const { entry, run } of places) {
        for (const { ordinal, file } of spendersOf.all({ entry, run })) {
          const files = spenders.get(ordinal) ?? new Set();
          spenders.set(ordinal, file === null ? files : files.add(file));
        }
      }
      const runs = [...spenders.values()].map((files) =>
        [...files].filter((file) => hasSpent(file, tellers)),
      );
      const told = runs.filter((files) => files.length > 0);
      if (told.length === 0) return { told: "none", toldBy: [], tellers };
      // Of one run several files may tell, which are copies of each other.
      const toldBy = [...new Set(told.flatMap(([first]) => first ?? []))];
      return { told: told.length === runs.length ? "all" : "some", toldBy, tellers };
    },
    /** To be called when rows changed since `tellersOf` was last asked. */
    begin: () => known.clear(),
    /** Forgets what a transaction has left. */
    forget(): void {
      children.clear();
      realFolders.clear();
    },
    /** What is told of runs whose session may be the file at a path. */
    toldOf: (path: string): Told => ({ keys: keysOf.all(path), keyless: keylessOf.all(path) }),
    /** What a file tells of runs. */
    toldIn: (fileId: number): Told => ({ keys: keysIn.all(fileId), keyless: keylessIn.all(fileId) }),
  };
}
