import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../../errors.ts";
import { readAt } from "../lines.ts";

/**
 * Puts a new file in the place of one, so that a crash leaves the old one or the new one: it is written beside it, brought
 * to the disk, and renamed. Mode and owner stay. What another process appends to the old file meanwhile is put at the end
 * of the new one.
 *
 * @param write gives the new file's text, piece by piece, from the old one, of which `size` bytes count
 * @param beforeRename the last chance to keep what is replaced
 * @throws the error of the file system
 */
export function replaceFile(
  path: string,
  write: (fd: number, size: number) => Iterable<string | Buffer>,
  beforeRename: (path: string) => void = () => {},
): void {
  const target = realpathSync(path); // a link stays a link
  const temporary = `${target}.${randomBytes(4).toString("hex")}.tmp`;
  const old = openSync(target, "r");
  try {
    const { mode, uid, gid, size } = fstatSync(old);
    const fd = openSync(temporary, "wx", mode & 0o7777);
    try {
      keepOwner(fd, uid, gid);
      for (const piece of write(old, size)) writeAll(fd, piece);
      beforeRename(target);
      fsyncSync(fd);
      renameSync(temporary, target);
      const late = fstatSync(old).size - size;
      if (late > 0) writeAll(fd, readAt(old, size, late));
      fsyncSync(fd);
    } catch (error) {
      if (isThere(temporary)) unlinkSync(temporary);
      throw error;
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(old);
  }
  syncFolder(dirname(target));
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
  const fd = openSync(folder, "r");
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
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
