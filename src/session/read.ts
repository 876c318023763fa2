import type { Entry, EntryId, SessionHeader } from "./entries.ts";
import { type Line, NEWLINE, type ReadBytes, type ReadCount, readAt, readLines } from "./lines.ts";
import { parseEntry, parseHeader } from "./parse.ts";
import { HEADER_SCAN_BYTES, mayHoldObject, parseLine } from "./parse-line.ts";
import type { Problem } from "./problems.ts";
import { headerVersion, upgradeEntry } from "./upgrade.ts";

const NEWLINE_BYTES = Uint8Array.of(NEWLINE);

/**
 * How far a session file has been read: all that is needed to go on from there. A plain value, so that the
 * index can keep it.
 */
export interface ReadState {
  /** Byte offset after the last line that was read. */
  offset: number;
  /**
   * False when that line was whole but no newline ended it yet. When something else than a newline comes at
   * `offset`, it was another line than it seemed, and the file must be read from the start.
   */
  terminated: boolean;
  /** Lines read, blank and bad ones included. */
  lines: number;
  /** Parsed lines from the header on: what version 1's `firstKeptEntryIndex` counts. */
  parsed: number;
  /** `none`: another entry came first, so the file is no session and the rest is not read. */
  header: "awaited" | "found" | "none";
  /** The header's version, 1 to 3. */
  version: number;
  /** Id of the last entry: the session's leaf. Null before the first, or when the last one has no id. */
  leafId: EntryId | null;
}

/** The state before the first byte. */
export const START: Readonly<ReadState> = {
  offset: 0,
  terminated: true,
  lines: 0,
  parsed: 0,
  header: "awaited",
  version: 3,
  leafId: null,
};

/** What one line of a session file holds: the header, an entry (upgraded to version 3), or only problems. */
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
 * Reads a session file from `state` on to the byte offset `end`, line by line, in bounded memory. Malformed
 * lines give problems and are skipped; entries of old versions come upgraded. `state` moves along: after each
 * line it says how far the file is read.
 *
 * A last line without its newline counts when it is a whole JSON object (nothing that is still being written
 * can be); else it is left for the next time, with the problem `torn_line`.
 *
 * @param taken given all bytes that `state` moves past; what was added since the last commit is of a torn line
 * @throws the error of `fs.readSync` when the file cannot be read.
 */
export function* readSession(
  fd: number,
  state: ReadState,
  end: number,
  count?: ReadCount,
  taken?: ReadBytes,
): Generator<SessionLine> {
  const { header } = state;
  if (header === "none") return;
  if (!state.terminated && state.offset < end && readAt(fd, state.offset, 1, count)[0] === NEWLINE) {
    state.offset++; // the newline of the last line has come
    taken?.add(NEWLINE_BYTES);
    taken?.commit();
    state.terminated = true;
  }
  // A title that an earlier read has passed: all that stands before the header is read again.
  let title = header === "awaited" && state.offset > 0 ? titleBefore(fd, state.offset, count) : undefined;
  for (const line of readLines(fd, state.offset, end, count, taken)) {
    const lineNumber = state.lines + 1;
    const isFarFromStart = line.offset > HEADER_SCAN_BYTES;
    if (state.header === "awaited" && isFarFromStart && !mayHoldObject(line)) {
      // A file of gigabytes that is no session is not parsed, and does not give a row for each of its lines.
      moveTo(state, line);
      taken?.commit();
      continue;
    }
    const { object, counted, problems } = parseLine(line, lineNumber);
    const read: SessionLine = { offset: line.offset, length: line.length, line: lineNumber, problems };
    if (!line.terminated && !object) {
      // Not only torn JSON: `12` or blanks may be the start of anything.
      if (problems.length > 0) yield read;
      return;
    }
    if (state.header === "awaited") {
      if (!isFarFromStart) title = titleOf(object) ?? title;
      findHeader(read, object, state, title);
    } else if (object) readEntry(read, object, state);
    if (state.header === "found" && counted) state.parsed++;
    moveTo(state, line);
    taken?.commit();
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

/** The title that oh-my-pi writes before the header, and writes over when it changes. */
function titleOf(object: Record<string, unknown> | undefined): string | undefined {
  return object?.type === "title" && typeof object.title === "string" ? object.title : undefined;
}

/** The title that one pass finds before `end`: in a line that begins within the first MiB. */
function titleBefore(fd: number, end: number, count?: ReadCount): string | undefined {
  let title: string | undefined;
  for (const line of readLines(fd, 0, end, count)) {
    if (line.offset > HEADER_SCAN_BYTES) break;
    title = titleOf(parseLine(line, 0).object) ?? title;
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
  const isLate = read.offset > HEADER_SCAN_BYTES;
  if (object?.type === "session") {
    const named = title === undefined ? object : { ...object, title };
    const { value, problems } = parseHeader(named, at);
    read.header = value;
    read.problems.push(...problems);
    const message = `the session header comes after ${read.offset} bytes of other lines`;
    if (isLate) read.problems.push({ code: "late_header", ...at, message });
    state.header = "found";
    state.version = headerVersion(value);
  } else if (object && object.type !== "title") {
    // Some forks write a `title` line before the header; any other entry there means that this is no session.
    state.header = "none";
    const message = "another entry comes before any session header: this file is no session";
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
  const standing = { index: state.parsed, previousId: state.leafId };
  const { value, problems } = parseEntry(upgradeEntry(object, standing, state.version), at);
  read.entry = value;
  read.problems.push(...problems);
  state.leafId = value.id ?? null;
}
