import { closeSync, fstatSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { encodePath } from "../../path-bytes.ts";
import { readAt } from "../lines.ts";
import { getByteCount, openPlain, type SessionBytes } from "../session-bytes.ts";
import { assertSameFile } from "./assert-within.ts";
import { keepMode } from "./keep-attributes.ts";
import { syncFolder, writeAll } from "./replace-file.ts";
import { temporaryName } from "./rewrite-lock.ts";

const COPY_BYTES = 1 << 20;

/** Appends all bytes of an open session to a file, including those that are written to it meanwhile. */
export function copyBytes(from: SessionBytes, to: number): void {
  for (let offset = 0; offset < getByteCount(from); ) {
    const bytes = readAt(from, offset, Math.min(COPY_BYTES, getByteCount(from) - offset));
    if (bytes.length === 0) return;
    writeAll(to, bytes);
    offset += bytes.length;
  }
}

/**
 * Puts the bytes of a session before those that an agent wrote to a new file. Call it under the rewrite lock.
 *
 * @throws the error of `fs`; PidexError `SESSION_CHANGED`
 */
export function prependBytes(beginning: SessionBytes, path: string): void {
  const temporary = temporaryName(path);
  const continued = openPlain(path);
  try {
    const fd = openSync(encodePath(temporary), "ax", 0o600);
    try {
      keepMode(continued, fd);
      copyBytes(beginning, fd);
      const start = fstatSync(fd).size;
      copyBytes(continued, fd);
      fsyncSync(fd);
      assertSameFile(continued, path);
      renameSync(encodePath(temporary), encodePath(path));
      syncFolder(dirname(path)); // takes longer than a process that had the file open needs for its line
      const copied = fstatSync(fd).size - start;
      const grown = getByteCount(continued) - copied;
      if (grown > 0) writeAll(fd, readAt(continued, copied, grown));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(continued);
  }
}
