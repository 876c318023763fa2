/**
 * A session can have more than one file after a process was killed while it compressed or restored it, or if an agent wrote to a
 * session that it did not know to be compressed. This compares them, and removes those that hold nothing of their own.
 */
import { existsSync, fsyncSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";
import type { CompressedBytes } from "../compressed-bytes.ts";
import { readAt } from "../lines.ts";
import { toCompressedPath } from "../locations.ts";
import {
  closeBytes,
  getByteCount,
  openPlain,
  type SessionBytes,
  tryOpenCompressed,
} from "../session-bytes.ts";
import { readFileLines } from "./file-lines.ts";
import { classifyLine } from "./load.ts";
import { prependBytes } from "./prepend-bytes.ts";
import { syncFolder } from "./replace-file.ts";

/**
 * The files of a session, after those without bytes of their own were removed:
 * - `plain`, `compressed`, `none`: only that file, or no file;
 * - `conflict`: files with different content. Nothing was removed.
 */
export type SettledFiles = "plain" | "compressed" | "none" | "conflict";

/** The name that an original has for a moment between its compression and its removal. */
export function toRetiredPath(path: string): string {
  return `${path}.retired`;
}

/**
 * Settles the files of a session. The plain file wins if it begins with all bytes of the others. If it has only entries without a
 * header, an agent that did not notice the compression wrote them: the other bytes are put before them. Call it under the rewrite
 * lock.
 *
 * @throws the error of `fs`
 */
export function settle(path: string): SettledFiles {
  if (settleRetired(path) === "conflict") return "conflict";
  const compressed = openCompressed(path);
  if (compressed === "damaged") return existsSync(encodePath(path)) ? "conflict" : "compressed";
  if (!compressed) return existsSync(encodePath(path)) ? "plain" : "none";
  try {
    if (!existsSync(encodePath(path))) return "compressed";
    if (!includeBeginning(path, compressed)) return "conflict";
    remove(toCompressedPath(path));
    return "plain";
  } finally {
    closeBytes(compressed);
  }
}

/**
 * Makes sure that a plain file begins with all bytes of another file of its session.
 *
 * @returns whether it does now: not if both have a header, but different content
 */
function includeBeginning(path: string, beginning: SessionBytes): boolean {
  const plain = openPlain(path);
  try {
    if (!beginsWith(plain, beginning)) {
      if (hasHeader(plain)) return false;
      prependBytes(beginning, path);
    } else fsyncSync(plain); // its bytes may be on no disk yet
    return true;
  } finally {
    closeBytes(plain);
  }
}

/** Removes a retired original, or gives it its name back if the compressed file lacks bytes of it. */
function settleRetired(path: string): "conflict" | undefined {
  const retired = toRetiredPath(path);
  if (!existsSync(encodePath(retired))) return undefined;
  const compressed = openCompressed(path);
  const original = openPlain(retired);
  try {
    const size = getByteCount(original);
    if (
      compressed &&
      compressed !== "damaged" &&
      compressed.size >= size &&
      beginsWith(compressed, original)
    ) {
      remove(retired);
      return undefined;
    }
    if (moveBack(retired, path)) return undefined;
    if (!includeBeginning(path, original)) return "conflict";
    remove(retired);
    return undefined;
  } finally {
    closeBytes(original);
    if (compressed && compressed !== "damaged") closeBytes(compressed);
  }
}

/** @returns false if another file has the name, perhaps since a moment ago */
function moveBack(from: string, to: string): boolean {
  if (existsSync(encodePath(to))) return false;
  try {
    linkSync(encodePath(from), encodePath(to)); // unlike a rename, it never replaces a file
  } catch {
    if (existsSync(encodePath(to))) return false;
    renameSync(encodePath(from), encodePath(to)); // a file system without hard links
    return true;
  }
  remove(from);
  return true;
}

function remove(path: string): void {
  syncFolder(dirname(path)); // the file that stays must have its name on disk first
  unlinkSync(encodePath(path));
}

function openCompressed(path: string): CompressedBytes | "damaged" | undefined {
  try {
    return tryOpenCompressed(toCompressedPath(path));
  } catch (error) {
    if (error instanceof PidexError) return "damaged";
    throw error;
  }
}

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

function hasHeader(file: SessionBytes): boolean {
  const lines = readFileLines(file, { offset: 0, unterminated: false }, getByteCount(file), {
    objectsOnly: true,
  });
  for (const { object } of lines) {
    const kind = classifyLine(object, false);
    if (kind !== "other") return kind === "header";
  }
  return false;
}

/** @throws PidexError `SESSION_CHANGED` if a session has files with different content */
export function assertSettled(path: string, files: SettledFiles): void {
  if (files !== "conflict") return;
  const hint = "Nothing was removed. Rename one of the two files.";
  throw new PidexError(
    "SESSION_CHANGED",
    `${path} and ${toCompressedPath(path)} have different content`,
    hint,
  );
}
