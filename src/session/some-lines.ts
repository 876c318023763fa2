/** Single lines of a session file as it is now, read without the rest. */
import { closeSync, fstatSync } from "node:fs";
import { PidexError } from "../errors.ts";
import { MAX_LINE_BYTES, NEWLINE, readAt, readLines } from "./lines.ts";
import { openToRead } from "./open-to-read.ts";

export interface RawLine {
  /** All of it, or its beginning where it is longer than `MAX_LINE_BYTES`. */
  bytes: Uint8Array;
  isWhole: boolean;
}

const BYTE_ORDER_MARK_BYTES = 3;

/**
 * The line that begins at a byte of a file, without its newline.
 *
 * @throws PidexError `FILE_UNREADABLE`; `FILE_CHANGED` where no line begins there
 */
export function readLineAt(path: string, byteOffset: number): RawLine {
  return withFile(path, (fd, size) => {
    const isStart = byteOffset === 0 || byteOffset === BYTE_ORDER_MARK_BYTES;
    if (byteOffset > size || !(isStart || readAt(fd, byteOffset - 1, 1)[0] === NEWLINE)) {
      const hint = "It is read again as it is now: ask again in a moment.";
      throw new PidexError("FILE_CHANGED", `no line of ${path} begins at byte ${byteOffset} any more`, hint);
    }
    // Of a longer line no more has to be read to know that it is longer.
    const end = Math.min(size, byteOffset + MAX_LINE_BYTES + 1);
    for (const { bytes, length } of readLines(fd, byteOffset, end)) {
      return { bytes, isWhole: length <= MAX_LINE_BYTES };
    }
    return { bytes: new Uint8Array(), isWhole: true };
  });
}

/**
 * The lines in the last bytes of a file, the last one first, without one that begins before.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function readLastLines(path: string, maxBytes: number): { lines: string[]; isAll: boolean } {
  return withFile(path, (fd, size) => {
    const start = Math.max(0, size - maxBytes);
    const lines = Array.from(readLines(fd, start, size), ({ bytes }) => bytes.toString("utf8"));
    if (start > 0) lines.shift();
    return { lines: lines.reverse(), isAll: start === 0 };
  });
}

function withFile<T>(path: string, read: (fd: number, size: number) => T): T {
  let fd: number | undefined;
  try {
    fd = openToRead(path);
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("it is no file");
    return read(fd, stat.size);
  } catch (cause) {
    if (cause instanceof PidexError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${reason}`, "Look at its permissions.", {
      cause,
    });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
