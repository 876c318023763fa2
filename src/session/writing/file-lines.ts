import { constants } from "node:buffer";
import { HeapGuard } from "../heap-guard.ts";
import { isRecord } from "../json.ts";
import { type Line, MAX_LINE_BYTES, NEWLINE, readAt, readLines } from "../lines.ts";
import { mayHoldObject, parseLine } from "../parse-line.ts";

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
  /** Set for a line that is too long to be parsed, or that nobody wants parsed: it may be an entry. */
  unparsed?: true;
}

export interface LineOptions {
  /** Whether very long lines are parsed too, which takes several times their size in memory. Default: yes. */
  parseLong?: boolean;
  /** Whether lines that cannot hold an object are not parsed, and not counted either: it saves the time for garbage. */
  objectsOnly?: boolean;
}

/**
 * Reads the lines of an open file from a point on to the byte offset `end`, blank ones left out. The point moves along; a
 * last line that is torn is not given, and the point stays before it.
 *
 * @param options may be changed between two lines
 * @throws the error of `fs.readSync`; PidexError `SESSION_TOO_LARGE` when what the caller kept of the lines fills the memory
 */
export function* readFileLines(
  fd: number,
  point: ReadPoint,
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
    const read = options.objectsOnly && !mayHoldObject(line) ? NO_ENTRY : parsed(fd, line, options, guard);
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

const NO_ENTRY: ReadLine = { counted: false };

function parsed(fd: number, line: Line, { parseLong = true }: LineOptions, guard: HeapGuard): ReadLine {
  const isLong = line.length > MAX_LINE_BYTES;
  if (isLong && !parseLong) return { counted: true, unparsed: true };
  guard.expect(line.length);
  return isLong ? wholeLine(fd, line.offset, line.length) : parseLine(line, 0);
}

/** A line too long for an index: who writes a session on must have all of it. */
function wholeLine(fd: number, offset: number, length: number): ReadLine {
  if (length > constants.MAX_STRING_LENGTH) return { counted: true, unparsed: true };
  try {
    const value: unknown = JSON.parse(readAt(fd, offset, length).toString("utf8"));
    return isRecord(value) ? { object: value, counted: true } : { counted: Boolean(value) };
  } catch (error) {
    // No JSON, or nested deeper than it can be read.
    if (error instanceof SyntaxError || error instanceof RangeError) return { counted: false };
    throw error;
  }
}
