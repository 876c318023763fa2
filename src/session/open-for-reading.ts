/** Opens session files for reading: everything that reads a session opens it here. */
import { existsSync, fstatSync } from "node:fs";
import { PidexError, systemCode } from "../errors.ts";
import { getFileIdentity, toFileIdentity } from "../file-identity.ts";
import { encodePath } from "../path-bytes.ts";
import type { CompressedBytes } from "./compressed-bytes.ts";
import { type BytesPart, JoinedBytes } from "./joined-bytes.ts";
import { hasCompressedName, toCompressedPath, toRetiredPath, toTailPath } from "./locations.ts";
import { beginsWith, findMissingLines, listAppended } from "./missing-lines.ts";
import { hasHeader } from "./plain-header.ts";
import {
  closeBytes,
  getByteCount,
  hasCompressedFile,
  openPlain,
  openTails,
  type SessionBytes,
  tryOpenCompressed,
  tryOpenPlain,
} from "./session-bytes.ts";

/** Files are renamed one at a time while a session is compressed or restored, so a look at all of them may see no consistent state. */
const MAX_ATTEMPTS = 5;

/**
 * Opens a session file for reading, without blocking on a pipe with a session's name. If its bytes are in a compressed file
 * `PATH.zst`, opens that, and what agents appended since, and serves the same bytes. Callers must check that it is a regular file.
 *
 * @throws the error of `fs`; PidexError `FILE_UNREADABLE` for a compressed file that pidex did not write
 */
export function openForReading(path: string): SessionBytes {
  // In the trash, a compressed file has no other path.
  if (hasCompressedName(path)) return tryOpenCompressed(path) ?? openPlain(path);
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      // Before the plain file is opened: what is opened then is whole.
      if (!hasCompressedFile(path)) return openPlain(path);
      const file = tryOpenCompressedSession(path);
      if (file !== undefined) return file;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  return openPlain(path);
}

/** Opens all files of a session that has a compressed one; undefined if they were renamed meanwhile. */
function tryOpenCompressedSession(path: string): SessionBytes | undefined {
  const opened: SessionBytes[] = [];
  const open = <T extends SessionBytes>(file: T | undefined): T | undefined => {
    if (file !== undefined) opened.push(file);
    return file;
  };
  let parts: readonly BytesPart[] = [];
  try {
    const plain = open(tryOpenPlain(path));
    const isWhole = plain !== undefined && hasHeader(plain);
    const others = [toTailPath(path, 1), toRetiredPath(path)];
    const hasOthers = others.some((other) => existsSync(encodePath(other)));
    if (!isWhole || hasOthers) {
      const retired = open(tryOpenPlain(toRetiredPath(path)));
      const isNeeded = retired === undefined && !isWhole;
      const compressed = open(openCompressed(path, isNeeded));
      const tails = openTails(path);
      opened.push(...tails);
      const identity = plain === undefined ? undefined : toFileIdentity(fstatSync(plain, { bigint: true }));
      if ((retired ?? compressed) !== undefined && getFileIdentity(path) === identity)
        parts = isWhole
          ? joinWhole(plain, compressed ?? retired, retired, tails)
          : joinAll([retired ?? compressed, ...tails, plain]);
    } else parts = joinAll([plain]);
  } finally {
    const used = new Set(parts.map(({ file }) => file));
    for (const file of opened) if (!used.has(file)) closeBytes(file);
  }
  const [first, second] = parts;
  return second ? new JoinedBytes(parts) : first?.file;
}

/** @returns undefined if there is none, or if it is damaged and not needed */
function openCompressed(path: string, isNeeded: boolean): CompressedBytes | undefined {
  try {
    return tryOpenCompressed(toCompressedPath(path));
  } catch (error) {
    if (!isNeeded && error instanceof PidexError) return undefined;
    throw error;
  }
}

function joinAll(files: readonly (SessionBytes | undefined)[]): BytesPart[] {
  return files.flatMap((file) => (file === undefined ? [] : [{ file, start: 0, end: getByteCount(file) }]));
}

/** A plain file with the beginning, and the lines of tails that are not in it yet: a process was killed while it joined them. */
function joinWhole(
  plain: number,
  beginning: SessionBytes | undefined,
  retired: number | undefined,
  tails: readonly number[],
): BytesPart[] {
  const whole = joinAll([plain]);
  if (beginning === undefined || !beginsWith(plain, beginning)) return whole; // another session
  const start = getByteCount(beginning);
  return [...whole, ...findMissingLines(plain, start, listAppended(plain, retired, tails, start))];
}
