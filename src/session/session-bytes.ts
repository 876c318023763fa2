/** The bytes of session files, plain or compressed: everything that reads a session reads it through this module. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { systemCode } from "../errors.ts";
import { getFileStamp } from "../file-identity.ts";
import { encodePath } from "../path-bytes.ts";
import type { SessionBytes } from "../session-bytes.ts";
import { CompressedBytes } from "./compressed-bytes.ts";
import { hasCompressedName, toCompressedPath } from "./locations.ts";

export type { SessionBytes };

/** Both names may be missing for a moment while a file is compressed or restored: whoever renames does one step at a time. */
const MAX_ATTEMPTS = 3;

/**
 * Opens a session file for reading, without blocking on a pipe with a session's name. If only its compressed file `PATH.zst`
 * exists, opens that, and serves the same bytes. Callers must check that it is a regular file.
 *
 * @throws the error of `fs`; PidexError `FILE_UNREADABLE` for a compressed file that pidex did not write
 */
export function openForReading(path: string): SessionBytes {
  // In the trash, a compressed file has no other path.
  if (hasCompressedName(path)) return tryOpenCompressed(path) ?? openPlain(path);
  for (let attempt = 1; ; attempt++) {
    try {
      return openPlain(path);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
      const compressed = tryOpenCompressed(toCompressedPath(path));
      if (compressed) return compressed;
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Opens a file as it is, never its compressed file. @throws the error of `fs` */
export function openPlain(path: string): number {
  return openSync(encodePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Opens a compressed file; undefined if there is none. @throws as `openForReading` */
export function tryOpenCompressed(path: string): CompressedBytes | undefined {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
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

/** Number of bytes of an open session file. */
export function getByteCount(file: SessionBytes): number {
  return typeof file === "number" ? fstatSync(file).size : file.size;
}

/** As `getFileStamp`, of the file that holds a session: the plain one, or the compressed one. */
export function getSessionStamp(path: string): string | undefined {
  return getFileStamp(path) ?? getFileStamp(toCompressedPath(path));
}

export function closeBytes(file: SessionBytes): void {
  closeSync(typeof file === "number" ? file : file.fd);
}
