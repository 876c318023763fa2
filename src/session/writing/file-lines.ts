import { constants } from "node:buffer";
import { HeapGuard } from "../heap-guard.ts";
import { isRecord } from "../json.ts";
import { type Line, MAX_LINE_BYTES, NEWLINE, readAt, readLines } from "../lines.ts";
import { mayHoldObject, parseLine } from "../parse-line.ts";
import type { SessionBytes } from "../session-bytes.ts";

/** How far a writer has read a file. */
export interface ReadPosition {
  /** Byte offset after the last line read. A torn last line starts here. */
  offset: number;
  /** Whether the last line read is an entry without a newline yet. */
  unterminated: boolean;
}

/** A line of a session file, with its JSON object if it holds one. */
export interface FileLine {
  offset: number;
  length: number;
  /** As it is in the file: not validated, not upgraded. */
  object?: Record<string, unknown>;
  /** Whether the line is counted by version 1's `firstKeptEntryIndex`. */
  counted: boolean;
  /** Its bytes, only the first ones of a very long line. Valid until the next line is read. */
  bytes: Buffer;
  /** Set for a line that is too long to parse, or was not to be parse. It may be an entry. */
  unparsed?: true;
}

export interface LineOptions {
  /** Whether to parse very long lines, which takes several times their size in memory. Default: true. */
  parseLong?: boolean;
  /** Whether to skip lines that cannot hold an object, to save time on garbage. They are not counted. */
  objectsOnly?: boolean;
}

/**
 * Reads the non-blank lines of an open file from `point` to the byte offset `end`. Updates `point`; a torn last line is not
 * yielded, and `point` stays before it.
 *
 * @param options may be changed between lines
 * @throws the error of `fs.readSync`; PidexError `SESSION_TOO_LARGE` if the lines kept by the caller fill the memory
 */
export function* readFileLines(
  fd: SessionBytes,
  point: ReadPosition,
  end: number,
  options: LineOptions = {},
): Generator<FileLine> {
  const guard = new HeapGuard(end);
  if (point.unterminated && point.offset < end && readAt(fd, point.offset, 1)[0] === NEWLINE) {
    point.offset++;
    point.unterminated = false;
  }
  for (const line of readLines(fd, point.offset, end)) {
    const { offset, length, bytes, terminated } = line;
    const read = options.objectsOnly && !mayHoldObject(line) ? SKIPPED : parse(fd, line, options, guard);
    if (!terminated && !read.object) return;
    point.offset = offset + length + (terminated ? 1 : 0);
    point.unterminated = !terminated;
    if (read.object || read.counted || bytes.some((byte) => byte > 0x20)) {
      const { object, counted, unparsed } = read;
      yield { offset, length, bytes, counted, ...(object && { object }), ...(unparsed && { unparsed }) };
    }
  }
}

type ReadLine = Pick<FileLine, "object" | "counted" | "unparsed">;

const SKIPPED: ReadLine = { counted: false };

function parse(fd: SessionBytes, line: Line, { parseLong = true }: LineOptions, guard: HeapGuard): ReadLine {
  const isLong = line.length > MAX_LINE_BYTES;
  if (isLong && !parseLong) return { counted: true, unparsed: true };
  guard.reserve(line.length);
  return isLong ? parseLongLine(fd, line.offset, line.length) : parseLine(line, 0);
}

/** Parses a line that is too long for the index: a writer needs all of it. */
function parseLongLine(fd: SessionBytes, offset: number, length: number): ReadLine {
  if (length > constants.MAX_STRING_LENGTH) return { counted: true, unparsed: true };
  try {
    const value: unknown = JSON.parse(readAt(fd, offset, length).toString("utf8"));
    return isRecord(value) ? { object: value, counted: true } : { counted: Boolean(value) };
  } catch (error) {
    // Invalid JSON, or nested too deep.
    if (error instanceof SyntaxError || error instanceof RangeError) return { counted: false };
    throw error;
  }
}
