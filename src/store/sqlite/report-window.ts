/**
 * Which reports of a session include which of its events. The caller reports a resumed session several times, each time with
 * the usage since the previous report.
 */

/** An entry that reports a session, with its time in Unix milliseconds. */
export interface Report {
  entry: number;
  time: number | null;
}

/** The events that a report includes: later than `after`, and not later than `until`. */
export interface ReportWindow {
  after: number;
  until: number;
}

const EARLIEST = Number.MIN_SAFE_INTEGER;
const LATEST = Number.MAX_SAFE_INTEGER;

/** All events: for a caller's file that doesn't name the session, while a copy of that file does. */
export const ALL_EVENTS: ReportWindow = { after: EARLIEST, until: LATEST };

/**
 * A query for the reports in a caller's file of the session in another file.
 *
 * @param caller the row ids of both files in SQL
 */
export function selectReports(caller: string, session: string): string {
  // CROSS JOIN keeps the join order: paths are few, and a file may have many events.
  return `SELECT DISTINCT event.entry, event.time
    FROM file CROSS JOIN run_file ON run_file.path = file.path
      CROSS JOIN event ON event.entry = run_file.entry AND +event.file_id = ${caller}
    WHERE file.id = ${session}`;
}

/**
 * The window of each report, by its entry. Every event is in exactly one. Reports with the same time are in the order of their
 * lines, so the first of them includes everything since the previous time. The last report also includes everything after it,
 * and events without a time.
 */
export function toReportWindows(reports: readonly Report[]): Map<number, ReportWindow> {
  const timeOf = ({ time }: Report) => time ?? EARLIEST;
  const inOrder = reports.toSorted((a, b) => timeOf(a) - timeOf(b) || a.entry - b.entry);
  const windows = new Map<number, ReportWindow>();
  let after = EARLIEST;
  inOrder.forEach((report, n) => {
    const until = n === inOrder.length - 1 ? LATEST : timeOf(report);
    windows.set(report.entry, { after, until });
    after = until;
  });
  return windows;
}

/** A subquery for the events of a session in a window. All parameters are SQL expressions. */
export function selectEventsInWindow(
  file: string,
  { after, until }: Record<keyof ReportWindow, string>,
): string {
  // Not one condition with OR: SQLite would scan the whole session for each report.
  return `(SELECT * FROM event WHERE file_id = ${file} AND time > ${after} AND time <= ${until}
    UNION ALL SELECT * FROM event WHERE file_id = ${file} AND time IS NULL AND ${until} = ${LATEST})`;
}
