/** Compares the files of a session that has several. */
import { fstatSync } from "node:fs";
import { PidexError } from "../errors.ts";
import type { BytesPart } from "./joined-bytes.ts";
import { type Line, readAt, readLines } from "./lines.ts";
import { getByteCount, type SessionBytes } from "./session-bytes.ts";

const COMPARE_BYTES = 1 << 20;

/** Whether an open session begins with all bytes of another one. Bytes that cannot be decompressed are not equal. */
export function beginsWith(whole: SessionBytes, beginning: SessionBytes): boolean {
  const size = getByteCount(beginning);
  if (getByteCount(whole) < size) return false;
  try {
    for (let offset = 0; offset < size; offset += COMPARE_BYTES) {
      const length = Math.min(COMPARE_BYTES, size - offset);
      const bytes = readAt(beginning, offset, length);
      if (bytes.length < length || !readAt(whole, offset, length).equals(bytes)) return false;
    }
  } catch (error) {
    if (error instanceof PidexError) return false;
    throw error;
  }
  return true;
}

/**
 * Finds the lines of tails that a session does not have after `start`. Usually it has them all, one tail after another: lines are
 * compared only where a tail differs, because a process wrote to it when it had been copied.
 */
export function findMissingLines(whole: number, start: number, tails: readonly number[]): BytesPart[] {
  let offset = start;
  const different = tails.filter((tail) => {
    const { size } = fstatSync(tail);
    if (!hasBytesAt(whole, offset, tail, size)) return true;
    offset += size;
    return false;
  });
  if (different.length === 0) return [];
  const known = new Map<string, number>();
  for (const line of readLines(whole, offset, fstatSync(whole).size)) {
    const key = toKey(line);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  const missing: BytesPart[] = [];
  for (const tail of different) {
    for (const line of readLines(tail, 0, fstatSync(tail).size)) {
      const key = toKey(line);
      const count = known.get(key) ?? 0;
      if (count > 0) known.set(key, count - 1);
      else missing.push({ file: tail, start: line.offset, length: line.length + (line.terminated ? 1 : 0) });
    }
  }
  return missing;
}

function hasBytesAt(whole: number, start: number, part: number, size: number): boolean {
  for (let offset = 0; offset < size; offset += COMPARE_BYTES) {
    const length = Math.min(COMPARE_BYTES, size - offset);
    if (!readAt(whole, start + offset, length).equals(readAt(part, offset, length))) return false;
  }
  return true;
}

function toKey({ bytes, length }: Line): string {
  // Loaded only here: most commands meet no such session.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `${length} ${createHash("sha1").update(bytes).digest("base64")}`;
}
