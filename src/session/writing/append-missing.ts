/** Appends what is in other files to a session, without appending it twice. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { encodePath } from "../../path-bytes.ts";
import { readAt } from "../lines.ts";
import { type FilePart, findMissingLines } from "../missing-lines.ts";
import { getByteCount, openPlain, type SessionBytes } from "../session-bytes.ts";
import { writeAll } from "./replace-file.ts";

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

/** Appends bytes to a file as agents do, and syncs it to disk. Creates the file if there is none. */
export function appendTo(path: string, bytes: Buffer): void {
  const fd = openSync(encodePath(path), "a", 0o600);
  try {
    writeAll(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Appends the lines of other files that a session does not have after `start`. */
export function appendMissing(path: string, start: number, parts: readonly FilePart[]): void {
  const whole = openPlain(path);
  try {
    const missing = findMissingLines(whole, start, parts);
    for (const { file, start: from, end } of missing) appendTo(path, readAt(file, from, end - from));
  } finally {
    closeSync(whole);
  }
}
