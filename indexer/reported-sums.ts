import { getOrInsert } from "../src/get-or-insert.ts";
import {
  ALL_EVENTS,
  type Report,
  type ReportWindow,
  selectEventsInWindow,
  selectReports,
  toReportWindows,
} from "../src/store/sqlite/report-window.ts";
import {
  REPORTED_COLUMNS,
  type ReportedFigures,
  SELECT_USAGE_SUMS,
  subtractUsage,
  type UsageFigures,
} from "../src/store/sqlite/reported-figures.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";

/**
 * The statements about sums that a tool result reports for several subagent runs. If some of the runs have sessions, their
 * usage counts there, and the event has the rest; `reported_sum` has the reported figures.
 */
export function prepareReportedSums(db: StatementPreparer) {
  const columns = REPORTED_COLUMNS.join(", ");
  const isEvent = "entry = +? AND ordinal = +?";
  const eventAt = db.prepare<[number, number], ReportedFigures>(
    `SELECT ${columns} FROM event WHERE ${isEvent}`,
  );
  const sumAt = db.prepare<[number, number], ReportedFigures>(
    `SELECT ${columns} FROM reported_sum WHERE ${isEvent}`,
  );
  const insert = db.prepare(
    `INSERT INTO reported_sum (entry, ordinal, ${columns})
     SELECT entry, ordinal, ${columns} FROM event WHERE ${isEvent}`,
  );
  const remove = db.prepare(`DELETE FROM reported_sum WHERE ${isEvent}`);
  const update = db.prepare(
    `UPDATE event SET ${REPORTED_COLUMNS.map((name) => `${name} = @${name}`).join(", ")}
     WHERE entry = @entry AND ordinal = @ordinal`,
  );
  // Events that a run copied from the sessions that report it are not its own usage.
  const spentIn = db.prepare<{ file: number; reporters: string } & ReportWindow, UsageFigures>(
    `SELECT ${SELECT_USAGE_SUMS}
     FROM ${selectEventsInWindow("+@file", { after: "+@after", until: "+@until" })} AS spent
     WHERE billed = 1 AND kind <> 'subagent' AND NOT EXISTS (
       SELECT 1 FROM event AS copied WHERE copied.key = spent.key AND copied.instance = spent.instance
         AND +copied.file_id IN (SELECT value FROM json_each(@reporters)))`,
  );
  const reports = db.prepare<[number, number], Report>(selectReports("+?", "+?"));
  /** Windows by the files of caller and session. Cached, because a session may be reported a thousand times. */
  const windowsByFiles = new Map<string, Map<number, ReportWindow>>();

  function windowOf(entry: number, caller: number, session: number): ReportWindow {
    const read = () => toReportWindows(reports.all(caller, session));
    return getOrInsert(windowsByFiles, `${caller} ${session}`, read).get(entry) ?? ALL_EVENTS;
  }

  return {
    /** Call it if rows changed since the last call of `subtract`. */
    beginSettling: () => windowsByFiles.clear(),
    /**
     * Sets the figures of an event to the reported ones minus the usage of the runs' sessions in `files`.
     *
     * @param reporters the files that report the runs, as JSON
     * @returns whether the figures changed
     */
    subtract(
      { entry, ordinal, file_id: caller }: { entry: number; ordinal: number; file_id: number },
      files: readonly number[],
      reporters: string,
    ): boolean {
      const reported = sumAt.get(entry, ordinal);
      if (files.length === 0 && !reported) return false;
      const before = eventAt.get(entry, ordinal);
      const whole = reported ?? before;
      if (!before || !whole) return false;
      const spent = files.map((file) => spentIn.get({ file, reporters, ...windowOf(entry, caller, file) }));
      const after = subtractUsage(
        whole,
        spent.filter((figures) => figures !== undefined),
      );
      const isEqual = (other: ReportedFigures) =>
        REPORTED_COLUMNS.every((name) => after[name] === other[name]);
      const isUnreduced = isEqual(whole);
      if (!reported && !isUnreduced) insert.run(entry, ordinal);
      if (reported && isUnreduced) remove.run(entry, ordinal);
      if (isEqual(before)) return false;
      update.run({ ...after, entry, ordinal });
      return true;
    },
  };
}
