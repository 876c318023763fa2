import { readSync } from "node:fs";
import { MAX_LINE_BYTES, NEWLINE } from "../../src/session/lines.ts";

/** Small enough to stay in the processor's cache: a megabyte takes twice the time. */
const CHUNK_BYTES = 64 << 10;

/** A stretch of a file that was looked through. */
export interface Searched {
  bytes: number;
  /** Offsets in the file of the lines in it that a pattern was found in, in order. */
  lines: number[];
}

/**
 * Looks for a pattern in the lines of an open file up to the byte offset `end`, some at a time, in
 * memory bounded by the longest line. Lines longer than `MAX_LINE_BYTES` are passed over: of them only the first
 * fields are ever read, and no text is among those.
 *
 * The pattern is global, for Latin-1, and cannot match a newline.
 *
 * @throws the error of `fs.readSync` when the file cannot be read
 */
export function* candidateLines(fd: number, end: number, pattern: RegExp): Generator<Searched> {
  let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, end)));
  let filled = 0; // bytes in the buffer, from the start of a line
  let position = 0; // file offset of the next read
  let tooLong = false; // whether the start of the current line is gone already
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
    const read = readSync(fd, buffer, filled, room, position);
    if (read === 0) break; // the file is shorter than it was: what is missing is no line
    const fresh = filled;
    filled += read;
    position += read;
    // Only whole lines are looked through, so that none is looked through twice.
    const lastNewline = buffer.subarray(fresh, filled).lastIndexOf(NEWLINE);
    const whole = position === end ? filled : lastNewline === -1 ? 0 : fresh + lastNewline + 1;
    const from = tooLong && whole > 0 ? afterNewline(buffer, fresh, whole) : 0;
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
  let start = 0; // of the line, or of one before it
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
