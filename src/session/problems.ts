/**
 * What can be wrong in a session file. Codes are stable: they stand in the database, in JSON answers and in
 * docs/problems.md, so a code is never renamed, only added.
 */
export type ProblemCode =
  /** A line that is no JSON. Skipped, as pi skips it. */
  | "malformed_line"
  /** The last line has no newline and is no whole JSON: a write in progress or a crash. Read when it is whole. */
  | "torn_line"
  /** JSON, but no object: skipped. */
  | "not_an_entry"
  /** A field of the wrong shape: the entry is kept without that field. */
  | "invalid_field"
  /** An answer, or usage, that does not say what it cost: it counts as nothing. */
  | "missing_figure"
  /** Bytes that are no UTF-8: read as U+FFFD. */
  | "invalid_utf8"
  /** A line longer than `MAX_LINE_BYTES`: only its first fields are read. */
  | "long_line"
  /** The file starts with a byte order mark, which pi itself would choke on. */
  | "byte_order_mark"
  /** A second header: skipped. */
  | "second_header"
  /** The header comes after more than 1 MiB of other lines, of which those behind that are not reported. */
  | "late_header"
  /** Another entry comes before any header: the file is no session and is not listed. */
  | "no_header"
  /** The file could not be opened or read. */
  | "unreadable"
  /** It has a session's name, but is a pipe, a socket or a device. */
  | "not_a_file"
  /** A link leads out of the roots, to a file that is no session: nothing of it is told. */
  | "outside_roots";

/** Something wrong in a file: where it is, and what it means. */
export interface Problem {
  code: ProblemCode;
  /** Byte offset in the file of the line it stands on. */
  byteOffset: number;
  /** Line number from 1, or 0 for a problem of the file as a whole. */
  line: number;
  message: string;
}
