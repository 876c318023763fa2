import { MAX_LINE_BYTES, NEWLINE } from "../../src/session/lines.ts";
import { readBytes, type SessionBytes } from "../../src/session/session-bytes.ts";

/** Fits the processor's cache; chunks of a megabyte take twice as long. */
const CHUNK_BYTES = 64 << 10;

/** A searched chunk of a file. */
export interface SearchedChunk {
  bytes: number;
  /** File offsets of the lines that match, in order. */
  lines: number[];
}

/**
 * Searches the lines of an open file between two byte offsets, the first that of a line, chunk by chunk. Memory is bounded by the longest line. Lines
 * longer than `MAX_LINE_BYTES` are skipped: only their first fields are ever read, and those contain no text.
 *
 * The pattern is global, for Latin-1, and cannot match a newline.
 *
 * @throws the error of `fs.readSync` if the file cannot be read
 */
export function* findCandidateLines(
  fd: SessionBytes,
  [start, end]: readonly [start: number, end: number],
  pattern: RegExp,
): Generator<SearchedChunk> {
  let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, end - start)));
  let filled = 0; // bytes in the buffer, which begins at the start of a line
  let position = start; // file offset of the next read
  let tooLong = false; // whether the start of the current line was discarded
  while (position < end) {
    if (filled === buffer.length) {
      if (filled > MAX_LINE_BYTES) {
        tooLong = true;
        filled = 0;
      } else {
        const larger = Buffer.allocUnsafe(buffer.length * 2);
        buffer.copy(larger, 0, 0, filled);
        buffer = larger;
      }
    }
    const room = Math.min(CHUNK_BYTES, buffer.length - filled, end - position);
    const read = readBytes(fd, buffer, filled, room, position);
    if (read === 0) break; // the file became shorter
    const filledBefore = filled;
    filled += read;
    position += read;
    // Only complete lines are searched, so that none is searched twice.
    const lastNewline = buffer.subarray(filledBefore, filled).lastIndexOf(NEWLINE);
    const whole = position === end ? filled : lastNewline === -1 ? 0 : filledBefore + lastNewline + 1;
    const from = tooLong && whole > 0 ? afterNewline(buffer, filledBefore, whole) : 0;
    if (whole > 0) tooLong = false;
    yield { bytes: read, lines: linesWith(pattern, buffer.subarray(from, whole), position - filled + from) };
    buffer.copyWithin(0, whole, filled);
    filled -= whole;
  }
}

function afterNewline(buffer: Buffer, from: number, end: number): number {
  const newline = buffer.subarray(from, end).indexOf(NEWLINE);
  return newline === -1 ? end : from + newline + 1;
}

function linesWith(pattern: RegExp, bytes: Buffer, offset: number): number[] {
  const lines: number[] = [];
  const text = bytes.toString("latin1");
  let start = 0; // start of the line, or of an earlier one
  pattern.lastIndex = 0;
  while (pattern.test(text)) {
    const found = pattern.lastIndex - 1;
    const before = bytes.subarray(start, found).lastIndexOf(NEWLINE);
    if (before !== -1) start += before + 1;
    lines.push(offset + start);
    const newline = bytes.indexOf(NEWLINE, found);
    if (newline === -1) break;
    start = newline + 1;
    pattern.lastIndex = start;
  }
  return lines;
}
