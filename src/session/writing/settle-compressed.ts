/**
 * A session can have more than one file after a process was killed while it compressed or restored it, or if an agent wrote to a
 * session that it did not know to be compressed. This makes one file of them. A file that an agent may append to is never replaced:
 * it is renamed, and a new one gets its name only if no other file has it.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";
import type { CompressedBytes } from "../compressed-bytes.ts";
import { readAt } from "../lines.ts";
import { toCompressedPath, toRetiredPath, toTailPath } from "../locations.ts";
import { beginsWith, type FilePart, listAppended } from "../missing-lines.ts";
import { hasHeader } from "../plain-header.ts";
import {
  closeBytes,
  getByteCount,
  openTails,
  type SessionBytes,
  tryOpenCompressed,
  tryOpenPlain,
} from "../session-bytes.ts";
import { appendMissing, appendTo, copyBytes } from "./append-missing.ts";
import { assertSameFile } from "./assert-within.ts";
import { copyTimes, keepMode } from "./keep-attributes.ts";
import { linkNew } from "./link-new.ts";
import { isOpenForWriting, sessionIsOpen } from "./open-for-writing.ts";
import { syncFolder } from "./replace-file.ts";
import { temporaryName } from "./rewrite-lock.ts";

/**
 * The files of a session, after those without bytes of their own were removed:
 * - `plain`, `compressed`, `none`: only that file, or no file;
 * - `open`: a program has one of the files open, which stays. All of them together are the session;
 * - `conflict`: files with different content. Nothing was removed.
 */
export type SettledFiles = "plain" | "compressed" | "none" | "open" | "conflict";

export interface SettleOptions {
  /** Whether a session with only a compressed file is restored. */
  restore?: boolean;
}

/** The files of a session except the plain one. */
interface Parts {
  compressed: CompressedBytes | undefined;
  retired: number | undefined;
  tails: number[];
}

/**
 * Settles the files of a session. The plain file has all bytes in the end: those of the compressed one or of the retired original,
 * then what agents appended. If nothing was appended, only the compressed file stays. Call it under the rewrite lock.
 *
 * @throws the error of `fs`; PidexError `FILE_UNREADABLE` for a damaged compressed file, of which nothing is removed
 */
export function settle(path: string, { restore = false }: SettleOptions = {}): SettledFiles {
  const compressed = openCompressed(path);
  const isDamaged = compressed === "damaged";
  const parts: Parts = { compressed: isDamaged ? undefined : compressed, retired: undefined, tails: [] };
  try {
    parts.retired = tryOpenPlain(toRetiredPath(path));
    const hasPlain = existsSync(encodePath(path));
    const hasTail = existsSync(encodePath(toTailPath(path, 1)));
    const beginning = parts.retired ?? parts.compressed;
    if (beginning === undefined) {
      if (hasPlain) return isDamaged || hasTail ? "conflict" : "plain";
      return isDamaged ? "compressed" : hasTail ? "conflict" : "none";
    }
    if (!hasPlain && !hasTail && !restore && parts.compressed) {
      if (parts.retired === undefined) return "compressed";
      if (!isOpenForWriting(toRetiredPath(path)) && isSame(parts.retired, parts.compressed)) {
        remove({ file: parts.retired, end: parts.compressed.size }, toRetiredPath(path), path);
        return existsSync(encodePath(path)) ? settle(path) : "compressed"; // the original grew
      }
    }
    const original = selectOriginal(parts, beginning);
    if (!publish(path, parts, beginning, original)) return "conflict";
    const state = finish(path, parts, original);
    return state === "plain" && isDamaged ? "conflict" : state;
  } finally {
    for (const file of [parts.compressed, parts.retired, ...parts.tails])
      if (file !== undefined) closeBytes(file);
  }
}

/**
 * The bytes that the session had when it was compressed: a retired original may have grown since. What is after them in the plain
 * file was appended.
 */
function selectOriginal({ compressed, retired }: Parts, beginning: SessionBytes): SessionBytes {
  return compressed && retired !== undefined && beginsWith(retired, compressed) ? compressed : beginning;
}

/**
 * Makes sure that there is a plain file that begins with all bytes of the original. Other plain files become tails.
 *
 * @returns false if the plain file has a header and different content
 */
function publish(path: string, parts: Parts, beginning: SessionBytes, original: SessionBytes): boolean {
  for (;;) {
    const plain = tryOpenPlain(path);
    if (plain !== undefined) {
      try {
        if (beginsWith(plain, original)) return true;
        if (hasHeader(plain)) return false;
        moveToTail(plain, path);
      } finally {
        closeSync(plain);
      }
    }
    // With tails, a link to the original would be read as the whole session.
    const isRetired = parts.retired !== undefined;
    const isPublished =
      isRetired && !existsSync(encodePath(toTailPath(path, 1)))
        ? linkNew(toRetiredPath(path), path)
        : writeWhole(path, beginning, isRetired ? toRetiredPath(path) : toCompressedPath(path));
    if (isPublished) return true;
  }
}

function moveToTail(plain: number, path: string): void {
  let number = 1;
  while (existsSync(encodePath(toTailPath(path, number)))) number++;
  assertSameFile(plain, path);
  renameSync(encodePath(path), encodePath(toTailPath(path, number)));
  syncFolder(dirname(path));
}

/** Writes the beginning and all tails to a new plain file. @returns false if an agent has created one meanwhile */
function writeWhole(path: string, beginning: SessionBytes, beginningPath: string): boolean {
  const temporary = temporaryName(path);
  const tails = openTails(path);
  try {
    const reference = typeof beginning === "number" ? beginning : beginning.fd;
    const fd = openSync(encodePath(temporary), "ax", 0o600);
    try {
      keepMode(reference, fd);
      const size = getByteCount(beginning);
      copyBytes(beginning, fd);
      if (fstatSync(fd).size < size) throw damaged(beginningPath);
      for (const tail of tails) copyBytes(tail, fd);
      const last = tails.at(-1);
      const lastPath = last === undefined ? beginningPath : toTailPath(path, tails.length);
      copyTimes(last ?? reference, { fd, path: temporary }, lastPath);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return linkNew(temporary, path);
  } finally {
    for (const tail of tails) closeSync(tail);
    if (existsSync(encodePath(temporary))) unlinkSync(encodePath(temporary));
  }
}

/**
 * Appends lines that are not in the plain file yet, of the tails and of a retired original that grew, and removes all other files.
 *
 * @returns `conflict` if the plain file does not have all bytes of the compressed one, which then stays
 */
function finish(path: string, parts: Parts, original: SessionBytes): "plain" | "open" | "conflict" {
  parts.tails = openTails(path);
  const plain = tryOpenPlain(path);
  if (plain === undefined) return "conflict"; // deleted meanwhile
  try {
    const start = getByteCount(original);
    const listParts = () => listAppended(plain, parts.retired, parts.tails, start);
    appendMissing(path, start, listParts());
    // No agent opens a file under these names, so one that is closed now will not change.
    const names = parts.tails.map((_, n) => toTailPath(path, n + 1));
    const isLinked = listParts().length === names.length;
    if (parts.retired !== undefined && !isLinked) names.unshift(toRetiredPath(path));
    if (names.some((name) => isOpenForWriting(name))) return "open";
    const appended = listParts();
    appendMissing(path, start, appended);
    // The last first: tails are found by counting, and a retired original has what they continue.
    for (const [n, file] of [...appended.entries()].reverse()) remove(file, names[n] as string, path);
    fsyncSync(plain); // its bytes may be on no disk yet
    if (parts.retired !== undefined) unlinkIfExists(toRetiredPath(path), path);
    if (!parts.compressed) return "plain";
    if (!beginsWith(plain, parts.compressed)) return "conflict";
    syncFolder(dirname(path));
    unlinkSync(encodePath(toCompressedPath(path)));
    syncFolder(dirname(path));
    return "plain";
  } finally {
    closeSync(plain);
  }
}

/**
 * Removes an open file of which all bytes up to `end` are elsewhere. What a process that could not be seen wrote after them is
 * appended to the plain file.
 */
function remove({ file, end }: Pick<FilePart, "file" | "end">, name: string, path: string): void {
  unlinkIfExists(name, path);
  const grown = fstatSync(file).size - end;
  if (grown > 0) appendTo(path, readAt(file, end, grown));
}

/** On a file system without hard links, the original has been renamed. */
function unlinkIfExists(file: string, path: string): void {
  syncFolder(dirname(path)); // the file that stays must have its name on disk first
  if (existsSync(encodePath(file))) unlinkSync(encodePath(file));
}

function openCompressed(path: string): CompressedBytes | "damaged" | undefined {
  try {
    return tryOpenCompressed(toCompressedPath(path));
  } catch (error) {
    if (error instanceof PidexError) return "damaged";
    throw error;
  }
}

function isSame(one: SessionBytes, other: SessionBytes): boolean {
  return getByteCount(one) === getByteCount(other) && beginsWith(one, other);
}

/** @throws PidexError `SESSION_CHANGED` if a session has files with different content, or a program has one of them open */
export function assertSettled(path: string, files: SettledFiles): void {
  if (files === "open") throw sessionIsOpen(path);
  if (files !== "conflict") return;
  const others = [toCompressedPath(path), toRetiredPath(path), toTailPath(path, 1)];
  const other = others.find((file) => existsSync(encodePath(file))) ?? toCompressedPath(path);
  const hint = "Nothing was removed. Rename one of the two files.";
  throw new PidexError("SESSION_CHANGED", `${path} and ${other} have different content`, hint);
}

function damaged(path: string): PidexError {
  const hint = "Nothing was removed. Restore the file from a backup.";
  return new PidexError("FILE_UNREADABLE", `${path} is shorter than it should be`, hint);
}
