/** Reads single lines of a session file without reading the rest. */

import { PidexError, SYNC_AND_RETRY, toMessage } from "../errors.ts";
import { MAX_LINE_BYTES, NEWLINE, readAt, readLines } from "./lines.ts";
import { openForReading } from "./open-for-reading.ts";
import { closeBytes, getByteCount, type SessionBytes, statBytes } from "./session-bytes.ts";

export interface RawLine {
  /** The line without its newline, or its start if it is longer than `MAX_LINE_BYTES`. */
  bytes: Uint8Array;
  isWhole: boolean;
}

const BYTE_ORDER_MARK_BYTES = 3;

/**
 * The line that begins at a byte offset of a file, without its newline.
 *
 * @throws PidexError `FILE_UNREADABLE`; `FILE_CHANGED` if no line begins there
 */
export function readLineAtOffset(path: string, byteOffset: number): RawLine {
  return withFile(path, (fd, size) => {
    const isStart = byteOffset === 0 || byteOffset === BYTE_ORDER_MARK_BYTES;
    if (byteOffset > size || !(isStart || readAt(fd, byteOffset - 1, 1)[0] === NEWLINE)) {
      throw new PidexError(
        "FILE_CHANGED",
        `${path} changed: no line begins at byte ${byteOffset} now`,
        SYNC_AND_RETRY,
      );
    }
    // One byte more than the maximum is enough to detect a longer line.
    const end = Math.min(size, byteOffset + MAX_LINE_BYTES + 1);
    for (const { bytes, length } of readLines(fd, byteOffset, end)) {
      return { bytes, isWhole: length <= MAX_LINE_BYTES };
    }
    return { bytes: new Uint8Array(), isWhole: true };
  });
}

/**
 * The complete lines within the last `maxBytes` of a file, the last one first.
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

function withFile<T>(path: string, read: (fd: SessionBytes, size: number) => T): T {
  let fd: SessionBytes | undefined;
  try {
    fd = openForReading(path);
    if (!statBytes(fd).isFile()) throw new Error("not a regular file");
    return read(fd, getByteCount(fd));
  } catch (cause) {
    if (cause instanceof PidexError) throw cause;
    const reason = toMessage(cause);
    throw new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${reason}`, "Check its permissions.", {
      cause,
    });
  } finally {
    if (fd !== undefined) closeBytes(fd);
  }
}
