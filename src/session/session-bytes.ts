/** The bytes of open session files, plain or compressed: everything that reads a session reads it through this module. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { systemCode } from "../errors.ts";
import { getFileStamp } from "../file-identity.ts";
import { encodePath } from "../path-bytes.ts";
import type { SessionBytes } from "../session-bytes.ts";
import { CompressedBytes } from "./compressed-bytes.ts";
import { toCompressedPath, toTailPath } from "./locations.ts";

export type { SessionBytes };

/** Whether a session has a compressed file, perhaps beside a plain one. */
export function hasCompressedFile(path: string): boolean {
  try {
    const stat = statSync(encodePath(toCompressedPath(path)), { throwIfNoEntry: false });
    return stat?.isFile() === true;
  } catch {
    return false; // its name would be too long, or it is a broken link
  }
}

/** Opens the files with lines that agents wrote to a compressed session, which are being joined to it. */
export function openTails(path: string): number[] {
  const tails: number[] = [];
  try {
    for (;;) {
      const tail = tryOpenPlain(toTailPath(path, tails.length + 1));
      if (tail === undefined) return tails;
      tails.push(tail);
    }
  } catch (error) {
    for (const tail of tails) closeSync(tail);
    throw error;
  }
}

/** Opens a file as it is, never its compressed file. @throws the error of `fs` */
export function openPlain(path: string): number {
  return openSync(encodePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
}

/** As `openPlain`; undefined if there is no such file. */
export function tryOpenPlain(path: string): number | undefined {
  try {
    return openPlain(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Opens a compressed file; undefined if there is none. @throws as `openForReading` */
export function tryOpenCompressed(path: string): CompressedBytes | undefined {
  const fd = tryOpenPlain(path);
  if (fd === undefined) return undefined;
  try {
    return new CompressedBytes(fd, path);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Reads bytes at a position of the session into a buffer. May read fewer than `length`; 0 at the end.
 *
 * @throws the error of `fs`; PidexError `FILE_UNREADABLE` for damaged compressed bytes
 */
export function readBytes(
  file: SessionBytes,
  into: Buffer,
  offset: number,
  length: number,
  position: number,
): number {
  return typeof file === "number"
    ? readSync(file, into, offset, length, position)
    : file.read(into, offset, length, position);
}

/** The `stat` of an open session file. `size` is that of the session's bytes, whether they are compressed or not. */
export function statBytes(file: SessionBytes): BigIntStats {
  if (typeof file === "number") return fstatSync(file, { bigint: true });
  const stat = fstatSync(file.fd, { bigint: true });
  stat.size = BigInt(file.size);
  return stat;
}

/** Whether the bytes of an open session are decompressed as they are read. */
export function isCompressedBytes(file: SessionBytes): boolean {
  return typeof file !== "number";
}

/** Number of bytes of an open session file. */
export function getByteCount(file: SessionBytes): number {
  return typeof file === "number" ? fstatSync(file).size : file.size;
}

/** As `getFileStamp`, of the file that holds a session: the plain one, or the compressed one. */
export function getSessionStamp(path: string): string | undefined {
  return getFileStamp(path) ?? (hasCompressedFile(path) ? getFileStamp(toCompressedPath(path)) : undefined);
}

export function closeBytes(file: SessionBytes): void {
  if (typeof file === "number") closeSync(file);
  else file.close();
}
