import {
  eventsIn,
  type Report,
  type ReportWindow,
  reportsOf,
  reportWindows,
  UNLIMITED,
} from "../src/store/sqlite/report-window.ts";
import {
  lessSpent,
  REPORTED,
  type ReportedFigures,
  SELECT_SPENT,
  type SpentFigures,
} from "../src/store/sqlite/reported-figures.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";

/**
 * The statements about sums that a tool result tells of several runs of subagents. Where some of these have sessions of their
 * own, what those spent counts there, and the event has the rest; what the entry tells stays in `reported_sum`.
 */
export function prepareReportedSums(db: Preparer) {
  const columns = REPORTED.join(", ");
  const place = "entry = +? AND ordinal = +?";
  const eventAt = db.prepare<[number, number], ReportedFigures>(
    `SELECT ${columns} FROM event WHERE ${place}`,
  );
  const sumAt = db.prepare<[number, number], ReportedFigures>(
    `SELECT ${columns} FROM reported_sum WHERE ${place}`,
  );
  const insert = db.prepare(
    `INSERT INTO reported_sum (entry, ordinal, ${columns})
     SELECT entry, ordinal, ${columns} FROM event WHERE ${place}`,
  );
  const remove = db.prepare(`DELETE FROM reported_sum WHERE ${place}`);
  const update = db.prepare(
    `UPDATE event SET ${REPORTED.map((name) => `${name} = @${name}`).join(", ")}
     WHERE entry = @entry AND ordinal = @ordinal`,
  );
  // What a run copied from those that tell of it, it did not spend.
  const spentIn = db.prepare<{ file: number; tellers: string } & ReportWindow, SpentFigures>(
    `SELECT ${SELECT_SPENT}
     FROM ${eventsIn("+@file", { after: "+@after", until: "+@until" })} AS spent
     WHERE billed = 1 AND kind <> 'subagent' AND NOT EXISTS (
       SELECT 1 FROM event AS copied WHERE copied.key = spent.key AND copied.instance = spent.instance
         AND +copied.file_id IN (SELECT value FROM json_each(@tellers)))`,
  );
  const reports = db.prepare<[number, number], Report>(reportsOf("+?", "+?"));
  /** By the files of the caller and the session, as long as neither changes: a session may be reported a thousand times. */
  const known = new Map<string, Map<number, ReportWindow>>();

  function windowOf(entry: number, caller: number, session: number): ReportWindow {
    const name = `${caller} ${session}`;
    const windows = known.get(name) ?? reportWindows(reports.all(caller, session));
    known.set(name, windows);
    return windows.get(entry) ?? UNLIMITED;
  }

  return {
    /** To be called when rows changed since `lessen` was last called. */
    begin: () => known.clear(),
    /**
     * Takes what some files spent from the figures of an event, and gives it back what was taken before. `tellers` are the files that
     * tell of the runs, as JSON.
     *
     * @returns whether its figures are others now
     */
    lessen(
      { entry, ordinal, file_id: caller }: { entry: number; ordinal: number; file_id: number },
      files: readonly number[],
      tellers: string,
    ): boolean {
      const reported = sumAt.get(entry, ordinal);
      if (files.length === 0 && !reported) return false;
      const before = eventAt.get(entry, ordinal);
      const whole = reported ?? before;
      if (!before || !whole) return false;
      const spent = files.map((file) => spentIn.get({ file, tellers, ...windowOf(entry, caller, file) }));
      const after = lessSpent(
        whole,
        spent.filter((figures) => figures !== undefined),
      );
      const isLike = (other: ReportedFigures) => REPORTED.every((name) => after[name] === other[name]);
      const isWhole = isLike(whole);
      if (!reported && !isWhole) insert.run(entry, ordinal);
      if (reported && isWhole) remove.run(entry, ordinal);
      if (isLike(before)) return false;
      update.run({ ...after, entry, ordinal });
      return true;
    },
  };
}
