/**
 * Kinds of problems in a session file. Codes are stored in the database and part of JSON results and docs/problems.md: they
 * are added, never renamed.
 */
export type ProblemCode =
  /** A line that is not JSON. Skipped, as pi does. */
  | "malformed_line"
  /** The last line has no newline and is incomplete: a write in progress or a crash. Read once it is complete. */
  | "torn_line"
  /** JSON, but not an object. Skipped. */
  | "not_an_entry"
  /** A field of the wrong shape. The entry is kept without the field. */
  | "invalid_field"
  /** A model response or usage entry without a cost. Counted as zero. */
  | "missing_figure"
  /** Invalid UTF-8. Read as U+FFFD. */
  | "invalid_utf8"
  /** A line longer than `MAX_LINE_BYTES`. Only its first fields are read. */
  | "long_line"
  /** The file starts with a byte order mark, which pi cannot read. */
  | "byte_order_mark"
  /** A second header. Skipped. */
  | "second_header"
  /** The header comes after more than 1 MiB of other lines. Lines after the first MiB are not reported. */
  | "late_header"
  /** An entry comes before any header. The file is not a session and is not listed. */
  | "no_header"
  /** The file could not be opened or read. */
  | "unreadable"
  /** A pipe, socket or device with a session's file name. */
  | "not_a_file"
  /** A link to a file outside the roots that is not a session. Its content is not reported. */
  | "outside_roots";

/** A problem in a session file. */
export interface Problem {
  code: ProblemCode;
  /** Byte offset of its line in the file. */
  byteOffset: number;
  /** Line number from 1; 0 for a problem of the whole file. */
  line: number;
  message: string;
}
