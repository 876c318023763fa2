import { readSync } from "node:fs";

/** The byte that ends a line. */
export const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;

/**
 * Longest line that is read whole, in bytes. pi writes lines of tens of MB (tool output, images); far beyond
 * that a line costs more memory than it can be worth, and only its start is looked at.
 */
export const MAX_LINE_BYTES = 64 << 20;

/** How many bytes of a line longer than `MAX_LINE_BYTES` are kept. */
export const LONG_LINE_HEAD_BYTES = 64 << 10;

/** One line of a session file, as bytes. */
export interface Line {
  /** Offset of its first byte in the file. */
  offset: number;
  /** Its length in bytes, without the newline. */
  length: number;
  /**
   * Its bytes, without the newline; of a line longer than `MAX_LINE_BYTES` only the first
   * `LONG_LINE_HEAD_BYTES`. Valid until the next line is asked for: the memory is used again.
   */
  bytes: Buffer;
  /** False for a last line that no newline ends. */
  terminated: boolean;
}

/** What reading cost, counted where it happens so that tests can hold "work in proportion to what is new". */
export interface ReadCount {
  bytes: number;
  lines: number;
}

/** Takes every byte that is read as part of a line, in order and once. */
export interface ReadBytes {
  /** More bytes, of a line that may still turn out to be torn. */
  add(bytes: Uint8Array): void;
  /** All bytes so far are of lines that were read. */
  commit(): void;
}

/**
 * Reads the lines of an open file between two byte offsets, in memory bounded by the longest line (and by
 * `MAX_LINE_BYTES`), whatever the file's size. Only `\n` ends a line: U+2028 and `\r` are text.
 *
 * Reads at positions, so the descriptor may be shared. Bytes past `end` are never read.
 *
 * @param taken given the bytes of each line, its newline included, before the line is
 * @throws the error of `fs.readSync` when the file cannot be read.
 */
export function* readLines(
  fd: number,
  start: number,
  end: number,
  count?: ReadCount,
  taken?: Pick<ReadBytes, "add">,
): Generator<Line> {
  let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, end - start)));
  let filled = 0; // bytes in the buffer
  let from = 0; // where the current line starts in the buffer
  let scanned = 0; // everything before this was searched for a newline
  let offset = start; // file offset of the current line
  let position = start; // file offset of the next read
  let skipped = 0; // bytes of an over-long line dropped from the buffer
  let added = 0; // everything before this in the buffer was given to `taken`

  while (true) {
    const newline = scanned < filled ? buffer.indexOf(NEWLINE, scanned) : -1;
    if (newline !== -1 && newline < filled) {
      const length = skipped + newline - from;
      if (count) count.lines++;
      taken?.add(buffer.subarray(added, newline + 1));
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
      // Too long to keep: hold its head and forget the rest as it comes.
      const head = from + LONG_LINE_HEAD_BYTES;
      taken?.add(buffer.subarray(added, filled));
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
    const read = readSync(fd, buffer, filled, Math.min(buffer.length - filled, end - position), position);
    if (read === 0) break; // the file is shorter than it was: what is missing is no line
    if (count) count.bytes += read;
    filled += read;
    position += read;
  }

  const length = skipped + filled - from;
  if (length > 0) {
    if (count) count.lines++;
    taken?.add(buffer.subarray(added, filled));
    yield { offset, length, bytes: lineBytes(buffer, from, length), terminated: false };
  }
}

function lineBytes(buffer: Buffer, from: number, length: number): Buffer {
  return buffer.subarray(from, from + (length > MAX_LINE_BYTES ? LONG_LINE_HEAD_BYTES : length));
}

/** Reads exactly `length` bytes at `offset`, or fewer when the file ends before. */
export function readAt(fd: number, offset: number, length: number, count?: ReadCount): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(fd, buffer, filled, length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  if (count) count.bytes += filled;
  return buffer.subarray(0, filled);
}
