import { readBytes, type SessionBytes } from "./session-bytes.ts";

export const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;

/**
 * Longest line that is read completely, in bytes. pi writes lines of tens of MB (tool output, images). Only the start of a
 * longer line is read, to bound memory.
 */
export const MAX_LINE_BYTES = 64 << 20;

/** Bytes kept of a line longer than `MAX_LINE_BYTES`. */
export const LONG_LINE_HEAD_BYTES = 64 << 10;

/** One line of a session file, as bytes. */
export interface Line {
  /** Offset of its first byte in the file. */
  offset: number;
  /** Length in bytes, without the newline. */
  length: number;
  /**
   * Bytes without the newline; for a line longer than `MAX_LINE_BYTES` only the first `LONG_LINE_HEAD_BYTES`. Valid until the
   * next line is read: the buffer is reused.
   */
  bytes: Buffer;
  /** False for a last line without a newline. */
  terminated: boolean;
}

/** Bytes and lines read, so that tests can check that work is proportional to new data. */
export interface ReadCounters {
  bytes: number;
  lines: number;
}

/** Receives every byte that is read as part of a line, once and in order. */
export interface ByteSink {
  /** Adds bytes of a line that may still turn out to be torn. */
  add(bytes: Uint8Array): void;
  /** Confirms all bytes added so far: their lines were read. */
  commit(): void;
}

/**
 * Reads the lines of an open file between two byte offsets. Memory is bounded by the longest line and `MAX_LINE_BYTES`,
 * whatever the file's size. Only `\n` ends a line: U+2028 and `\r` are text.
 *
 * Uses positional reads, so the descriptor may be shared. Never reads past `end`.
 *
 * @param sink receives the bytes of each line, newline included, before the line is yielded
 * @throws the error of `fs.readSync`
 */
export function* readLines(
  fd: SessionBytes,
  start: number,
  end: number,
  count?: ReadCounters,
  sink?: Pick<ByteSink, "add">,
): Generator<Line> {
  let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, end - start)));
  let filled = 0; // bytes in the buffer
  let from = 0; // start of the current line in the buffer
  let scanned = 0; // bytes before this contain no newline of the current line
  let offset = start; // file offset of the current line
  let position = start; // file offset of the next read
  let skipped = 0; // bytes of an overlong line dropped from the buffer
  let added = 0; // bytes before this in the buffer are already in `sink`

  while (true) {
    const newline = scanned < filled ? buffer.indexOf(NEWLINE, scanned) : -1;
    if (newline !== -1 && newline < filled) {
      const length = skipped + newline - from;
      if (count) count.lines++;
      sink?.add(buffer.subarray(added, newline + 1));
      added = newline + 1;
      yield { offset, length, bytes: lineBytes(buffer, from, length), terminated: true };
      offset += length + 1;
      from = newline + 1;
      scanned = from;
      skipped = 0;
      continue;
    }
    scanned = filled;

    if (position >= end) break;
    if (skipped > 0 || filled - from > MAX_LINE_BYTES) {
      // Too long: keep its head and drop the rest as it is read.
      const head = from + LONG_LINE_HEAD_BYTES;
      sink?.add(buffer.subarray(added, filled));
      added = head;
      skipped += filled - head;
      filled = head;
      scanned = head;
    }
    if (from > 0) {
      buffer.copyWithin(0, from, filled);
      filled -= from;
      scanned -= from;
      added -= from;
      from = 0;
    }
    if (filled === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2);
      buffer.copy(larger, 0, 0, filled);
      buffer = larger;
    }
    const read = readBytes(fd, buffer, filled, Math.min(buffer.length - filled, end - position), position);
    if (read === 0) break; // the file was truncated meanwhile
    if (count) count.bytes += read;
    filled += read;
    position += read;
  }

  const length = skipped + filled - from;
  if (length > 0) {
    if (count) count.lines++;
    sink?.add(buffer.subarray(added, filled));
    yield { offset, length, bytes: lineBytes(buffer, from, length), terminated: false };
  }
}

function lineBytes(buffer: Buffer, from: number, length: number): Buffer {
  return buffer.subarray(from, from + (length > MAX_LINE_BYTES ? LONG_LINE_HEAD_BYTES : length));
}

/** Reads `length` bytes at `offset`; fewer only at the end of the file. */
export function readAt(fd: SessionBytes, offset: number, length: number, count?: ReadCounters): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readBytes(fd, buffer, filled, length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  if (count) count.bytes += filled;
  return buffer.subarray(0, filled);
}
