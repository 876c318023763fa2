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

export type FilePart = BytesPart<number>;

/**
 * Finds the lines of other files that a session does not have after `start`. Usually it has them all, one file after another: lines
 * are compared only where a file differs, because a process wrote to it when it had been copied.
 */
export function findMissingLines(whole: number, start: number, parts: readonly FilePart[]): FilePart[] {
  let offset = start;
  const different = parts.filter((part) => {
    if (!hasBytesAt(whole, offset, part)) return true;
    offset += part.end - part.start;
    return false;
  });
  if (different.length === 0) return [];
  const known = new Map<string, number>();
  for (const line of readLines(whole, offset, fstatSync(whole).size)) {
    const key = toKey(line);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  const missing: FilePart[] = [];
  for (const { file, start: from, end } of different) {
    for (const line of readLines(file, from, end)) {
      const key = toKey(line);
      const count = known.get(key) ?? 0;
      if (count > 0) known.set(key, count - 1);
      else {
        const length = line.length + (line.terminated ? 1 : 0);
        missing.push({ file, start: line.offset, end: line.offset + length });
      }
    }
  }
  return missing;
}

/**
 * The bytes that were appended to a session: all of its tails, and what a retired original has that the session did not have at
 * first, unless it is the plain file itself.
 *
 * @param start the number of bytes at first
 */
export function listAppended(
  plain: number,
  retired: number | undefined,
  tails: readonly number[],
  start: number,
): FilePart[] {
  const isLinked = retired !== undefined && fstatSync(retired).ino === fstatSync(plain).ino;
  return [
    ...(retired === undefined || isLinked ? [] : [{ file: retired, start, end: fstatSync(retired).size }]),
    ...tails.map((file) => ({ file, start: 0, end: fstatSync(file).size })),
  ];
}

function hasBytesAt(whole: number, at: number, { file, start, end }: FilePart): boolean {
  for (let offset = start; offset < end; offset += COMPARE_BYTES) {
    const length = Math.min(COMPARE_BYTES, end - offset);
    if (!readAt(whole, at + offset - start, length).equals(readAt(file, offset, length))) return false;
  }
  return true;
}

function toKey({ bytes, length }: Line): string {
  // Loaded only here: most commands meet no such session.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `${length} ${createHash("sha1").update(bytes).digest("base64")}`;
}
