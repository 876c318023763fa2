/**
 * Which reports of a session include which of its events. A session that was resumed is reported several times by its caller, each
 * time with what it used since the report before.
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

/** Where a caller's file does not name the session itself, but a copy of that file does: all events. */
export const UNLIMITED: ReportWindow = { after: EARLIEST, until: LATEST };

/**
 * A query for the reports in a caller's file of the session in another file.
 *
 * @param caller the row ids of both files in SQL
 */
export function reportsOf(caller: string, session: string): string {
  // `CROSS JOIN` keeps the order: paths are few, a file's events may be many.
  return `SELECT DISTINCT event.entry, event.time
    FROM file CROSS JOIN run_file ON run_file.path = file.path
      CROSS JOIN event ON event.entry = run_file.entry AND +event.file_id = ${caller}
    WHERE file.id = ${session}`;
}

/**
 * The window of each report, by its entry. Every event is in exactly one: reports of one time follow each other as their lines do, so the
 * first of them includes all since the report before. The last one includes what came after it, and events without a time.
 */
export function reportWindows(reports: readonly Report[]): Map<number, ReportWindow> {
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

/** The rows of `event` of the reported session that are in a window; its file and the window's limits are given in SQL. */
export function eventsIn(file: string, { after, until }: Record<keyof ReportWindow, string>): string {
  // Not one condition with OR: SQLite would look through the whole session for each report.
  return `(SELECT * FROM event WHERE file_id = ${file} AND time > ${after} AND time <= ${until}
    UNION ALL SELECT * FROM event WHERE file_id = ${file} AND time IS NULL AND ${until} = ${LATEST})`;
}
