import { isRecord } from "../json.ts";
import { MAX_LINE_BYTES, NEWLINE, readAt, readLines } from "../lines.ts";
import { parseLine } from "../parse-line.ts";

/** How far the lines of a file are known to a writer. */
export interface ReadPoint {
  /** Bytes whose lines are known. A torn last line lies behind it. */
  offset: number;
  /** Whether the last of these lines is an entry that no newline ends yet. */
  unterminated: boolean;
}

/** A line of a session file that holds a JSON object, or nothing that can be read. */
export interface FileLine {
  offset: number;
  length: number;
  /** As the file has it: not typed, not upgraded. */
  object?: Record<string, unknown>;
  /** Whether version 1's `firstKeptEntryIndex` counts the line. */
  counted: boolean;
  /** Its bytes; valid until the next line is asked for. Of a very long line only the first. */
  bytes: Buffer;
}

/**
 * Reads the lines of an open file from a point on to the byte offset `end`, blank ones left out. The point moves along; a
 * last line that is torn is not given, and the point stays before it.
 *
 * @throws the error of `fs.readSync`
 */
export function* readFileLines(fd: number, point: ReadPoint, end: number): Generator<FileLine> {
  if (point.unterminated && point.offset < end && readAt(fd, point.offset, 1)[0] === NEWLINE) {
    point.offset++;
    point.unterminated = false;
  }
  for (const line of readLines(fd, point.offset, end)) {
    const { offset, length, bytes, terminated } = line;
    const read =
      length > MAX_LINE_BYTES
        ? wholeLine(fd, offset, length)
        : { ...parseLine(line, 0), problems: undefined };
    if (!terminated && !read.object) return;
    point.offset = offset + length + (terminated ? 1 : 0);
    point.unterminated = !terminated;
    if (read.object || read.counted || bytes.some((byte) => byte > 0x20)) {
      yield { offset, length, bytes, counted: read.counted, ...(read.object && { object: read.object }) };
    }
  }
}

/** A line too long for an index: who writes a session on must have all of it. */
function wholeLine(
  fd: number,
  offset: number,
  length: number,
): { object?: Record<string, unknown>; counted: boolean } {
  try {
    const value: unknown = JSON.parse(readAt(fd, offset, length).toString("utf8"));
    return isRecord(value) ? { object: value, counted: true } : { counted: Boolean(value) };
  } catch (error) {
    // No JSON, or longer than a string can be: either way nothing that can be read.
    if (error instanceof SyntaxError || error instanceof RangeError) return { counted: false };
    if (error instanceof Error && "code" in error && error.code === "ERR_STRING_TOO_LONG") {
      return { counted: false };
    }
    throw error;
  }
}
