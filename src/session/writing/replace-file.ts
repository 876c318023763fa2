import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode, toMessage } from "../../errors.ts";
import { encodePath, resolveLinks } from "../../path-bytes.ts";
import { assertNotCompressed } from "../compressed-session.ts";
import { readAt } from "../lines.ts";
import { assertSameFile, assertWithin } from "./assert-within.ts";
import { keepOwner } from "./keep-attributes.ts";
import { temporaryName, withRewriteLock } from "./rewrite-lock.ts";

/**
 * Replaces a file atomically: writes a temporary file, syncs it to disk and renames it, so that a crash leaves the old file or the
 * new one. Keeps the mode and, if permitted, the owner. Data that another process appends to the old file meanwhile is appended to
 * the new one. A lock allows one process at a time.
 *
 * @param write yields the new content, from the first `size` bytes of the old file
 * @param beforeRename called before the old file is replaced, for a backup
 * @param within allowed prefixes of the real paths of both files
 * @throws PidexError `FILE_UNWRITABLE`, `SESSION_CHANGED`, and what `write` throws
 */
export function replaceFile(
  path: string,
  write: (fd: number, size: number) => Iterable<string | Buffer>,
  beforeRename: (path: string) => void = () => {},
  within?: readonly string[],
): void {
  assertNotCompressed(path);
  withWriteErrors(path, () => {
    const target = resolveLinks(path); // a link stays a link
    withRewriteLock(target, () => replace(target, write, beforeRename, within));
    syncFolder(dirname(target));
  });
}

function replace(
  target: string,
  write: (fd: number, size: number) => Iterable<string | Buffer>,
  beforeRename: (path: string) => void,
  within: readonly string[] | undefined,
): void {
  const temporary = temporaryName(target);
  const old = openSync(encodePath(target), "r+"); // rename does not check write permission on the file
  try {
    assertWithin(old, target, within);
    const { mode, uid, gid, size } = fstatSync(old);
    // Append mode: after the rename, other processes append to this file too.
    const fd = openSync(encodePath(temporary), "ax", 0o600);
    try {
      assertWithin(fd, temporary, within);
      keepOwner(fd, uid, gid);
      fchmodSync(fd, mode & 0o7777);
      for (const chunk of write(old, size)) writeAll(fd, chunk);
      beforeRename(target);
      let copied = copyFrom(old, size, fd);
      fsyncSync(fd);
      assertSameFile(old, target);
      renameSync(encodePath(temporary), encodePath(target));
      copied = copyFrom(old, copied, fd);
      fsyncSync(fd);
    } catch (error) {
      if (exists(temporary)) unlinkSync(encodePath(temporary));
      throw error;
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(old);
  }
}

/** Appends the bytes of a file after `offset` to another. @returns the offset after them */
function copyFrom(from: number, offset: number, to: number): number {
  const { size } = fstatSync(from);
  if (size > offset) writeAll(to, readAt(from, offset, size - offset));
  return Math.max(size, offset);
}

/**
 * Runs `work` and converts errors of `fs` to a PidexError.
 *
 * @throws PidexError `FILE_UNWRITABLE`
 */
export function withWriteErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = systemCode(cause);
    if (cause instanceof PidexError || code === undefined) throw cause;
    throw new PidexError("FILE_UNWRITABLE", `${path} cannot be written: ${toMessage(cause)}`, toHint(code), {
      cause,
    });
  }
}

function toHint(code: string): string {
  if (code === "ENOSPC") return "The disk is full: free some space and try again.";
  if (code === "EEXIST") return "Another process created this file meanwhile: open it instead.";
  if (code === "EXDEV") return "The target is on another file system: move the file yourself.";
  return "Check the permissions of the folder, or open the session with readOnly.";
}

/** Writes a whole text, in as many writes as needed. */
export function writeAll(fd: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(fd, bytes, written, bytes.length - written);
  }
}

/** Syncs a folder's entries to disk. Windows cannot open folders and does it by itself. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(encodePath(folder), "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function exists(path: string): boolean {
  return statSync(encodePath(path), { throwIfNoEntry: false }) !== undefined;
}
