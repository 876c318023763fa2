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

/**
 * Appends the lines of tails that a session does not have after `start`. Usually it has them all, one tail after another: lines are
 * compared only where a tail differs, because a process wrote to it when it had been copied.
 */
export function appendMissing(path: string, start: number, tails: readonly number[]): void {
  const whole = openPlain(path);
  try {
    let offset = start;
    const different = tails.filter((tail) => {
      const { size } = fstatSync(tail);
      if (!hasBytesAt(whole, offset, tail, size)) return true;
      offset += size;
      return false;
    });
    if (different.length === 0) return;
    const known = new Map<string, number>();
    for (const line of readLines(whole, offset, fstatSync(whole).size)) {
      const key = toKey(line);
      known.set(key, (known.get(key) ?? 0) + 1);
    }
    for (const tail of different) {
      for (const line of readLines(tail, 0, fstatSync(tail).size)) {
        const key = toKey(line);
        const count = known.get(key) ?? 0;
        if (count > 0) known.set(key, count - 1);
        else appendTo(path, readAt(tail, line.offset, line.length + (line.terminated ? 1 : 0)));
      }
    }
  } finally {
    closeSync(whole);
  }
}

function hasBytesAt(whole: number, start: number, part: number, size: number): boolean {
  for (let offset = 0; offset < size; offset += COPY_BYTES) {
    const length = Math.min(COPY_BYTES, size - offset);
    if (!readAt(whole, start + offset, length).equals(readAt(part, offset, length))) return false;
  }
  return true;
}

function toKey({ bytes, length }: Line): string {
  return `${length} ${createHash("sha1").update(bytes).digest("base64")}`;
}
