import type { Entry, EntryId, SessionHeader } from "./entries.ts";
import { type ByteSink, type Line, NEWLINE, type ReadCounters, readAt, readLines } from "./lines.ts";
import { parseEntry, parseHeader } from "./parse.ts";
import { MAX_HEADER_OFFSET_BYTES, mayHoldObject, parseLine } from "./parse-line.ts";
import type { Problem } from "./problems.ts";
import type { SessionBytes } from "./session-bytes.ts";
import { getHeaderVersion, upgradeEntry } from "./upgrade.ts";

const NEWLINE_BYTES = Uint8Array.of(NEWLINE);

/**
 * How far a session file has been read: everything needed to continue from there. A plain value that the index can store.
 */
export interface ReadState {
  /** Byte offset after the last line that was read. */
  offset: number;
  /**
   * False if that line was complete but had no newline yet. If the byte at `offset` then is not a newline, the line was longer
   * than it seemed, and the file must be read from the start.
   */
  terminated: boolean;
  /** Lines read, including blank and malformed ones. */
  lines: number;
  /** Parsed lines since the header, which version 1's `firstKeptEntryIndex` counts. */
  parsed: number;
  /** `none`: an entry came first, so the file is not a session and the rest is not read. */
  header: "awaited" | "found" | "none";
  /** The header's version, 1 to 3. */
  version: number;
  /** Id of the last entry, which is the session's leaf. Null before the first entry, or if the last one has no id. */
  leafId: EntryId | null;
}

/** The state before the first byte. */
export const INITIAL_READ_STATE: Readonly<ReadState> = {
  offset: 0,
  terminated: true,
  lines: 0,
  parsed: 0,
  header: "awaited",
  version: 3,
  leafId: null,
};

/** A line of a session file: the header, an entry (upgraded to version 3), or only problems. */
export interface SessionLine {
  /** Byte offset and length of the line, without its newline. */
  offset: number;
  length: number;
  /** Line number, from 1. */
  line: number;
  header?: SessionHeader;
  entry?: Entry;
  problems: Problem[];
}

/**
 * Reads a session file line by line from `state` to the byte offset `end`, in bounded memory. Malformed lines are skipped with
 * a problem; entries of old versions are upgraded. `state` is updated after each line.
 *
 * A last line without a newline is read if it is a complete JSON object, because a partial write never is. Otherwise it is left
 * for the next read, with the problem `torn_line`.
 *
 * @param sink receives all bytes that `state` moves past; bytes added since the last commit belong to a torn line
 * @throws the error of `fs.readSync`
 */
export function* readSession(
  fd: SessionBytes,
  state: ReadState,
  end: number,
  count?: ReadCounters,
  sink?: ByteSink,
): Generator<SessionLine> {
  const { header } = state;
  if (header === "none") return;
  if (!state.terminated && state.offset < end && readAt(fd, state.offset, 1, count)[0] === NEWLINE) {
    state.offset++; // the newline of the last line
    sink?.add(NEWLINE_BYTES);
    sink?.commit();
    state.terminated = true;
  }
  // An earlier read may have passed the title: read the lines before the header again.
  let title = header === "awaited" && state.offset > 0 ? findTitle(fd, state.offset, count) : undefined;
  for (const line of readLines(fd, state.offset, end, count, sink)) {
    const lineNumber = state.lines + 1;
    const isFarFromStart = line.offset > MAX_HEADER_OFFSET_BYTES;
    if (state.header === "awaited" && isFarFromStart && !mayHoldObject(line)) {
      // Avoids parsing gigabytes that are not a session, and a problem for each of their lines.
      moveTo(state, line);
      sink?.commit();
      continue;
    }
    const { object, counted, problems } = parseLine(line, lineNumber);
    const read: SessionLine = { offset: line.offset, length: line.length, line: lineNumber, problems };
    if (!line.terminated && !object) {
      // Not only torn JSON: `12` or whitespace may be the start of anything.
      if (problems.length > 0) yield read;
      return;
    }
    if (state.header === "awaited") {
      if (!isFarFromStart) title = getTitle(object) ?? title;
      findHeader(read, object, state, title);
    } else if (object) readEntry(read, object, state);
    if (state.header === "found" && counted) state.parsed++;
    moveTo(state, line);
    sink?.commit();
    if (read.header || read.entry || problems.length > 0) yield read;
    if (state.header === "none") return;
  }
}

/** Moves the state past a line. */
function moveTo(state: ReadState, { offset, length, terminated }: Line): void {
  state.lines++;
  state.offset = offset + length + (terminated ? 1 : 0);
  state.terminated = terminated;
}

/** The title that oh-my-pi writes before the header, and overwrites when it changes. */
function getTitle(object: Record<string, unknown> | undefined): string | undefined {
  return object?.type === "title" && typeof object.title === "string" ? object.title : undefined;
}

/** The title before `end`, in a line that begins within the first MiB. */
function findTitle(fd: SessionBytes, end: number, count?: ReadCounters): string | undefined {
  let title: string | undefined;
  for (const line of readLines(fd, 0, end, count)) {
    if (line.offset > MAX_HEADER_OFFSET_BYTES) break;
    title = getTitle(parseLine(line, 0).object) ?? title;
  }
  return title;
}

function findHeader(
  read: SessionLine,
  object: Record<string, unknown> | undefined,
  state: ReadState,
  title: string | undefined,
): void {
  const at = { byteOffset: read.offset, line: read.line };
  const isLate = read.offset > MAX_HEADER_OFFSET_BYTES;
  if (object?.type === "session") {
    const named = title === undefined ? object : { ...object, title };
    const { value, problems } = parseHeader(named, at);
    read.header = value;
    read.problems.push(...problems);
    const message = `the session header comes after ${read.offset} bytes of other lines`;
    if (isLate) read.problems.push({ code: "late_header", ...at, message });
    state.header = "found";
    state.version = getHeaderVersion(value);
  } else if (object && object.type !== "title") {
    // Some forks write a `title` line before the header; any other entry there means that the file is not a session.
    state.header = "none";
    const message = "an entry comes before any session header: the file is not a session";
    read.problems.push({ code: "no_header", ...at, message });
  } else if (isLate) {
    read.problems.length = 0;
  }
}

function readEntry(read: SessionLine, object: Record<string, unknown>, state: ReadState): void {
  const at = { byteOffset: read.offset, line: read.line };
  if (object.type === "session") {
    read.problems.push({ code: "second_header", ...at, message: "a second session header was skipped" });
    return;
  }
  const context = { index: state.parsed, previousId: state.leafId };
  const { value, problems } = parseEntry(upgradeEntry(object, context, state.version), at);
  read.entry = value;
  read.problems.push(...problems);
  state.leafId = value.id ?? null;
}
