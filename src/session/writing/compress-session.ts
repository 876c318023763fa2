/** Compresses session files in place: `NAME.jsonl` becomes `NAME.jsonl.zst`. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { PidexError, toMessage } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";
import { compressFrame, formatSeekTable } from "../compressed-bytes.ts";
import { NEWLINE, readAt } from "../lines.ts";
import { toCompressedPath, toRetiredPath, toTailPath } from "../locations.ts";
import { beginsWith } from "../missing-lines.ts";
import { closeBytes, openPlain, tryOpenCompressed } from "../session-bytes.ts";
import { appendTo } from "./append-missing.ts";
import { assertSameFile, assertWithin } from "./assert-within.ts";
import { copyTimes, keepMode } from "./keep-attributes.ts";
import { isOpenForWriting, sessionIsOpen } from "./open-for-writing.ts";
import { syncFolder, withWriteErrors, writeAll } from "./replace-file.ts";
import { temporaryName, withRewriteLock } from "./rewrite-lock.ts";
import { assertSettled, settle } from "./settle-compressed.ts";

/** A frame ends with the first line that makes it this long; to read an entry, its frame is decompressed. */
const FRAME_BYTES = 1 << 20;
/** Longer lines are cut: a frame is decompressed in memory. */
const MAX_FRAME_BYTES = 8 << 20;

export interface WriteLimits {
  /** Allowed prefixes of the real path of the file. */
  within?: readonly string[] | undefined;
}

export interface CompressOptions extends WriteLimits {
  /** Whether a file that would not get smaller stays plain: `compressedBytes` is then not less than `bytes`. */
  onlyIfSmaller?: boolean;
}

/** A session that was compressed or restored: its logical path, and both sizes in bytes. */
export interface SessionSizes {
  path: string;
  bytes: number;
  compressedBytes: number;
}

/**
 * Compresses a session file, whatever its bytes are. The new file is synced to disk and compared with the old one before it
 * gets its name, and the old one is removed last, so that at any moment one whole file has all bytes. Keeps the mode, the times
 * and, if permitted, the owner.
 *
 * @throws PidexError `SESSION_CHANGED` if the session changed meanwhile, which is then left as it is; `FILE_UNREADABLE`,
 * `FILE_UNWRITABLE`; `SESSION_COMPRESSED` if it is compressed already
 */
export function compressSession(
  path: string,
  { within, onlyIfSmaller = false }: CompressOptions = {},
): SessionSizes {
  return withOwnLock(path, () => {
    // An agent may have appended to it when it was compressed.
    const others = [toCompressedPath(path), toRetiredPath(path), toTailPath(path, 1)];
    const isLeft = existsSync(encodePath(path)) && others.some((other) => existsSync(encodePath(other)));
    if (isLeft)
      assertSettled(
        path,
        withRewriteLock(path, () => settle(path)),
      );
    const old = openOriginal(path);
    const temporary = temporaryName(toCompressedPath(path));
    try {
      assertWithin(old, path, within);
      const before = fstatSync(old, { bigint: true });
      const assertUnchanged = () => {
        const now = fstatSync(old, { bigint: true });
        const isSame =
          now.size === before.size && now.mtimeNs === before.mtimeNs && now.ctimeNs === before.ctimeNs;
        if (!isSame) throw changed(path);
        assertSameFile(old, path);
      };
      const bytes = Number(before.size);
      writeCompressed(old, bytes, temporary, path);
      const { size } = statSync(encodePath(temporary));
      if (onlyIfSmaller && size >= bytes) {
        unlinkSync(encodePath(temporary));
        return { path, bytes, compressedBytes: size };
      }
      assertSameBytes(old, bytes, temporary);
      const compressedBytes = withRewriteLock(path, () => {
        assertUnchanged();
        if (existsSync(encodePath(toCompressedPath(path)))) throw changed(path);
        renameSync(encodePath(temporary), encodePath(toCompressedPath(path)));
        syncFolder(dirname(path));
        retire(path, old, bytes);
        return statSync(encodePath(toCompressedPath(path))).size;
      });
      return { path, bytes, compressedBytes };
    } catch (error) {
      if (existsSync(encodePath(temporary))) unlinkSync(encodePath(temporary));
      throw error;
    } finally {
      closeSync(old);
    }
  });
}

/**
 * Holds a lock that only compressing and restoring take, and removes the temporary files of killed processes. If another process
 * takes it for stale, it removes the temporary file of this one, which then fails without having changed anything.
 */
function withOwnLock<T>(path: string, work: () => T): T {
  return withWriteErrors(path, () => withRewriteLock(toCompressedPath(path), work));
}

function openOriginal(path: string): number {
  const stat = lstatSync(encodePath(path), { throwIfNoEntry: false });
  if (!stat && existsSync(encodePath(toCompressedPath(path)))) {
    throw new PidexError("SESSION_COMPRESSED", `${path} is compressed already`, "Nothing was changed.");
  }
  if (stat && !stat.isFile()) {
    const hint = "Only regular files are compressed. Nothing was changed.";
    throw new PidexError("FILE_UNREADABLE", `${path} is a link or not a file`, hint);
  }
  try {
    return openPlain(path);
  } catch (cause) {
    const message = `${path} cannot be read: ${toMessage(cause)}`;
    throw new PidexError("FILE_UNREADABLE", message, "Check its permissions.", { cause });
  }
}

/** Writes frames of whole lines and the seek table to a new file, and syncs it to disk. */
function writeCompressed(from: number, size: number, to: string, original: string): void {
  const fd = openSync(encodePath(to), "wx", 0o600);
  try {
    keepMode(from, fd);
    const frames: { compressedSize: number; size: number }[] = [];
    for (let offset = 0; offset < size; ) {
      const bytes = readFrame(from, offset, size);
      if (bytes.length === 0) throw changed(original);
      const compressed = compressFrame(bytes);
      writeAll(fd, compressed);
      frames.push({ compressedSize: compressed.length, size: bytes.length });
      offset += bytes.length;
    }
    writeAll(fd, formatSeekTable(frames));
    copyTimes(from, { fd, path: to }, original);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The bytes of the next frame: whole lines, unless a line is too long. */
function readFrame(fd: number, offset: number, end: number): Buffer {
  for (let length = FRAME_BYTES; ; length *= 2) {
    const bytes = readAt(fd, offset, Math.min(length, end - offset));
    const isLast = offset + bytes.length === end;
    const newline = bytes.lastIndexOf(NEWLINE);
    if (isLast || length >= MAX_FRAME_BYTES) return bytes;
    if (newline !== -1) return bytes.subarray(0, newline + 1);
    if (bytes.length < length) return bytes; // the file became shorter, which is noticed later
  }
}

/** @throws PidexError `FILE_UNREADABLE` if the compressed file does not hold exactly the bytes of the open one */
function assertSameBytes(original: number, size: number, compressedPath: string): void {
  const compressed = tryOpenCompressed(compressedPath);
  try {
    if (compressed?.size === size && beginsWith(original, compressed)) return;
  } finally {
    if (compressed) closeBytes(compressed);
  }
  const hint = "Nothing was changed. Check the disk and the memory of this computer.";
  throw new PidexError("FILE_UNREADABLE", `${compressedPath} does not hold the bytes of the session`, hint);
}

/**
 * Removes the original. It first gets another name, under which no agent opens it. If one has it open already, or has appended to it,
 * the session is plain again.
 *
 * @throws PidexError `SESSION_CHANGED` if it grew, or is open
 */
function retire(path: string, old: number, size: number): void {
  const retired = toRetiredPath(path);
  renameSync(encodePath(path), encodePath(retired));
  syncFolder(dirname(path));
  const isOpen = isOpenForWriting(retired);
  if (!isOpen && fstatSync(old).size === size) {
    unlinkSync(encodePath(retired));
    const grown = fstatSync(old).size - size;
    if (grown > 0) appendTo(path, readAt(old, size, grown)); // by a process that could not be seen
    if (!existsSync(encodePath(path))) return;
  }
  assertSettled(path, settle(path));
  throw isOpen ? sessionIsOpen(path) : changed(path);
}

/**
 * Restores a compressed session to a plain file with the same bytes, mode and times. What agents appended since follows them.
 *
 * @throws PidexError `NOT_FOUND` if there is no compressed file; `RESTORE_FAILED` if a different session has its path;
 * `FILE_UNREADABLE` for damaged bytes; `FILE_UNWRITABLE`
 */
export function decompressSession(path: string, { within }: WriteLimits = {}): SessionSizes {
  return withOwnLock(path, () => {
    const compressed = tryOpenCompressed(toCompressedPath(path));
    if (!compressed) {
      throw new PidexError("NOT_FOUND", `${path} is not compressed`, "Nothing was changed.");
    }
    try {
      assertWithin(compressed.fd, toCompressedPath(path), within);
      const compressedBytes = fstatSync(compressed.fd).size;
      const state = withRewriteLock(path, () => settle(path, { restore: true }));
      if (state === "open") throw sessionIsOpen(path);
      if (state !== "plain") throw taken(path);
      const plain = statSync(encodePath(path), { throwIfNoEntry: false });
      return { path, bytes: plain?.size ?? compressed.size, compressedBytes };
    } finally {
      closeBytes(compressed);
    }
  });
}

function changed(path: string): PidexError {
  const hint = "It was left as it is. Try again when no agent writes to it.";
  return new PidexError("SESSION_CHANGED", `${path} changed while it was compressed`, hint);
}

function taken(path: string): PidexError {
  const hint = `Rename one of them: ${path} or ${toCompressedPath(path)}. Both files are unchanged.`;
  return new PidexError("RESTORE_FAILED", `a different session has the path ${path}`, hint);
}
