/** Appends what is in other files to a session, without appending it twice. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { encodePath } from "../../path-bytes.ts";
import { type Line, readAt, readLines } from "../lines.ts";
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

/** The bytes of an open file from `start` to `end` (exclusive). */
export interface FilePart {
  fd: number;
  start: number;
  end: number;
}

/**
 * Appends the lines of other files that a session does not have after `start`. Usually it has them all, one file after another: lines
 * are compared only where a file differs, because a process wrote to it when it had been copied.
 */
export function appendMissing(path: string, start: number, parts: readonly FilePart[]): void {
  const whole = openPlain(path);
  try {
    let offset = start;
    const different = parts.filter((part) => {
      if (!hasBytesAt(whole, offset, part)) return true;
      offset += part.end - part.start;
      return false;
    });
    if (different.length === 0) return;
    const known = new Map<string, number>();
    for (const line of readLines(whole, offset, fstatSync(whole).size)) {
      const key = toKey(line);
      known.set(key, (known.get(key) ?? 0) + 1);
    }
    for (const part of different) {
      for (const line of readLines(part.fd, part.start, part.end)) {
        const key = toKey(line);
        const count = known.get(key) ?? 0;
        if (count > 0) known.set(key, count - 1);
        else appendTo(path, readAt(part.fd, line.offset, line.length + (line.terminated ? 1 : 0)));
      }
    }
  } finally {
    closeSync(whole);
  }
}

function hasBytesAt(whole: number, at: number, { fd, start, end }: FilePart): boolean {
  for (let offset = start; offset < end; offset += COPY_BYTES) {
    const length = Math.min(COPY_BYTES, end - offset);
    if (!readAt(whole, at + offset - start, length).equals(readAt(fd, offset, length))) return false;
  }
  return true;
}

function toKey({ bytes, length }: Line): string {
  return `${length} ${createHash("sha1").update(bytes).digest("base64")}`;
}
