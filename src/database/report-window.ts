/**
 * A condition on `spent`, an event of a run's session: whether it belongs to the report in an entry. A session that was resumed is
 * reported several times, each time with what it used since the last one.
 *
 * @param entry the reporting entry's row id in SQL
 */
export function isReportedBy(entry: string): string {
  return `NOT EXISTS (
    SELECT 1 FROM event AS report CROSS JOIN file AS session_file CROSS JOIN run_file CROSS JOIN event AS other
    WHERE report.entry = ${entry} AND session_file.id = spent.file_id AND run_file.path = session_file.path
      AND other.entry = run_file.entry AND other.file_id = report.file_id
      AND (other.time < report.time AND spent.time <= other.time
        OR other.time > report.time AND spent.time > report.time))`;
}
