import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";
import { fsPath, realPath } from "../../path-bytes.ts";
import { readAt } from "../lines.ts";
import { assertStill, assertWithin } from "./opened-place.ts";
import { temporaryName, whileRewriting } from "./rewrite-lock.ts";

/**
 * Puts a new file in the place of one, so that a crash leaves the old one or the new one: it is written beside it, brought
 * to the disk, and renamed. Mode and, where one may give files away, owner stay. What another process appends to the old
 * file meanwhile is put at the end of the new one. Of several processes one does it at a time.
 *
 * @param write gives the new file's text, piece by piece, from the old one, of which `size` bytes count
 * @param beforeRename the last chance to keep what is replaced
 * @param within what the real paths of both files must begin with
 * @throws PidexError `FILE_UNWRITABLE`, `SESSION_CHANGED`, and what `write` throws
 */
export function replaceFile(
  path: string,
  write: (fd: number, size: number) => Iterable<string | Buffer>,
  beforeRename: (path: string) => void = () => {},
  within?: readonly string[],
): void {
  inWords(path, () => {
    const target = realPath(path); // a link stays a link
    whileRewriting(target, () => replace(target, write, beforeRename, within));
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
  const old = openSync(fsPath(target), "r+"); // renaming would not ask whether the file may be written
  try {
    assertWithin(old, target, within);
    const { mode, uid, gid, size } = fstatSync(old);
    // Appending: once it has the session's name, others write to its end too.
    const fd = openSync(fsPath(temporary), "ax", 0o600);
    try {
      assertWithin(fd, temporary, within);
      keepOwner(fd, uid, gid);
      fchmodSync(fd, mode & 0o7777);
      for (const piece of write(old, size)) writeAll(fd, piece);
      beforeRename(target);
      let copied = copyFrom(old, size, fd);
      fsyncSync(fd);
      assertStill(old, target);
      renameSync(fsPath(temporary), fsPath(target));
      copied = copyFrom(old, copied, fd);
      fsyncSync(fd);
    } catch (error) {
      if (isThere(temporary)) unlinkSync(fsPath(temporary));
      throw error;
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(old);
  }
}

/** Copies what a file holds from an offset on to the end of another. @returns where it ended */
function copyFrom(from: number, offset: number, to: number): number {
  const { size } = fstatSync(from);
  if (size > offset) writeAll(to, readAt(from, offset, size - offset));
  return Math.max(size, offset);
}

/**
 * Does something to a session's file, and says in our words what the system says against it.
 *
 * @throws PidexError `FILE_UNWRITABLE`
 */
export function inWords<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = systemCode(cause);
    if (cause instanceof PidexError || code === undefined) throw cause;
    throw new PidexError("FILE_UNWRITABLE", `${path} cannot be written: ${reasonOf(cause)}`, hintFor(code), {
      cause,
    });
  }
}

function hintFor(code: string): string {
  if (code === "ENOSPC") return "The disk is full: make room, and do it again.";
  if (code === "EEXIST") return "Another session was written there meanwhile: open that one.";
  if (code === "EXDEV") return "It would leave its file system: move the file yourself.";
  return "Look at the folder and its permissions, or open the session with readOnly.";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Writes all of a text at the end of a file, however many writes that takes. */
export function writeAll(fd: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(fd, bytes, written, bytes.length - written);
  }
}

/** Brings the names of a folder to the disk. Where folders cannot be opened, as on Windows, the system does. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(fsPath(folder), "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function keepOwner(fd: number, uid: number, gid: number): void {
  const now = fstatSync(fd);
  if (process.platform === "win32" || (now.uid === uid && now.gid === gid)) return;
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    if (systemCode(error) !== "EPERM") throw error; // only root may give files away
  }
}

function isThere(path: string): boolean {
  return statSync(fsPath(path), { throwIfNoEntry: false }) !== undefined;
}
